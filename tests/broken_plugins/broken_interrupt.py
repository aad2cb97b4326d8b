"""Raises at import what the user's Ctrl-C would raise."""

raise KeyboardInterrupt
