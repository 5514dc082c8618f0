"""The four verdicts of a report: their words go by limits that the reference states, and doubts keep them from being good."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string

from evaluation.analysis.reliability.verdicts import CARE, GOOD, LINES, NOT_KNOWN, WEAK, Verdict, verdicts
from evaluation.analysis.reliability.views import FEW, _few
from evaluation.analysis.reliability.words import ALL_EQUAL
from evaluation.boards.table import is_well_judged

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "reliability.md"


def report(judged: float = 1.0, team: float = 1.0, topic: float = 1.0, halves: float = 1.0, **more: Any) -> Any:
    """The parts of a report that verdicts read, without a doubt."""
    return {
        "judged": [{"run": "a", "first_10": 1.0}, {"run": "b", "first_10": judged}, {"run": "c", "first_10": None}],
        "without_unique_documents": [{"team": "north", "tau": team}, {"team": "south", "tau": None}],
        "without_a_topic": [{"topic": "7", "tau": 1.0}, {"topic": "12", "tau": topic}],
        "split_half": {"mean": halves},
        "topics": 50,
        "runs": ["a", "b", "c", "d", "e"],
        "depth_from": "pool",
        "is_exact": True,
        "not_pooled": [],
        "reasons": {},
        **more,
    }


def by_part(data: Any) -> dict[str, Verdict]:
    return {one.part: one for one in verdicts(data)}


@pytest.mark.parametrize(
    ("part", "argument", "good", "weak"),
    [("judged", "judged", 0.8, 0.5), ("teams", "team", 0.9, 0.8), ("topics", "topic", 0.9, 0.8), ("halves", "halves", 0.8, 0.6)],
)  # fmt: skip
def test_words_change_at_their_limits_and_say_them(part: str, argument: str, good: float, weak: float) -> None:
    for value, word in ((good, GOOD), (good - 0.001, CARE), (weak, CARE), (weak - 0.001, WEAK), (0.0, WEAK)):
        found = by_part(report(**{argument: value}))
        assert found[part].word == word, value
        written = f"{100 * value:.1f} %" if part == "judged" else f"τ {value:.3f}"
        assert written in found[part].said
        assert {one.word for name, one in found.items() if name != part} == {GOOD}
    limits = (f"{100 * one:.0f} %" if part == "judged" else f"τ {one:.1f}" for one in (good, weak))
    assert found[part].limits == "Good from {}, weak below {}.".format(*limits)


def test_the_reference_states_the_limits() -> None:
    rows = re.findall(r"\| (.+?) \| .+? \| (.+?) \| (.+?) \|", REFERENCE.read_text().split("**Four verdicts.**")[1])
    stated = {title: (good, weak) for title, good, weak in rows}
    for part, title, _, limits, _ in LINES:
        written = (f"{100 * one:.0f} %" if part == "judged" else f"{one:.1f}"[1:] for one in (limits.good, limits.weak))
        assert stated[title] == tuple(written)


@pytest.mark.parametrize(
    ("doubt", "said"),
    [
        ({"is_exact": False}, "Without the team more documents than these would be missing"),
        ({"not_pooled": ["c"]}, "1 run was not pooled"),
        ({"is_exact": False, "is_redrawn": True, "without_unique_documents": [{"team": "a", "tau": 1.0, "never_judged": 3}]},
         "A pool without one team has up to 3 documents that nobody judged"),
    ],
)  # fmt: skip
def test_a_high_tau_without_a_team_that_is_no_evidence_is_not_called_good(doubt: Any, said: str) -> None:
    found = by_part(report(**doubt))["teams"]
    assert (found.word, said in found.said) == (CARE, True)
    assert by_part(report(team=0.1, is_exact=False))["teams"].word == WEAK


def test_a_pool_that_was_drawn_again_and_judged_is_good_evidence() -> None:
    rows = [{"team": "a", "tau": 1.0, "never_judged": 0}]
    assert by_part(report(is_exact=False, is_redrawn=True, without_unique_documents=rows))["teams"].word == GOOD


@pytest.mark.parametrize(
    ("few", "said"),
    [
        ({"topics": 9}, "9 topics can show little: 10 or more are needed."),
        ({"runs": ["a", "b"]}, "2 runs can show little: 5 or more are needed."),
    ],
)
def test_few_topics_or_runs_show_little_by_their_order(few: Any, said: str) -> None:
    found = by_part(report(**few))
    assert [found[part].word for part in ("judged", "teams", "topics", "halves")] == [GOOD, CARE, CARE, CARE]
    assert all(said in found[part].said for part in ("teams", "topics", "halves"))


def test_a_word_goes_by_the_figure_as_it_is_written() -> None:
    for share, word, written in ((0.7996, GOOD, "80.0 %"), (0.7994, CARE, "79.9 %"), (0.4996, CARE, "50.0 %")):
        found = by_part(report(judged=share))["judged"]
        assert (found.word, written in found.said) == (word, True)
    assert is_well_judged(0.7996)
    assert not is_well_judged(0.7994)


def test_what_is_not_known_says_why() -> None:
    missing = report(split_half=None, without_a_topic=None, reasons={"split_half": "One.", "without_a_topic": "Two."})
    del missing["depth_from"]
    missing["judged"] = missing["judged"][2:]
    found = by_part(missing)
    assert {one.word for one in found.values()} == {NOT_KNOWN}
    assert (found["halves"].said, found["topics"].said) == ("One.", "Two.")
    assert found["teams"].said.startswith("Version 1.0")
    equal = report()
    equal["without_a_topic"] = [{"topic": "1", "tau": None}]
    assert by_part(equal)["topics"].said == ALL_EQUAL


def test_verdicts_are_told_in_words_and_hostile_names_stay_text() -> None:
    hostile = deepcopy(report(team=0.85))
    hostile["without_unique_documents"][0]["team"] = "<script>"
    shown = render_to_string("evaluation/analysis/reliability/_verdicts.html", {"verdicts": verdicts(hostile)})
    assert "without team &lt;script&gt;" in shown
    assert re.findall(r"</svg>\s*(\w+)", shown) == [GOOD, CARE, GOOD, GOOD]
    assert re.findall(r'href="#reliability-(\w+)"', shown) == ["judged", "teams", "topics", "halves"]


def test_topics_that_tell_little_are_in_natural_order() -> None:
    few = {"none": ["10", "9", "q2"], "one_or_two": [], "below_five": []}
    nearly_all = [{"topic": "100"}, {"topic": "20"}]
    found = _few({"topics_with_few_relevant": few, "topics_nearly_all_relevant": nearly_all})
    assert found["by_count"][0] == (FEW[0][1], ["9", "10", "q2"])
    assert [row["topic"] for row in found["nearly_all"]] == ["20", "100"]
