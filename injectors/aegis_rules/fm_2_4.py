"""FM-2.4, information withholding: what the agent found is there, and others do not get it.

By prompt injection the agent is told, in ordinary words, to keep its findings to itself; by response corruption
the sentences that hold them are taken out. Nothing is falsified: what is still said is true.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from aegis_core.adapter import Part
from aegis_core.injector import InjectionContext, Refused
from aegis_rules.reading.facts import Fact, content_left, find_facts, states
from aegis_rules.reading.figures import find_figures, has_quantity
from aegis_rules.reading.passages import Reading, read
from aegis_rules.reading.sentences import Sentence, cut_sentences, n_words
from aegis_rules.reading.sites import heard_parts, said_parts, with_sentence
from aegis_rules.rule import Change, Rule, rule
from aegis_rules.wording.patterns import addressed, say
from aegis_rules.wording.phrases import FIGURES, FINDINGS, KEEP_TO_YOURSELF, ONLY_OUTLINE, WORK_DONE
from aegis_rules.wording.restating import concluding_parts

__all__ = ["RULES"]

_MODE = "FM-2.4"


def _told(patterns: Sequence[str]) -> Callable[[InjectionContext, random.Random], Change | Refused]:
    def tell(context: InjectionContext, rng: random.Random) -> Change | Refused:
        """Add a sentence that tells the agent to keep what it finds to itself."""
        parts = heard_parts(context)
        if isinstance(parts, Refused):
            return parts
        known = [context.task, *(part.text for part in context.parts)]
        quantities = any(
            has_quantity(text) or re.search(r"\bhow (?:many|much|long|far)\b", text, re.I) for text in known
        )
        if not quantities and not any(find_facts(read(text)) for text in known):
            return Refused("neither the task nor the input holds figures or facts that could be kept back")
        what = FIGURES if quantities else FINDINGS
        pattern = rng.choice(patterns).replace("{what}", what)
        sentence = addressed(rng, say(rng, pattern), context.agent.name)
        placed = with_sentence(context, parts, sentence, rng)
        return placed if isinstance(placed, Refused) else Change(placed, {"added": sentence})

    return tell


def _cut_findings(context: InjectionContext, _rng: random.Random) -> Change | Refused:
    """Take out every sentence that says what the message concludes."""
    concluding = concluding_parts(context)
    if isinstance(concluding, Refused):
        return concluding
    one = concluding[-1].places[-1]
    own = {(c.part.id, place.passage, place.sentence.start) for c in concluding for place in c.places if place.sentence}
    leaves = {
        (c.part.id, n)
        for c in concluding
        for place in c.places
        for n in _leaf_places(place.passage, place.places, place.sentence)
    }

    def holds(part: Part, fact: Fact) -> bool:
        if fact.sentence is None:
            return (part.id, fact.passage) in leaves or states(fact.text, one)
        place = (part.id, fact.passage, fact.sentence.start)
        return place in own or (part.id, fact.passage) in leaves or states(fact.text, one)

    return _without(context, holds)


def _leaf_places(passage: int, places: tuple[int, ...], sentence: Sentence | None) -> tuple[int, ...]:
    return () if sentence else (places or (passage,))


def _cut_facts(context: InjectionContext, _rng: random.Random) -> Change | Refused:
    """Take out all sentences that hold quantities or facts."""
    facts = _facts(context)
    if isinstance(facts, Refused):
        return facts
    return _without(context, _among(facts))


def _cut_key_fact(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Take out one fact, wherever it is said, of a message that hands facts on."""
    facts = _facts(context)
    if isinstance(facts, Refused):
        return facts
    concluding = concluding_parts(context)
    if not isinstance(concluding, Refused) and concluding[-1].places[-1].rank >= 2:
        return Refused("the message states its conclusion, so that a single fact would not be missed")
    every = [fact for own in facts.values() for fact in own]
    if len({fact.text for fact in every}) < 2:
        return Refused("the message holds no more than one fact")
    counted = [fact for fact in every if set(fact.figures)]
    chosen = rng.choice(counted or every)
    rare = sorted(set(chosen.figures), key=lambda value: sum(value in fact.figures for fact in every))[:1]

    def holds(_part: Part, fact: Fact) -> bool:
        return fact.text == chosen.text or bool(set(rare) & set(fact.figures) and len(every) > 2)

    return _without(context, holds)


def _say_done(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Put a plain word that the work is done in the place of the facts."""
    facts = _facts(context)
    if isinstance(facts, Refused):
        return facts
    prose = [part for part in _said(context) if any(fact.sentence for fact in facts[part.id])]
    if not prose:
        return Refused("the facts are not stated in sentences")
    status = say(rng, rng.choice(WORK_DONE))
    return _without(context, _among(facts), instead={prose[-1].id: status})


def _among(facts: dict[str, tuple[Fact, ...]]) -> Callable[[Part, Fact], bool]:
    known = {(part_id, fact.place) for part_id, own in facts.items() for fact in own}
    return lambda part, fact: (part.id, fact.place) in known


def _said(context: InjectionContext) -> tuple[Part, ...]:
    parts = said_parts(context)
    return () if isinstance(parts, Refused) else parts


def _facts(context: InjectionContext) -> dict[str, tuple[Fact, ...]] | Refused:
    """The facts of what the agent says, by part id, with the sentences of its conclusion."""
    parts = said_parts(context)
    if isinstance(parts, Refused):
        return parts
    found = {part.id: find_facts(read(part.text)) for part in parts}
    if not any(found.values()):
        return Refused("the text holds no quantities and no facts about named things")
    return found


def _without(
    context: InjectionContext, holds: Callable[[Part, Fact], bool], instead: dict[str, str] | None = None
) -> Change | Refused:
    """The output without these facts, in all parts; refused if they stand elsewhere too or if nothing is left."""
    instead = instead or {}
    texts: dict[str, str] = {}
    lost: set[str] = set()
    for part in _said(context):
        reading = read(part.text)
        cut = [fact for fact in (*find_facts(reading), *_bare(reading)) if holds(part, fact)]
        if not cut:
            continue
        lost |= {fact.text for fact in cut}
        text = _cut(reading, cut, instead.get(part.id, ""))
        if part.id not in instead and not content_left(text) and not reading.document.is_json:
            return Refused("nothing but the facts stands in the text")
        texts[part.id] = text
    if not texts:
        return Refused("no sentence holds what could be withheld")
    if _stands_elsewhere(context, texts, lost):
        return Refused("what would be withheld also stands in a part that can't be edited")
    return Change(texts, {"withheld": [*sorted(lost)]})


def _bare(reading: Reading) -> list[Fact]:
    """Sentences and leaves that are no facts by their words but may be the conclusion."""
    known = {fact.place for fact in find_facts(reading)}
    return [
        Fact(position, sentence, sentence.text)
        for position, sentence in reading.all()
        if (position, sentence.start) not in known and not sentence.text.endswith("?") and sentence.kind != "heading"
    ]


def _cut(reading: Reading, facts: Sequence[Fact], instead: str) -> str:
    texts: dict[int, str | None] = {}
    for position in dict.fromkeys(fact.passage for fact in facts):
        sentences = [fact.sentence for fact in facts if fact.passage == position and fact.sentence]
        passage = reading.passages[position]
        if passage.kind == "number":
            texts[position] = None
            continue
        prose = passage.kind == "prose" or n_words(passage.text) > 8
        texts[position] = cut_sentences(passage.text, sentences, instead if prose else "")
        instead = "" if prose else instead
    return reading.document.write(texts)


def _stands_elsewhere(context: InjectionContext, texts: dict[str, str], lost: set[str]) -> bool:
    values = {figure.value for text in lost for figure in find_figures(text)}
    for part in context.parts:
        if part.id in texts or part.kind in ("tool_call", "tool_result"):
            continue
        if part.text.strip() in lost or values & {figure.value for figure in find_figures(part.text)}:
            return True
    return False


RULES: tuple[Rule, ...] = (
    rule(_MODE, "prompt_injection", "told_to_reserve",
         "the agent is told not to pass its figures or findings on", _told(KEEP_TO_YOURSELF)),
    rule(_MODE, "prompt_injection", "told_to_outline",
         "the agent is told to describe how it went about it and leave the figures out", _told(ONLY_OUTLINE)),
    rule(_MODE, "response_corruption", "findings_cut",
         "every sentence that says what the message concludes is gone", _cut_findings),
    rule(_MODE, "response_corruption", "facts_cut",
         "every sentence with quantities or facts is gone", _cut_facts),
    rule(_MODE, "response_corruption", "key_fact_cut",
         "one of several facts is gone from a message that hands facts on", _cut_key_fact),
    rule(_MODE, "response_corruption", "status_only",
         "in place of the facts it only says that the work is done", _say_done),
)  # fmt: skip
