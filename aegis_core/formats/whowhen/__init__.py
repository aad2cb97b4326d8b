"""Who&When: failed runs with the agent and the step that experts blame (arXiv 2505.00212)."""
