"""PURE: one grade for each document, and the subtopics that it covers, as in the web and diversity tracks."""

from collections.abc import Collection
from typing import Any, Final

import polars as pl

from campaign.formats.problems import ProblemLog, visible
from campaign.formats.qrels.layouts import NO_SUBTOPIC
from campaign.formats.qrels.table import QRELS_SCHEMA
from campaign.modes import Mode
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from judging.core.grade_reading import read_grade
from judging.core.keyboard_shortcuts import letters_for
from judging.core.modes import grades
from judging.core.modes.declaration import (
    Acts,
    Answers,
    CheckedAct,
    Contradiction,
    DeskParts,
    Details,
    JudgedTopic,
    JudgingMode,
    QrelsFile,
    QrelsTables,
    RefusedActError,
    Shortcut,
    Subtopics,
)
from judging.core.resolution import resolve

TICKED, OF_SCRIPT = "subtopic", "subtopics"
"""The names under which subtopics are sent: as ticked at the desk, by a script."""
NONE_KEY: Final = "z"
"""For no subtopic, in every topic however many subtopics it has, unless the scale or the assessor uses it for something else."""


def covered_grade(values: Collection[int]) -> int:
    """The grade of a subtopic that was ticked as covered: the lowest above 0.

    >>> covered_grade([0, 2, 3])
    2
    """
    return min((value for value in values if value > 0), default=1)


def check(grade: int | None, answers: Answers, topic: JudgedTopic) -> CheckedAct:
    """Check an act. The details of the result are a grade for each subtopic of the topic, by its number."""
    return CheckedAct(grades.checked_grade(grade, topic), keep(answers, topic))


def keep(answers: Answers, topic: JudgedTopic) -> dict[str, int]:
    """The grade of each subtopic of the topic, by its number; 0 where nothing was sent."""
    sent = _sent(answers, covered_grade(topic.grades))
    numbers = [subtopic.number for subtopic in topic.subtopics]
    if unknown := sorted(set(sent) - set(numbers), key=natural_order):
        raise RefusedActError(f"Topic {topic.number} has no subtopic {', '.join(unknown)}. Reload the desk.")
    for number, value in sent.items():
        if value not in topic.grades:
            scale = ", ".join(map(str, topic.grades))
            raise RefusedActError(f"Grade {value} of subtopic {number} is not on the scale: use {scale}.")
    return {number: sent.get(number, 0) for number in numbers}


def contradictions(topic: JudgedTopic) -> tuple[Contradiction, ...]:
    """A document that is not relevant covers no subtopic; one of the top grade covers at least one."""
    if not topic.subtopics:
        return ()
    lowest, top = topic.steps[0], topic.steps[-1]
    return (
        Contradiction(lowest.value, TICKED, True, f"{lowest.value} {lowest.label}, but a subtopic is ticked."),
        Contradiction(top.value, TICKED, False, f"{top.value} {top.label}, but no subtopic is ticked."),
    )


def _sent(answers: Answers, covered: int) -> dict[str, int]:
    """Return grades by subtopic number, from a list of covered subtopics or from an object that gives the grades."""
    sent: Any = next((answers[name] for name in (TICKED, OF_SCRIPT) if answers.get(name)), {})
    if isinstance(sent, list) and all(isinstance(number, str | int) for number in sent):
        return dict.fromkeys(map(str, sent), covered)
    try:
        return {str(number): read_grade(value) for number, value in sent.items()}
    except (AttributeError, ValueError):
        message = "Subtopic grades must be an object of integers, or a list of the subtopics covered."
        raise RefusedActError(message) from None


def values(details: Details) -> dict[str, list[str]]:
    covered = [number for number, grade in details.items() if grade > 0]
    return {TICKED: covered} if covered else {}


def desk(topic: JudgedTopic, details: Details) -> DeskParts:
    """Return the desk's parts: beside the grades a tick for each subtopic, with a letter of its own, if the topic has any."""
    if not topic.subtopics:
        return grades.desk(topic, details)
    covered = values(details).get(TICKED, [])
    taken = {*(step.key for step in topic.steps), *topic.own_keys}
    [none_key] = letters_for(1, taken) if NONE_KEY in {key.lower() for key in taken} else [NONE_KEY]
    keys = letters_for(len(topic.subtopics), taken | {none_key})
    rows = [
        {"subtopic": subtopic, "key": key, "covered": subtopic.number in covered}
        for subtopic, key in zip(topic.subtopics, keys, strict=True)
    ]
    toggles = tuple(
        Shortcut(key, f"the document covers subtopic {subtopic.number}, or not")
        for subtopic, key in zip(topic.subtopics, keys, strict=True)
    )
    parts = ("judging/modes/_subtopic_ticks.html", grades.BUTTONS)
    return DeskParts(
        form_parts=parts[::-1] if topic.grade_first else parts,
        topic_parts=("judging/modes/_subtopic_texts.html", grades.DEFINITIONS),
        context={**grades.buttons(topic), "subtopics": rows, "none_key": none_key, "grade_first": topic.grade_first},
        shortcuts=(*grades.shortcuts(topic), *toggles, Shortcut(none_key, "the document covers no subtopic")),
        contradictions=contradictions(topic),
        grade_first=topic.grade_first,
    )


def qrels(acts: Acts, policy: str) -> QrelsTables:
    """Return the overall grades and, for every document that was graded, those of the subtopics."""
    rows = [(place, number, grade) for place, details in enumerate(acts.details) for number, grade in details.items()]
    parts = pl.DataFrame(
        rows, schema={"place": pl.UInt32(), "subtopic": pl.String(), "grade": pl.Int32()}, orient="row"
    )
    table = acts.table[parts["place"]].with_columns(parts["subtopic"], parts["grade"])
    by_subtopic = resolve(table, policy, keys=["topic", "subtopic", "docno"]).select(list(QRELS_SCHEMA))
    return QrelsTables(resolve(acts.table, policy), by_subtopic)


def _check_file(table: pl.DataFrame, subtopics: Subtopics, problems: ProblemLog) -> None:
    grades.check_grades(table, subtopics, problems)
    of_none = _of_no_subtopic(table, subtopics).height
    for topic, subtopic, count in table.group_by("topic", "subtopic").len().sort("topic", "subtopic").iter_rows():
        if (topic, subtopic) not in subtopics and subtopic != NO_SUBTOPIC:
            problems.add(
                "subtopic_unknown",
                f"Topic {visible(topic)} has no subtopic {visible(subtopic)} ({number_of(count, 'line')}).",
                "Use the subtopic numbers of the task's topics.",
                times=count,
            )
    if of_none:
        problems.add(
            "subtopic_none",
            f"Subtopic {NO_SUBTOPIC}, which the topic does not have, stands on {number_of(of_none, 'line')}.",
            "They are read as: judged, relevant to no subtopic. Their grades count for the topic as a whole.",
            severity="warning",
            times=of_none,
        )


def _of_no_subtopic(table: pl.DataFrame, subtopics: Subtopics) -> pl.DataFrame:
    """The lines by which qrels say that a document was judged and covers no subtopic."""
    with_zero = [topic for topic, number in subtopics if number == NO_SUBTOPIC]
    return table.filter(pl.col("subtopic") == NO_SUBTOPIC, ~pl.col("topic").is_in(with_zero))


def _tables(table: pl.DataFrame, subtopics: Subtopics) -> QrelsTables:
    """The tables of a file: a document's grade for the topic is its highest for any subtopic.

    A document that covers none has the grade 0 for each subtopic of the topic, as one that was judged here, or its negative
    grade; a subtopic for which it has a line of its own keeps that one's grade.
    """
    overall = table.group_by("topic", "docno").agg(pl.col("grade").max())
    of_none = _of_no_subtopic(table, subtopics)
    if of_none.is_empty():
        return QrelsTables(overall, table)
    numbers = pl.DataFrame(sorted(subtopics), schema={"topic": pl.String, "subtopic": pl.String}, orient="row")
    keys = ["topic", "subtopic", "docno"]
    own = table.join(of_none, on=keys, how="anti", maintain_order="left")
    covers_none = of_none.drop("subtopic").join(numbers, on="topic", maintain_order="left_right")
    covers_none = covers_none.with_columns(pl.min_horizontal("grade", pl.lit(0, pl.Int32))).select(table.columns)
    return QrelsTables(overall, pl.concat([own, covers_none.join(own, on=keys, how="anti", maintain_order="left")]))


SUBTOPIC_QRELS: Final = QrelsFile(
    "subtopic qrels",
    _check_file,
    _tables,
    option="subtopics",
    label="The second column is the subtopic",
    by_subtopic=True,
)
MODE = JudgingMode(
    mode=Mode(
        name="subtopic",
        label="graded, with subtopics",
        scale=grades.FOUR_GRADES,
        measures=(*grades.MEASURES, "alpha-nDCG@10"),
        needs_subtopics=True,
        lowest_relevant_grade=grades.LOWEST_RELEVANT,
    ),
    check=check,
    desk=desk,
    qrels=qrels,
    files=(grades.QRELS, SUBTOPIC_QRELS),
    answers=frozenset({TICKED, OF_SCRIPT}),
    values=values,
    details_as=OF_SCRIPT,
    keep=keep,
    contradictions=contradictions,
)
