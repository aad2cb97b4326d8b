"""What is said beside the point. No phrase holds a figure, a name, a request or a verdict: a test reads them all."""

from __future__ import annotations

__all__ = ["HEADS", "SAID"]

HEADS: dict[str, tuple[str, ...]] = {
    "question": ("Question", "Task", "What is asked", "Goal"),
    "facts": ("Given", "Facts", "Notes", "What we know"),
    "found": ("Findings", "Notes", "What the text says", "Collected facts"),
    "shares": ("Who does what", "Assignments", "Work packages", "Distribution"),
    "steps": ("Steps", "How we go about it", "Procedure", "Order of work"),
    "method": ("Approach", "Method", "How I went about it", "Idea"),
    "working": ("Working", "Calculation", "Step by step", "Derivation"),
    "conclusion": ("Conclusion", "Outcome", "In short", "Bottom line"),
    "review": ("Review", "Assessment", "Comparison", "My own working"),
    "points": ("Checklist", "Points", "What I looked at", "Requirements"),
    "verdict": ("Verdict", "Judgement", "Decision", "Assessment"),
    "votes": ("What came in", "Contributions", "Comparison", "Overview"),
    "state": ("State of play", "Where we are", "Status", "Progress"),
    "next": ("Next", "Next step", "Up next", "Hand-over"),
}
"""Headings by topic."""

SAID: dict[str, tuple[str, ...]] = {
    "greeting": (
        "Hello everyone.",
        "Thanks, I have read all of this.",
        "Alright, my turn.",
        "Good, thanks for handing this over.",
        "Okay, I am on it.",
        "Thank you for the input so far.",
        "Sure, happy to take this on.",
        "Great, that is clear to me.",
    ),
    "parting": (
        "I hope this helps.",
        "Happy to go into more depth.",
        "That was my part of it.",
        "Thanks, everyone.",
        "Back to you.",
        "I am here in case anything is unclear.",
        "Good work so far, I think.",
        "Over to the others.",
    ),
    "hedge": (
        "As far as I can tell: ",
        "Unless I have overlooked something: ",
        "I am fairly confident here. ",
        "With the usual caution: ",
        "To the best of my knowledge: ",
        "I believe this holds. ",
    ),
    "planning": (
        (
            "The idea is to separate the collecting of facts from the computing, so that each of us can concentrate on "
            "one thing and nothing is done twice."
        ),
        (
            "Before anything is computed, the facts have to lie on the table; who computes relies on them and does not "
            "go back to the text."
        ),
        "I have gone through the text and sorted out which facts bear on the question; some of it may be decoration.",
        "The problem looks harmless at first sight, but small details decide about the outcome, so care pays off.",
        "This can be broken down into a few manageable pieces, each of which one of us can do alone.",
    ),
    "reasons": (
        "This way every fact has one owner, and gaps show early.",
        "The shares are about equal in size.",
        "I have kept together what belongs together.",
        "What is listed here is what the text seems to be about.",
        "With this, each fact travels from the text to the computation in one hop.",
    ),
    "searching": (
        "To begin with, I went through the text from top to bottom and marked every passage that belongs to my share.",
        "I read the material twice, once for an overview and once for the details of my part.",
        "I looked at the passages that my part of the plan speaks of, one after the other.",
        "My approach was to go through the material sentence by sentence and to copy what bears on my share.",
        "In what follows, each entry is as it stands in the material, without any interpretation of mine.",
    ),
    "searched": (
        "Everything above is taken from the material as it stands; I have added nothing of my own.",
        "That covers my share as I understand it.",
        "I have not computed with any of this, as that is somebody else's job.",
        "These are the passages that looked relevant to me.",
        "Beyond this, the material has some remarks that seem beside the point.",
    ),
    "method": (
        (
            "My approach is to start from what is given and to follow the relations between the facts until I "
            "reach what is asked for."
        ),
        "I take the facts one after the other and combine them in the order in which they depend on each other.",
        "To keep this readable, I write down every intermediate stage.",
        "The notes give all the pieces; what remains is to put them together in a sensible order.",
        "I will first put the facts side by side and then work through them.",
        "There is more than one way to go about this; I chose the most direct one.",
    ),
    "controlled": (
        "Looking back over the stages, the units fit together and the magnitude is plausible.",
        "Each stage builds on the one before it, and every fact of the notes that bears on the question has its place.",
        "The magnitude is about what I would have guessed beforehand.",
        "I went along the chain from front to back, and it hangs together.",
        "Nothing in the notes speaks against it.",
    ),
    "reviewing": (
        "I took the notes as they are and worked through the question from the beginning, before looking at the draft.",
        "For this review I made my own computation from the notes and put it next to the draft.",
        "My way of going about this: first my own computation, then the comparison.",
        "I read the draft line by line with the notes next to it.",
        "To be independent of the draft, I began with the notes.",
    ),
    "verifying": (
        "I hold the draft against what the task demands: form, unit, completeness, and the facts that it builds on.",
        "My job is to see whether the draft meets the demands; the computation itself is somebody else's business.",
        "I went through the demands one by one and compared the draft with the notes.",
        "Each demand of the task gets one line below.",
        "What follows is about the demands only, not about the arithmetic.",
    ),
    "merging": (
        "I put the contributions side by side and looked at where they agree.",
        "All contributions are in; here is how they compare.",
        "I read every contribution to the end before comparing.",
        "The contributions overlap in large parts, so I list them briefly.",
        "Below is the overview on which my choice rests.",
    ),
    "leading": (
        "Let me sum up where we stand before I hand over.",
        "I have read everything that came in so far.",
        "Here is how I see the state of the work.",
        "We are moving along well.",
        "One thing after the other, so that nobody waits for nothing.",
    ),
    "summary": (
        "The team has gone through the task as planned.",
        "Everyone has contributed, and the work is complete.",
        "Here is what came out of our work.",
        "After planning, collecting and computing, this is where we stand.",
        "Below is what the team agreed upon.",
    ),
}
"""Phrases by kind."""
