"""Breaks Python's grammar."""

def aegis_adapters(:
    return []
