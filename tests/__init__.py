"""The tests. A package, so that no distribution that installs one of this name stands in its place."""
