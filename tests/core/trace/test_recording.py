"""`aegis.record`: what can be given to it."""

from __future__ import annotations

import pytest

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core.errors import AdapterError


@pytest.mark.parametrize(
    ("given", "adapter", "told"),
    [
        (None, None, "no adapter handles None: the system is missing"),
        (dict, None, "no adapter handles the class dict itself; give an instance of it"),
        (3, None, r"object of class builtins.int; known: .*callables \(plain functions"),
        (3, "callables", "the adapter 'callables' can't handle a int; give it an object of its framework"),
        (None, "callables", "the adapter 'callables' can't handle None"),
        (dict, "callables", "the adapter 'callables' can't handle the class dict itself"),
        (print, 3, "adapter=3 is neither the name of an adapter nor an instance"),
        (print, CallablesAdapter, "adapter=.*CallablesAdapter.* is neither the name of an adapter nor an instance"),
    ],
)
def test_what_can_not_be_recorded_is_an_error_that_says_what_to_give(given, adapter, told) -> None:
    for app in (given, aegis.System(given)):
        with pytest.raises(AdapterError, match=told):
            aegis.record(app, adapter=adapter)
