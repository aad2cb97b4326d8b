"""A plugin made of one provider or observer, for tests that need an object instead of a module."""

from aegis_core.hookspecs import Provider, hookimpl


class Providing:
    """Offers the adapters that it is given."""

    def __init__(self, *providers):
        self._providers = providers

    @hookimpl
    def aegis_adapters(self):
        return self._providers


class Newer:
    """Implements a hook of a later Aegis, and says that it can do without."""

    @hookimpl
    def aegis_adapters(self):
        return []

    @hookimpl(optionalhook=True)
    def aegis_from_the_future(self, run):
        return run


class Raising:
    """Observers that fail."""

    @hookimpl
    def aegis_run_started(self, run):
        raise OSError("disk full")

    @hookimpl
    def aegis_run_finished(self, trajectory):
        raise SystemExit(1)


impostor = Providing(Provider(name="impostor", target="good_plugin:NotAnAdapter"))
half = Providing(Provider(name="half", target="good_plugin:HalfAdapter"))
misnamed = Providing(Provider(name="misnamed", target="good_plugin:Misnamed"))
raising_when_made = Providing(Provider(name="raising", target="good_plugin:RaisesWhenMade"))
raising_when_asked = Providing(Provider(name="asking", target="good_plugin:RaisesWhenAsked"))
greedy = Providing(Provider(name="greedy", target="good_plugin:Greedy", matches=("good_plugin.Thing",)))
lost_module = Providing(Provider(name="lost", target="broken_import_error:Lost"))
lost_class = Providing(Provider(name="lost", target="good_plugin:Lost"))
broken_match = Providing(Provider(name="lost", target="good_plugin:Lost", matches=("good_plugin",)))
frameworkless = Providing(
    Provider(
        name="frameworkless",
        target="broken_exit:Never",
        requires=("a-distribution-that-nobody-has>=2",),
        matches=("a_distribution_that_nobody_has",),
    )
)
too_old = Providing(
    Provider(name="old", target="broken_exit:Never", requires=("pydantic>=1,<2",), matches=("good_plugin",))
)
told_how = Providing(
    Provider(name="told", target="broken_exit:Never", requires=("nobody-has-it",), install="conda install it")
)
unloaded_framework = Providing(
    Provider(name="unloaded", target="broken_exit:Never", matches=("framework_that_is_not_loaded.",))
)
newer = Newer()
raising_observers = Raising()
