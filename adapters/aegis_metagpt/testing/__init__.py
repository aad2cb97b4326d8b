"""What it takes to try the adapter: the conformance kit, a simulated model, and a team over the embedded world."""
