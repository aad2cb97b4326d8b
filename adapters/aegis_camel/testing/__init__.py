"""For trying the adapter out: scripted and simulated models, small systems, the conformance kit."""
