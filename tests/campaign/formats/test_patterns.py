"""Patterns of organisers end on every text, and mean the same to the site and to the check script."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from campaign.formats.patterns import PatternError, is_quick_to_backtrack, matches_whole, pattern_problem

USUAL = [
    r"clueweb22-[a-z]{2}\d{4}-\d{2}-\d{5}",
    r"(?:FT|LA)\d{3}-\d+",
    r"(?:\d{3}-)*\d+",
    r"[A-Z]+-[a-z]+-\d+(?:\.txt)?",
    r"(?:[a-z]+-){1,3}x",
    r"[^]()|*+]+\(\d\)",
    r"(?i)doc-[a-f0-9]{8}",
    ".*",
]
SLOW_TO_BACKTRACK = [
    r"(a+)+",
    r"(a|ab)*c",
    r"(?:[a-z]+-?)*",
    "a*a*a*a*a*",
    "(?:aa|a)" * 30,
    "(?:a{0,4}){4}" * 3,
    "a*a*a*a*b",
]
NOT_SUPPORTED = [
    "[",
    r"(a)\1",
    "a*(?=b)b",
    "(?<=a)b",
    "(?P<x>a)(?P=x)",
    "a{,5}",
    "[[:alpha:]]",
    r"\Qa",
    "\ud800",
    "x{5000}",
]
CHARACTERS = ["a", "b", "-", ".", "é", r"\d", r"\w", r"\W", r"\s", r"\.", "[ab]", "[^a]", "[a-c]", "{"]
STRUCTURE = ["(", ")", "(?:", "(?i)", "(?i:", "|", "*", "+", "?", "*?", "{2}", "{1,3}", r"\b", "^", "$"]
pieces = st.sampled_from([*CHARACTERS, *STRUCTURE])
patterns = st.lists(pieces, max_size=12).map("".join)
texts = st.text(alphabet="ab1-.A_é{ ", max_size=8)


@pytest.mark.parametrize("pattern", [*USUAL, *SLOW_TO_BACKTRACK])
def test_a_pattern_that_can_be_matched_without_going_back_may_be_used(pattern):
    assert pattern_problem(pattern) == ""


@pytest.mark.parametrize("pattern", NOT_SUPPORTED)
def test_another_pattern_is_refused_with_a_reason(pattern):
    assert pattern_problem(pattern).endswith(".")
    with pytest.raises(PatternError):
        matches_whole(pattern, "a")


@pytest.mark.parametrize("pattern", SLOW_TO_BACKTRACK)
def test_a_text_on_which_backtracking_would_never_end_is_matched_at_once(pattern):
    assert not matches_whole(pattern, "a" * 5000 + "!")
    assert not is_quick_to_backtrack(pattern)


@pytest.mark.parametrize("pattern", USUAL[:3])
def test_the_usual_patterns_are_quick_in_every_engine(pattern):
    assert is_quick_to_backtrack(pattern)


@given(patterns, texts)
def test_site_and_check_script_read_a_pattern_in_the_same_way(pattern, text):
    assume(not pattern_problem(pattern) and is_quick_to_backtrack(pattern))
    assert matches_whole(pattern, text) == (re.fullmatch(pattern, text, re.ASCII) is not None)
