"""The four verdicts of a report: their words go by limits that the reference states, and doubts keep them from being good."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string

from evaluation.analysis.reliability.verdicts import (
    CARE,
    GOOD,
    LINES,
    NOT_KNOWN,
    WEAK,
    Verdict,
    on_new_systems,
    verdicts,
)
from evaluation.analysis.reliability.views import FEW, _few
from evaluation.analysis.reliability.words import ALL_EQUAL
from evaluation.boards.table import is_well_judged

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "reliability.md"


def report(judged: float = 1.0, team: float = 1.0, topic: float = 1.0, halves: float = 1.0, **more: Any) -> Any:
    """The parts of a report that verdicts read, without a doubt."""
    return {
        "judged": [{"run": "a", "first_10": 1.0}, {"run": "b", "first_10": judged}, {"run": "c", "first_10": None}],
        "without_unique_documents": [
            {"team": "north", "tau": team, "largest_fall": 2},
            {"team": "south", "tau": None, "largest_fall": 0},
        ],
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
    shown = render_to_string(
        "evaluation/analysis/reliability/_verdicts.html",
        {"verdicts": verdicts(hostile), "on_new_systems": on_new_systems(hostile)},
    )
    assert "without team &lt;script&gt;" in shown
    assert re.findall(r"</svg>\s*(\w+)", shown) == [CARE, GOOD, CARE, GOOD, GOOD]
    assert re.findall(r'href="#reliability-(\w+)"', shown) == ["judged", "teams", "topics", "halves"]


FIGURES = "without the documents of one team τ is {} at worst, and a run falls 2 ranks at most"
ALL = "all of the first 10 documents"
LIKE = "like the systems that were left out: " + FIGURES + "; of each run {} are judged; "


@pytest.mark.parametrize(
    ("figures", "word", "said"),
    [
        ({}, GOOD, "Yes, if it is " + LIKE.format("1.000", ALL)),
        (
            {"team": 0.9, "judged": 0.8},
            GOOD,
            "Yes, if it is " + LIKE.format("0.900", "80.0 % of the first 10 documents or more"),
        ),
        ({"team": 0.899}, CARE, "With care, and only if it is " + LIKE.format("0.899", ALL)),
        (
            {"judged": 0.799},
            CARE,
            "With care, and only if it is " + LIKE.format("1.000", "79.9 % of the first 10 documents or more"),
        ),
        ({"team": 0.799}, WEAK, f"Not without further judgments: {FIGURES.format('0.799')}."),
        (
            {"judged": 0.499},
            WEAK,
            "Not without further judgments: even of a run of this board 49.9 % of the first 10 documents",
        ),
        ({"topic": 0.1, "halves": 0.1}, GOOD, "Yes, if it is like the systems that were left out"),
        ({"topics": 9}, CARE, "This report does not show that it may: 9 topics can show little"),
        (
            {"team": -1.0, "topics": 2, "runs": ["a", "b"]},
            CARE,
            "This report does not show that it may: 2 topics can show little: 10 or more are needed. 2 runs can show little",
        ),
        ({"judged": 0.1, "runs": ["a", "b"]}, CARE, "This report does not show that it may: 2 runs can show little"),
        ({"judged": 0.9996}, GOOD, "Yes, if it is " + LIKE.format("1.000", f"nearly {ALL}")),
        ({"judged": 0.9994}, GOOD, "Yes, if it is " + LIKE.format("1.000", "99.9 % of the first 10 documents or more")),
        (
            {"is_exact": False},
            CARE,
            "This report does not show that it may: without the team more documents than these",
        ),
        ({"not_pooled": ["c"]}, CARE, "This report does not show that it may: 1 run was not pooled"),
        ({"is_exact": False, "judged": 0.1}, WEAK, "Not without further judgments: even of a run"),
        ({"judged_rows": []}, CARE, "This report does not show that it may: no run answers a topic of the qrels."),
        (
            {"without_unique_documents": None, "reasons": {"without_unique_documents": "One team."}},
            NOT_KNOWN,
            "Not known: one",
        ),
        ({"without_unique_documents": []}, NOT_KNOWN, "Not known: "),
    ],
)
def test_of_new_systems_no_more_is_told_than_leaving_teams_out_and_the_judged_share_allow(
    figures: Any, word: str, said: str
) -> None:
    rows = figures.pop("judged_rows", None)
    found = on_new_systems(report(**figures) | ({} if rows is None else {"judged": rows}))
    assert found.word == word
    assert found.said.startswith(said)
    assert found.said.startswith(("Yes", "With care")) == found.said.endswith(
        "of systems unlike all of these the report tells nothing."
    )


def test_a_low_tau_of_pools_that_nobody_judged_is_no_evidence_against_new_systems_either() -> None:
    rows = [{"team": "a", "tau": 0.3, "largest_fall": 4, "never_judged": 30}]
    found = on_new_systems(report(is_exact=False, is_redrawn=True, without_unique_documents=rows))
    assert (found.word, "up to 30 documents that nobody judged" in found.said) == (CARE, True)


def test_topics_that_tell_little_are_in_natural_order() -> None:
    few = {"none": ["10", "9", "q2"], "one_or_two": [], "below_five": []}
    nearly_all = [{"topic": "100"}, {"topic": "20"}]
    found = _few({"topics_with_few_relevant": few, "topics_nearly_all_relevant": nearly_all})
    assert found["by_count"][0] == (FEW[0][1], ["9", "10", "q2"])
    assert [row["topic"] for row in found["nearly_all"]] == ["20", "100"]
