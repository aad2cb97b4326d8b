"""The adapter of `greedy_plugin`."""

from aegis_callables.adapter import CallablesAdapter


class GreedyAdapter(CallablesAdapter):
    name = "greedy"
