"""Forgets the marker, so that pluggy sees nothing."""


def aegis_adapters():
    return []
