"""Scorers of others as they were published, faults included: to compare with printed figures, never to judge by."""
