"""The adapter for plain Python functions."""
