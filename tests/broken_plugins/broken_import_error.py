"""Imports what is not installed."""

import a_distribution_that_nobody_has  # noqa: F401
