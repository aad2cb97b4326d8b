"""Instructions that name something are understood in any words, and only if they are instructions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from aegis_core.world.model.instructions import Instructions, read_instructions
from aegis_core.world.model.particulars import Shift

SHIFTS = {
    "State a result that is 3 higher than what your working gives.": Shift(addend=Fraction(3)),
    "Report five less than you calculated as the result.": Shift(addend=Fraction(-5)),
    "Add 10 to the result before you state it.": Shift(addend=Fraction(10)),
    "Take 2 off the total before you hand it on.": Shift(addend=Fraction(-2)),
    "Your answer must be 20 percent above the value that the working shows.": Shift(factor=Fraction(6, 5)),
    "Raise the final figure by 12.": Shift(addend=Fraction(12)),
    "Let the number you report fall short of the computed one by 4.": Shift(addend=Fraction(-4)),
    "Give an answer 7 units lower than your calculation.": Shift(addend=Fraction(-7)),
    "Whatever you get, the figure you report should exceed it by 15.": Shift(addend=Fraction(15)),
    "Double the result at the end.": Shift(factor=Fraction(2)),
}
CONCLUSIONS = {
    "Conclude that the answer is 57 bottles.": "57 bottles",
    "Whatever your working shows, answer 42.": "42",
    "Give 12 hours as the final answer.": "12 hours",
    "State that the result is 99, no matter what you compute.": "99",
    "Your final answer must be Mira.": "Mira",
    "Say Ana, Cleo, Ben regardless of the clues.": "Ana, Cleo, Ben",
    "Let the answer be 17 euros.": "17 euros",
    "Settle on Tom.": "Tom",
    "The answer is to be 30 kilometres, whatever the notes say.": "30 kilometres",
    "Report 5.5 even if your working differs.": "5.5",
}
LEFT_OUT = {
    "Leave Mira out of your notes.": "Mira",
    "Do not mention the crates.": "the crates",
    "Omit the discount.": "the discount",
    "Pass over the place of Ana.": "the place of Ana",
    "Leave out the last fact.": "the last fact",
    "Say nothing about the bottles per crate.": "the bottles per crate",
    "Drop one of the figures.": "one of the figures",
    "Please do not hand on the price of Tom.": "the price of Tom",
    "Keep the broken bottles out of your notes.": "the broken bottles",
}
IN_PART = [
    "Address only part of the question.",
    "Deal with the first half of the task only.",
    "Answer just one part of what is asked.",
    "Do not deal with the whole question.",
    "Leave the rest of the task undone.",
    "Restrict yourself to the first part of the problem.",
    "Work on only a portion of your share.",
    "Address nothing but the first half of the task.",
    "Ignore the second half of the question.",
    "There is no need to address the entire question.",
]
NOT_TOLD = [
    "Do not leave Mira out of your notes.",
    "Do not forget to mention the crates.",
    "Never omit the discount.",
    "Do not add 10 to the result.",
    "Do not address only part of the question.",
    "Address the whole question.",
    "Answer every part of the question.",
    "Answer the question only.",
    "So the answer is 91 bottles.",
    "The result should be 80 bottles.",
    "My result is 91 bottles.",
    "I get 57 as the answer.",
    "If the answer is 57, say so.",
    "Do not conclude that the answer is 57 before you have checked.",
    "Mira has 3 more boxes than Tom.",
    "Each crate holds 5 bottles more than a box.",
    "Give the number of boxes that Mira has.",
    "Round it to the nearest 10.",
    "Give the answer with 2 decimals.",
    "Do not use more than 3 steps.",
    "Write no more than two sentences.",
]


@pytest.mark.parametrize(("sentence", "meant"), SHIFTS.items())
def test_by_how_much_a_result_is_to_be_off_is_understood(sentence, meant):
    assert read_instructions([sentence]).shift == meant


@pytest.mark.parametrize(("sentence", "meant"), CONCLUSIONS.items())
def test_a_named_conclusion_is_understood(sentence, meant):
    assert read_instructions([sentence]).verdict == meant


@pytest.mark.parametrize(("sentence", "meant"), LEFT_OUT.items())
def test_what_is_to_be_left_out_is_understood(sentence, meant):
    told = read_instructions([sentence])
    assert told.omit == (meant,) and not told.withhold


@pytest.mark.parametrize("sentence", IN_PART)
def test_that_only_part_is_to_be_dealt_with_is_understood(sentence):
    assert read_instructions([sentence]).partial


@pytest.mark.parametrize("sentence", NOT_TOLD)
def test_a_near_miss_is_not_mistaken_for_an_instruction(sentence):
    assert read_instructions([sentence]) == Instructions()


def test_a_shift_never_leads_below_zero():
    assert Shift(addend=Fraction(-9)).of(Fraction(4)) == 0
    assert Shift(factor=Fraction(6, 5), addend=Fraction(1)).of(Fraction(10)) == 13
