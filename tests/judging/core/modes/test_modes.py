"""What holds of every mode, and what each does with answers, grades and files of qrels."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign import modes
from campaign.formats.problems import ProblemLog
from judging.core.modes import grades, subtopic
from judging.core.modes.declaration import (
    ACTS_SCHEMA,
    Acts,
    Answers,
    CheckedAct,
    JudgedTopic,
    JudgingMode,
    RefusedActError,
    Step,
    SubtopicText,
)
from judging.core.modes.registry import MODES, answers_in, judging_mode
from judging.core.resolution import POLICIES
from tests.judging.core.modes import sureness

START = datetime(2026, 1, 1, tzinfo=UTC)
EVERY_MODE = pytest.mark.parametrize("mode", [*MODES.values(), sureness.MODE], ids=lambda mode: mode.name)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "z"]) | st.text(), inner),
    max_leaves=6,
)


def topic_of(mode: JudgingMode, *subtopics: str) -> JudgedTopic:
    steps = tuple(Step(step["value"], step["label"], step.get("key", str(step["value"]))) for step in mode.mode.scale)
    return JudgedTopic("401", steps, tuple(SubtopicText(number, f"aspect {number}") for number in subtopics))


def acts(*rows: tuple[str, int | None, dict[str, Any]]) -> Acts:
    table = [("401", docno, grade, 1, START + timedelta(minutes=n), n) for n, (docno, grade, _) in enumerate(rows)]
    return Acts(pl.DataFrame(table, schema=ACTS_SCHEMA, orient="row"), [details for _, _, details in rows])


def test_campaign_knows_every_mode_of_the_registry() -> None:
    assert {name: mode.mode for name, mode in MODES.items()} == modes.MODES


def test_a_mode_that_campaign_does_not_know_is_an_error_in_words() -> None:
    with pytest.raises(modes.UnknownModeError, match="no judging mode “sorted”"):
        judging_mode("sorted")


@EVERY_MODE
def test_the_usual_kind_of_qrels_comes_first_and_needs_no_option(mode: JudgingMode) -> None:
    assert mode.file_with("") is mode.files[0]
    assert mode.file_with("no such option") is None


def outcome_of(mode: JudgingMode, grade: int | None, answers: Answers, topic: JudgedTopic) -> CheckedAct | str:
    """The checked act, or the words in which it is refused."""
    try:
        return mode.check(grade, answers, topic)
    except RefusedActError as refusal:
        return str(refusal)


@EVERY_MODE
@given(grade=st.none() | st.integers(-2, 101), data=st.data())
def test_whatever_is_sent_is_refused_in_words_or_stored_and_shown_as_it_was_given(
    mode: JudgingMode, grade: int | None, data: st.DataObject
) -> None:
    names = st.sampled_from(sorted(mode.answers | {"unknown"}))
    answers = data.draw(st.dictionaries(names, json_values, max_size=3))
    topic = topic_of(mode, "a", "b")
    outcome = outcome_of(mode, grade, answers, topic)
    if isinstance(outcome, str):
        assert outcome
        return
    assert outcome.grade in topic.grades
    assert "\\u0000" not in json.dumps(dict(outcome.details), allow_nan=False)
    shown = mode.values(outcome.details)
    assert shown.keys() <= mode.answers
    again = outcome_of(mode, outcome.grade, shown, topic)
    assert isinstance(again, CheckedAct)
    assert mode.values(again.details) == shown


@EVERY_MODE
def test_no_key_of_a_mode_means_two_things(mode: JudgingMode) -> None:
    keys = [shortcut.key for shortcut in mode.desk(topic_of(mode, *"abcdefghijklmnopqrstuvwxyz"), {}).shortcuts]
    given_keys = [key for key in keys if key]
    assert len(set(given_keys)) == len(given_keys)


@EVERY_MODE
@pytest.mark.parametrize("policy", POLICIES)
def test_no_act_makes_no_qrels(mode: JudgingMode, policy: str) -> None:
    tables = mode.qrels(acts(), policy)
    assert tables.overall.is_empty()
    assert tables.by_subtopic is None or tables.by_subtopic.is_empty()


def test_of_the_values_that_are_sent_only_those_that_a_mode_reads_are_answers() -> None:
    sent = {"docno": "D1", "grade": 2, "subtopics": ["a"], "seconds": 3, "sureness": 2}
    assert answers_in(sent) == {"subtopics": ["a"]}


def test_a_binary_scale_is_0_and_1() -> None:
    assert grades.BINARY.mode.scale_problem([1, 0]) == ""
    assert "exactly the grades 0 and 1" in grades.BINARY.mode.scale_problem([0, 1, 2])


def test_grades_are_the_colours_of_their_place_on_the_scale() -> None:
    assert [grades.tones(scale) for scale in ([0, 1], [0, 1, 2], [0, 1, 2, 3], [0])] == [
        [0, 3],
        [0, 2, 3],
        [0, 1, 2, 3],
        [0],
    ]


@pytest.mark.parametrize(
    "answers",
    [
        {"subtopic": ["b"]},
        {"subtopics": ["b"]},
        {"subtopics": {"b": 1}},
        {"subtopic": ["b"], "subtopics": {"a": 1}},
        {"subtopic": ["b"], "subtopics": []},
    ],
)
def test_subtopics_are_ticked_at_the_desk_or_sent_as_a_list_or_with_grades(answers: dict[str, Any]) -> None:
    checked = subtopic.check(2, answers, topic_of(subtopic.MODE, "a", "b"))
    assert checked.details == {"a": 0, "b": 1}
    assert subtopic.values(checked.details) == {"subtopic": ["b"]}


def test_a_tick_is_the_lowest_grade_above_0() -> None:
    topic = JudgedTopic("1", (Step(0, "no", "0"), Step(2, "some", "2"), Step(3, "all", "3")), (SubtopicText("a", ""),))
    assert subtopic.check(3, {"subtopic": ["a"]}, topic).details == {"a": 2}
    assert subtopic.covered_grade([0]) == 1


def test_the_desk_of_a_topic_without_subtopics_is_that_of_graded_judging() -> None:
    topic = topic_of(subtopic.MODE)
    assert subtopic.desk(topic, {}) == grades.GRADED.desk(topic, {})


def test_each_subtopic_has_a_letter_and_is_ticked_as_it_was_judged() -> None:
    parts = subtopic.desk(topic_of(subtopic.MODE, "1", "2"), {"1": 0, "2": 3})
    assert [(row["key"], row["covered"]) for row in parts.context["subtopics"]] == [("a", False), ("d", True)]


def test_subtopic_qrels_hold_every_subtopic_of_what_was_graded_and_nothing_of_what_was_not() -> None:
    tables = subtopic.qrels(acts(("D1", 2, {"a": 1, "b": 0}), ("D2", None, {}), ("D1", 0, {"a": 0, "b": 0})), "latest")
    assert tables.by_subtopic is not None
    assert tables.by_subtopic.rows() == [("401", "a", "D1", 0), ("401", "b", "D1", 0)]
    assert tables.overall.rows() == [("401", "D1", 0), ("401", "D2", -2)]


def test_imported_subtopic_qrels_give_a_document_its_best_grade() -> None:
    rows = [("401", "a", "D1", 1), ("401", "b", "D1", 3), ("401", "a", "D2", -1)]
    table = pl.DataFrame(rows, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    tables = subtopic.SUBTOPIC_QRELS.tables(table, frozenset())
    assert sorted(tables.overall.rows()) == [("401", "D1", 3), ("401", "D2", -1)]
    assert tables.by_subtopic is table


def test_imported_subtopics_must_be_those_of_the_topics() -> None:
    rows = [("401", "a", "D1", 1), ("401", "z", "D1", 3), ("401", "z", "D2", 3)]
    problems = ProblemLog()
    table = pl.DataFrame(rows, schema=["topic", "subtopic", "docno", "grade"], orient="row")
    subtopic.SUBTOPIC_QRELS.check(table, frozenset({("401", "a")}), problems)
    assert [problem.message for problem in problems.shown] == ["Topic 401 has no subtopic z (2 lines)."]
    assert problems.errors == 2


@pytest.mark.parametrize("count", [1, 3, 8, 12])
def test_no_subtopic_has_the_same_key_in_every_topic(count: int) -> None:
    topic = topic_of(subtopic.MODE, *(str(number) for number in range(count)))
    parts = subtopic.MODE.desk(topic, {})
    assert [key.key for key in parts.shortcuts if key.does == "the document covers no subtopic"] == ["z"]
    assert parts.context["none_key"] == "z"
    assert [row["key"] for row in parts.context["subtopics"]].count("z") == 0


def test_a_key_that_the_assessor_has_chosen_is_not_taken_for_no_subtopic() -> None:
    topic = replace(topic_of(subtopic.MODE, "1", "2"), own_keys=frozenset({"z"}))
    assert subtopic.MODE.desk(topic, {}).context["none_key"] != "z"
