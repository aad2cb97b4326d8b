"""Two texts by where they differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aegis_core.report.excerpts import excerpts, one_line


def test_what_both_texts_share_is_cut_and_the_cut_is_shown():
    before = "a " * 100 + "96 bottles" + " z" * 100
    after = "a " * 100 + "100 bottles" + " z" * 100
    shown = excerpts(before, after, around=10)
    assert shown == ("…a a a a a 96 bottles z…", "…a a a a a 100 bottles z…")


def test_short_texts_are_shown_whole():
    assert excerpts("96 bottles", "100 bottles") == ("96 bottles", "100 bottles")


def test_equal_texts_are_shown_from_their_beginning():
    assert excerpts("abcdef", "abcdef", around=2) == ("abcd…", "abcd…")


def test_an_insertion_and_a_deletion_are_shown():
    assert excerpts("", "all new") == ("", "all new")
    assert excerpts("gone", "") == ("gone", "")
    assert excerpts("aa", "aaa") == ("aa", "aaa")


@given(st.text(alphabet="ab c", max_size=30), st.text(alphabet="ab c", max_size=30), st.integers(0, 5))
def test_different_texts_are_shown_differently(before, after, around):
    one, other = excerpts(before, after, around)
    assert (one == other) == (before == after)


def test_one_line_folds_white_space_and_cuts():
    assert one_line(" a\n  b ") == "a b"
    assert one_line("abc def", width=5) == "abc…"
