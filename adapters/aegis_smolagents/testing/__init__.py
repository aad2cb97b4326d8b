"""To try Aegis and this adapter with: the conformance kit's systems, the simulated chat model, and a team of agents."""
