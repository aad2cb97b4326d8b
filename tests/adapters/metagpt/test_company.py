"""MetaGPT's own software company: product manager, architect, project manager and engineer, with files and git."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from metagpt.const import DEFAULT_WORKSPACE_ROOT
from metagpt.context import Context
from metagpt.roles import Architect, Engineer, ProductManager, ProjectManager
from metagpt.team import Team

from aegis_core.adapter import Site
from aegis_core.faults import Moment
from aegis_core.injector import Edits, Injector
from tests.adapters.metagpt.teams import ListLLM, altered, memory, recorded, said

pytestmark = pytest.mark.framework

IDEA = "Write a game of snake."


def filled_in(shown: str) -> str:
    """The example that a form shows, which is a valid answer; code, where code is asked for; else agreement."""
    forms = [form for form in re.findall(r"\[CONTENT\](.*?)\[/CONTENT\]", shown, re.S) if "{" in form]
    if forms:
        return f"[CONTENT]{forms[0]}[/CONTENT]"
    return "```python\nprint('snake')\n```" if "# Instruction: Based on the context" in shown else "YES"


_CONTEXTS: list[Context] = []


@pytest.fixture(autouse=True)
def _closed_repositories() -> Iterator[None]:
    """MetaGPT leaves git's processes running; and a folder that is there already is another project."""
    yield
    while _CONTEXTS:
        repository = _CONTEXTS.pop().git_repo
        if repository is not None:
            repository._repository.close()


def _fresh_workspace() -> None:
    for folder in Path(DEFAULT_WORKSPACE_ROOT).glob("*"):
        shutil.rmtree(folder, ignore_errors=True)


def company() -> tuple[Team, dict[str, ListLLM]]:
    _fresh_workspace()
    context = Context()
    _CONTEXTS.append(context)
    models = {name: ListLLM(filled_in) for name in ("Alice", "Bob", "Eve", "Alex")}
    team = Team(context=context)
    roles = (ProductManager, Architect, ProjectManager, Engineer)
    team.hire([role(context=context, llm=model) for role, model in zip(roles, models.values(), strict=True)])
    return team, models


@pytest.mark.case("metagpt-25")
def test_a_software_company_is_recorded_by_the_names_of_its_roles() -> None:
    app, models = company()

    run = recorded(app, n_round=9, task=IDEA)

    assert run.trajectory.error is None
    assert [agent for agent, _ in said(run)] == ["Alice", "Bob", "Eve", "Alex", "Alex"]
    kept = [step.agent for step in run.trajectory.steps if step.kind == "thought"]
    assert kept == ["Alice", "Alex", "Alex"]  # documents prepared, a file of code each
    told = [step for step in run.trajectory.steps if step.kind != "thought"]
    assert [step.addressed_to for step in told[:5]] == [("Bob",), ("Eve",), ("Alex",), ("Alex",), ()]
    assert [len(model.asked) for model in models.values()] == [1, 1, 1, 2]
    code, last, warning = told[3:]
    assert sorted(code.text.splitlines()) == ["game.py", "main.py"]
    assert last.visible_to == ()
    assert warning.text == "this message has no recipients: Edward"
    assert set(told[0].visible_to) == {"Bob", "Eve", "Alex"}


@pytest.mark.case("metagpt-25")
def test_documents_that_a_company_hands_on_are_in_the_record() -> None:
    app, _ = company()

    run = recorded(app, n_round=9, task=IDEA)

    design = next(step for step in run.trajectory.steps if step.agent == "Bob")
    (document,) = design.content[0].data["docs"].values()
    assert document["root_path"] == "docs/system_design"
    assert "Implementation approach" in document["content"]
    calls = [entry for entry in run.tape.entries if entry.key.kind == "model" and entry.key.moment.agent == "Eve"]
    assert any("Implementation approach" in part.text for part in calls[0].request)  # which it read from the file


class Renames(Injector):
    """Has the architect plan another approach, within the form that its answer must have."""

    name = "renames"

    def realisations(self):
        return ()

    async def alter(self, context, target, attempt):
        (part,) = context.parts
        altered = part.text.replace('Implementation approach": "', 'Implementation approach": "ZEBRA. ', 1)
        return Edits(texts={part.id: altered}, realisation="rename")


@pytest.mark.case("metagpt-25")
def test_what_a_role_of_a_company_believes_reaches_the_next_one_through_files() -> None:
    app, _ = company()
    tape = recorded(app, n_round=9, task=IDEA).tape
    again, models = company()
    belief = Site(strategy="response_corruption", scope="belief")

    run = altered(again, Moment(agent="Bob"), belief, served=tape, injector=Renames(), task=IDEA)

    assert not run.void
    assert run.ledger().interventions[0].fired, run.ledger().interventions[0].reason
    assert [len(model.asked) for model in models.values()] == [0, 0, 1, 2]
    assert "ZEBRA" in models["Eve"].seen[0]
    assert "ZEBRA" in "".join(memory(again.env.get_role("Project Manager")))
