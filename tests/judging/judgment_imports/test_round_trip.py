"""What is exported on one site gives the same qrels on another, in every judging mode and by every policy."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from campaign.models import Import
from judging.core.modes.registry import MODES
from judging.core.resolution import POLICIES
from judging.desk.services.judgments import judgment_undo
from judging.judgments.exports import acts_csv, history_csv, history_jsonl
from judging.judgments.selectors.assigned_documents import entries_of
from judging.models import Assignment, Judgment
from judging.qrels.selectors.releases import release_draft
from tests.factories import Cast, make_cast, make_user
from tests.judging.judgment_imports.test_judgment_imports import DOCNOS, same_people_elsewhere, send
from tests.judging.makers import assign, judge, make_assignment, make_subtopics

pytestmark = pytest.mark.django_db(transaction=True)

NOTES = ("", "two\nlines", "'=1", "see;=1", "u\u2028v", "\ufeff", " blank ", "\t=x", 'a"b,c;d', "łódź")
BETWEEN = (0, 1, 999, 1001)
"""Microseconds: of judgments in one second the latest is told by the parts of it."""


def judged_in_a_second(mode: str) -> Cast:
    """Grades, skips, notes and acts taken back, of two people for a second opinion and of one who has a hidden repeat."""
    cast, random = make_cast(judging_mode=mode), Random(3)
    first = make_assignment(cast, DOCNOS)
    if MODES[mode].mode.needs_subtopics:
        make_subtopics(first.topic, ["a", "b"])
    others = [(make_user("zoe"), 1), (make_user("abe"), 2), (cast.assessor, 3)]
    own = [first, *(assign(first.pool, first.topic, who, cast.organiser, number) for who, number in others)]
    own[-1].is_repeat = True
    own[-1].save()
    random.shuffle(own)
    then = datetime(2026, 3, 1, tzinfo=UTC)
    for _ in range(40):
        assignment, docno, then = (
            random.choice(own),
            random.choice(DOCNOS),
            then + timedelta(0, 0, random.choice(BETWEEN)),
        )
        if random.random() < 0.15:
            judgment_undo(assessor=assignment.assessor, assignment=assignment)
        elif entries_of(assignment).filter(docno=docno).exists():
            values: dict[str, Any] = {"note": random.choice(NOTES)}
            if MODES[mode].mode.needs_subtopics:
                values["answers"] = {"subtopics": {"a": random.choice((0, 1)), "b": random.choice((0, 1))}}
            judge(assignment, docno, random.choice((0, 1, None)), judged_at=then, **values)
    return cast


def exported(cast: Cast, kind: str) -> str:
    current = Judgment.objects.of_task(cast.task.pk).filter(is_current=True).order_by("pk")
    files: dict[str, Iterable[str]] = {
        "counting": acts_csv(current, cast.task),
        "history as CSV": history_csv(cast.task),
        "history as JSON lines": history_jsonl(cast.task),
    }
    return "".join(files[kind])


def qrels(cast: Cast) -> dict[str, list[list[Any]]]:
    drafts = {policy: release_draft(cast.task.pools.get(), policy) for policy in POLICIES}
    return {
        policy: [table.rows() for table in (draft.table, draft.subtopic_table) if table is not None]
        for policy, draft in drafts.items()
    }


@pytest.mark.parametrize("mode", MODES)
def test_judgments_of_another_site_with_second_opinions_and_hidden_repeats_give_the_same_qrels(
    db: None, mode: str
) -> None:
    """From each file that is exported, into a campaign of its own."""
    cast = judged_in_a_second(mode)
    repeat = Assignment.objects.get(is_repeat=True)
    assert repeat.judgments.exists()
    first = Assignment.objects.get(assessor=repeat.assessor, pass_number=1)
    drafted, judged = qrels(cast), stated(cast)
    for kind in ("counting", "history as CSV", "history as JSON lines"):
        there = same_people_elsewhere(first, judging_mode=mode)
        copies = Assignment.objects.filter(topic__task=there.task)
        copies.filter(assessor=cast.assessor).exclude(pass_number=1).update(is_repeat=True)
        if MODES[mode].mode.needs_subtopics:
            make_subtopics(there.task.topics.get(), ["a", "b"])
        done = send(there, exported(cast, kind))
        assert done.state == Import.DONE, (kind, done.problems)
        assert qrels(there) == drafted, kind
        assert stated(there) == judged, kind


def stated(cast: Cast) -> list[tuple[Any, ...]]:
    """What stands, as an export says it."""
    fields = ("docno", "assessor__username", "pass_number", "grade", "verdict", "note", "details", "judged_at")
    current = Judgment.objects.filter(topic__task=cast.task, is_current=True)
    return list(current.order_by("docno", "assessor", "pass_number").values_list(*fields))
