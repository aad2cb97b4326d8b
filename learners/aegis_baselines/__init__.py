"""Trivial attributors: rules that read nothing, or next to nothing. What can't beat them has learnt nothing."""

from collections.abc import Iterable

from aegis_core.hookspecs import Provider, hookimpl


@hookimpl
def aegis_attributors() -> Iterable[Provider]:
    """Offer the rules that need no training."""
    return [
        Provider(
            name="first-speaker",
            target="aegis_baselines.speakers:FirstSpeaker",
            summary="blames whoever speaks first; no training",
        ),
        Provider(
            name="last-speaker",
            target="aegis_baselines.speakers:LastSpeaker",
            summary="blames whoever speaks last; no training",
        ),
        Provider(
            name="every-agent",
            target="aegis_baselines.speakers:EveryAgent",
            summary="blames all agents of the run; no training",
        ),
        Provider(
            name="random",
            target="aegis_baselines.chance:Random",
            summary="blames an agent of the run, a step and a MAST mode by seeded chance; no training",
        ),
        Provider(
            name="first-odd-step",
            target="aegis_baselines.oddness:FirstOddStep",
            summary="blames the first step whose words are unlike those of its neighbours; no training",
        ),
    ]


@hookimpl
def aegis_learners() -> Iterable[Provider]:
    """Offer the rules that count training labels first."""
    return [
        Provider(
            name="modal-step",
            target="aegis_baselines.steps:ModalStepLearner",
            summary="blames the step that is most often to blame",
        ),
        Provider(
            name="most-frequent",
            target="aegis_baselines.frequency:MostFrequentLearner",
            summary="blames the agent, with its mode, that is most often to blame",
        ),
        Provider(
            name="every-agent-top-mode",
            target="aegis_baselines.modes:EveryAgentTopModeLearner",
            summary="blames all agents of the run, with the mode that is most often to blame",
        ),
        Provider(
            name="role-prior",
            target="aegis_baselines.roles:RolePriorLearner",
            summary="blames the role that is most often to blame where it takes part",
        ),
    ]
