"""A plugin that works, to stand beside the broken ones. It implements every hook."""

from aegis_core.adapter import Adapter, Capabilities
from aegis_core.errors import StoreError
from aegis_core.faults import Evidence
from aegis_core.format import Format
from aegis_core.hookspecs import Provider, hookimpl
from aegis_core.injector import Injector, Refused
from aegis_core.learner import Attributor, Learner
from aegis_core.attribution import Attribution
from aegis_core.taxonomy import ErrorMode

ASKED = []
STARTED = []
FINISHED = []


class Thing:
    """What the adapter handles."""


class GoodAdapter(Adapter):
    name = "good"

    def can_handle(self, app):
        return isinstance(app, Thing) and not hasattr(app, "spoilt")

    def agents(self, app):
        return ()

    def capabilities(self, app):
        return Capabilities()

    def attach(self, app, run):
        raise NotImplementedError

    def start(self, app, task):
        return None

    def output(self, result):
        return None


class GoodInjector(Injector):
    name = "good"

    def realisations(self):
        return ()

    async def alter(self, context, target, attempt):
        return Refused("nothing to alter")


class GoodAttributor(Attributor):
    name = "good"

    def attribute(self, trajectory):
        return Attribution(run_id=trajectory.run_id, abstained="never sure", attributor=self.name)


class GoodLearner(Learner):
    name = "good"

    def fit(self, dataset, config):
        return GoodAttributor()

    def save(self, attributor, path):
        path.mkdir()

    def load(self, path):
        return GoodAttributor()


class GoodFormat(Format):
    name = "good"

    def sniff(self, path):
        return False

    def read(self, path, labels=None):
        raise StoreError("never written")
        yield


class NotAnAdapter:
    name = "impostor"


class HalfAdapter(GoodAdapter):
    name = "half"
    output = Adapter.output


class Misnamed(GoodAdapter):
    name = "another"


class RaisesWhenMade(GoodAdapter):
    name = "raising"

    def __init__(self):
        raise OSError("no disk")


class RaisesWhenAsked(GoodAdapter):
    name = "asking"

    def can_handle(self, app):
        raise OSError("no disk")


class Greedy(GoodAdapter):
    name = "greedy"

    def can_handle(self, app):
        return True


def gone_wrong(context):
    return Evidence(mode="good:gone-wrong", holds=context == "wrong", because="it says so")


def raises(context):
    raise ZeroDivisionError("no turns")


def says_yes(context):
    return True


def other_mode(context):
    return Evidence(mode="good:other", holds=True, because="of another mode")


@hookimpl
def aegis_adapters():
    yield Provider(
        name="good",
        target="good_plugin:GoodAdapter",
        matches=("good_plugin",),
        requires=("pydantic>=2", "absent; python_version < '3'"),
        summary="handles things",
    )


@hookimpl
def aegis_injectors():
    return (Provider(name="good", target="good_plugin:GoodInjector"),)


@hookimpl
def aegis_learners():
    return [Provider(name="good", target="good_plugin:GoodLearner")]


@hookimpl
def aegis_attributors():
    return [Provider(name="good", target="good_plugin:GoodAttributor")]


@hookimpl
def aegis_formats():
    return [Provider(name="good", target="good_plugin:GoodFormat")]


@hookimpl
def aegis_error_modes():
    return [
        ErrorMode(id="good:gone-wrong", name="Gone wrong", definition="It went.", evidence="good_plugin:gone_wrong"),
        ErrorMode(id="good:bare", name="Bare", definition="Nobody can prove it."),
        ErrorMode(id="good:raises", name="Raises", definition="It raises.", evidence="good_plugin:raises"),
        ErrorMode(id="good:says-yes", name="Yes", definition="A bare truth.", evidence="good_plugin:says_yes"),
        ErrorMode(id="good:other-mode", name="Other", definition="It errs itself.", evidence="good_plugin:other_mode"),
        ErrorMode(id="good:lost", name="Lost", definition="Nowhere.", evidence="good_plugin:nowhere"),
    ]


@hookimpl
def aegis_run_started(run):
    STARTED.append(run)


@hookimpl
def aegis_run_finished(run, trajectory):
    FINISHED.append((run, trajectory))
