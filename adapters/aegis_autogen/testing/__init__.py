"""To try Aegis and this adapter with: the conformance kit's systems, the simulated model client, teams of agents."""
