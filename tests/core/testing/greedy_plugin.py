"""A plugin that claims the objects of another."""

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_adapters() -> Iterable[Provider]:
    return [
        Provider(
            name="greedy", target="tests.core.testing.greedy_adapter:GreedyAdapter", matches=("builtins.function",)
        )
    ]
