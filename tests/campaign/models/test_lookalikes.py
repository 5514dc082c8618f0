from collections.abc import Callable

import pytest

from campaign.models.lookalikes import HIDDEN, MIXED, TOWERS, folded, name_problem, plain_address, skeleton, tidy


@pytest.mark.parametrize(
    "other",
    [
        "ALBA",
        "\u0410lba",  # Cyrillic A
        "\u0410\u04cf\u042c\u0430",  # Cyrillic from end to end
        "\u0391lb\u03b1",  # Greek Alpha and alpha
        "Al\u200bba",  # zero-width space
        "\ufeffAlba",
        "Alb\u00ada",  # soft hyphen
        "\u202eAlba",  # right to left
        "\uff21\uff4c\uff42\uff41",  # full width
        "\U0001d400lba",  # mathematical bold
        " Alba ",
    ],
)
def test_names_that_look_alike_have_one_skeleton(other: str) -> None:
    assert skeleton(other) == skeleton("Alba")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bm25-l1", "bm25-11"),
        ("bm25-l1", "bm25-ll"),
        ("run-0", "run-O"),
        ("run1", "run2"),
        ("Müller", "Muller"),
        ("a-b", "a_b"),
    ],
)
def test_names_that_can_be_told_apart_have_two(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    "name",
    [
        "Alba",
        "L'Équipe 7",
        "Команда",
        "Ομάδα Α",
        "東京チーム",
        "서울",
        "فريق",
        "टीम",
        "Nguyễn",
        "Ł-Team",
        "Москва Lab",
        "bm25_k1.2-b0.75",
    ],
)
def test_names_of_any_language_are_fine(name: str) -> None:
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Al\u200bba", HIDDEN),
        ("Al\u202eba", HIDDEN),
        ("Al\x00ba", HIDDEN),
        ("Al\u3164ba", HIDDEN),
        ("Alba\ufe0f", HIDDEN),
        ("\ud800", HIDDEN),
        ("P\u0430ul", MIXED.format(word="P\u0430ul")),
        ("Team \u0391lba", MIXED.format(word="\u0391lba")),
        ("a" + "\u0301" * 9, TOWERS),
    ],
)
def test_a_name_that_misleads_is_refused_with_what_to_do(name: str, problem: str) -> None:
    assert name_problem(name) == problem


def test_a_tidy_name_is_tidy() -> None:
    for name in (" Ａlba  Lab ", "ﬁne", "½", "e\u0301"):
        assert tidy(tidy(name)) == tidy(name)
        assert skeleton(tidy(name)) == skeleton(name)


@pytest.mark.parametrize("form", [tidy, folded, plain_address, skeleton])
def test_a_megabyte_of_accents_is_not_brought_into_order(form: Callable[[str], str]) -> None:
    """By the square of their number: it took a process a quarter of an hour, and anybody may send them."""
    assert len(form("a" + "\u0301\u0316" * 500_000)) <= 2_000
