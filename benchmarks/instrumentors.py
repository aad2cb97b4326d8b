"""Instrumentors of others, with their spans in memory: openinference's, and OpenLLMetry's where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Self

from aegis_core.errors import MissingDependencyError

__all__ = ["INSTRUMENTORS", "Instrumented", "Instrumentor", "installed"]


@dataclass(frozen=True, kw_only=True)
class Instrumentor:
    """Where an instrumentor of a framework is found."""

    family: str
    """`openinference` or `openllmetry`, whose spans differ."""
    module: str
    name: str
    package: str


INSTRUMENTORS: Mapping[str, tuple[Instrumentor, ...]] = {
    "langgraph": (
        Instrumentor(
            family="openinference",
            module="openinference.instrumentation.langchain",
            name="LangChainInstrumentor",
            package="openinference-instrumentation-langchain",
        ),
        Instrumentor(
            family="openllmetry",
            module="opentelemetry.instrumentation.langchain",
            name="LangchainInstrumentor",
            package="opentelemetry-instrumentation-langchain",
        ),
    ),
    "autogen": (
        Instrumentor(
            family="openinference",
            module="openinference.instrumentation.autogen_agentchat",
            name="AutogenAgentChatInstrumentor",
            package="openinference-instrumentation-autogen-agentchat",
        ),
    ),
    "smolagents": (
        Instrumentor(
            family="openinference",
            module="openinference.instrumentation.smolagents",
            name="SmolagentsInstrumentor",
            package="openinference-instrumentation-smolagents",
        ),
    ),
}
"""By framework. OpenLLMetry has none for AutoGen and smolagents."""


class Instrumented:
    """An instrumentor, switched on and off; a context manager.

    Args:
        instrumentor: which.
        trim: hide what Aegis does not record, if it can be hidden.

    Raises:
        MissingDependencyError: it is not installed.
    """

    def __init__(self, instrumentor: Instrumentor, *, trim: bool = True) -> None:
        # By name, so that types can be checked where none of it is installed.
        if not installed(instrumentor):
            raise MissingDependencyError(
                "the benchmark of tracing compares with the instrumentors of others; install this one: "
                f"pip install {instrumentor.package} opentelemetry-sdk"
            )
        sdk = import_module("opentelemetry.sdk.trace")
        memory = import_module("opentelemetry.sdk.trace.export.in_memory_span_exporter")
        self._exporter = memory.InMemorySpanExporter()
        provider = sdk.TracerProvider()
        provider.add_span_processor(sdk.export.SimpleSpanProcessor(self._exporter))
        self._options = {"tracer_provider": provider}
        if instrumentor.family == "openinference":
            configuration = import_module("openinference.instrumentation").TraceConfig
            self._options["config"] = configuration(hide_llm_invocation_parameters=trim, hide_llm_tools=trim)
        self._module = import_module(instrumentor.module)
        self._instrumentor = getattr(self._module, instrumentor.name)()
        self._wrapped = _Wrapped(self._module)

    def __enter__(self) -> Self:
        self._exporter.clear()
        with self._wrapped:
            self._instrumentor.instrument(**self._options)
        return self

    def __exit__(self, *exc: object) -> None:
        self._instrumentor.uninstrument()
        self._wrapped.restore()

    def attributes(self) -> list[Mapping[str, Any]]:
        """The attributes of each span since it was last switched on, in the order in which they ended."""
        return [dict(span.attributes or {}) for span in self._exporter.get_finished_spans()]


class _Wrapped:
    """What an instrumentor wraps while the block runs, to be put back.

    Instrumentors leave some of it wrapped when they are switched off, OpenLLMetry's all of it; the next contender would
    run through that.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._originals: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Self:
        wrapt = import_module("wrapt")
        self._own = self._module.wrap_function_wrapper

        def noted(target: Any, name: str, wrapper: Any) -> Any:
            self._originals.append(wrapt.resolve_path(target, name))
            return self._own(target, name, wrapper)

        self._module.wrap_function_wrapper = noted  # type: ignore[attr-defined]
        return self

    def __exit__(self, *exc: object) -> None:
        self._module.wrap_function_wrapper = self._own  # type: ignore[attr-defined]

    def restore(self) -> None:
        while self._originals:
            setattr(*self._originals.pop())


def installed(instrumentor: Instrumentor) -> bool:
    """Whether it can be used here."""
    return all(
        find_spec(name) is not None
        for module in (instrumentor.module, "opentelemetry.sdk")
        for name in _parents(module)
    )


def _parents(module: str) -> list[str]:
    """A module and the packages around it, outermost first; `find_spec` fails if one of those is missing."""
    parts = module.split(".")
    return [".".join(parts[: n + 1]) for n in range(len(parts))]
