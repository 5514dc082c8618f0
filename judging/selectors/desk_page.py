"""What the desk is rendered from, and what its scripts start with."""

from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from campaign.models import Grade, Subtopic
from judging.keys import command_keys, key_list, subtopic_keys
from judging.models import Assignment, Judgment
from judging.query_terms import query_terms
from judging.selectors.desk import Item, assignments_of, covered_grade, documents, items, last_acts

ACTS_SHOWN = 60


def desk_page(assignment: Assignment, shown: Item | None) -> dict[str, Any]:
    task = assignment.pool.task
    own = items(assignment)
    grades = list(task.grades.all())
    keys = [grade.key for grade in grades]
    acts = list(last_acts(assignment, ACTS_SHOWN))
    address = {**task.address, "topic_number": assignment.topic.number}
    judged = sum(item.is_judged for item in own)
    following = next_assignment(assignment)
    subtopics = _subtopics(assignment, keys, shown)
    return {
        "assignment": assignment,
        "task": task,
        "topic": assignment.topic,
        "shown": shown,
        "document": documents(assignment, [shown.docno])[0] if shown else None,
        "grades": _scale(grades),
        "subtopics": subtopics,
        "keys": command_keys(keys),
        "shortcuts": key_list(
            ((grade.key, f"{grade.value} {grade.label}") for grade in grades),
            ((row["key"], row["subtopic"].number) for row in subtopics),
        ),
        "acts": acts,
        "last_act": acts[0] if acts else None,
        "judged": judged,
        "total": len(own),
        "uuid": uuid4(),
        "now": timezone.now(),
        "next_assignment": following,
        "desk_url": desk_url(assignment),
        "data": {
            **_script_data(assignment, own, acts, shown, address),
            "next": None if following is None else {"number": following.topic.number, "url": desk_url(following)},
        },
    }


def next_assignment(assignment: Assignment) -> Assignment | None:
    own = assignments_of(assignment.assessor, assignment.pool.task).filter(finished_at=None)
    return own.exclude(pk=assignment.pk).order_by("topic__position", "pass_number").first()


def desk_url(assignment: Assignment) -> str:
    address = {**assignment.pool.task.address, "topic_number": assignment.topic.number}
    return f"{reverse('desk', kwargs=address)}?assignment={assignment.pk}"


def _scale(grades: list[Grade]) -> list[dict[str, Any]]:
    """With a tone from 0 to 3 for the colour, whatever the values are."""
    top = max(len(grades) - 1, 1)
    return [{"grade": grade, "tone": round(3 * place / top)} for place, grade in enumerate(grades)]


def _subtopics(assignment: Assignment, grade_keys: list[str], shown: Item | None) -> list[dict[str, Any]]:
    if not assignment.pool.task.has_subtopics:
        return []
    found = list(Subtopic.objects.filter(topic=assignment.topic_id))
    covered = shown.subtopic_grades if shown else {}
    return [
        {"subtopic": subtopic, "key": key, "covered": covered.get(subtopic.number, 0) > 0}
        for subtopic, key in zip(found, subtopic_keys(len(found), grade_keys), strict=True)
    ]


def _script_data(
    assignment: Assignment, own: list[Item], acts: list[Judgment], shown: Item | None, address: dict[str, str]
) -> dict[str, Any]:
    task = assignment.pool.task
    return {
        "assignment": assignment.pk,
        "assessor": assignment.assessor_id,
        "submitUrl": reverse("judgment_submit", kwargs=address),
        "documentsUrl": reverse("judging_next", kwargs=address),
        "deskUrl": desk_url(assignment),
        "topicsUrl": reverse("my_topics", kwargs=task.address),
        "loginUrl": reverse("account_login"),
        "assessorName": assignment.assessor.username,
        "serverTime": timezone.now().isoformat(),
        "labels": {str(grade.value): grade.label for grade in task.grades.all()},
        "coveredGrade": covered_grade(task),
        "terms": query_terms(assignment.topic.title),
        "shown": shown.docno if shown else None,
        "items": [_script_item(item) for item in own],
        "history": [act.docno for act in reversed(acts)],
    }


def _script_item(item: Item) -> dict[str, Any]:
    if not item.is_judged:
        return {"docno": item.docno}
    covered = [number for number, grade in item.subtopic_grades.items() if grade > 0]
    return {"docno": item.docno, "verdict": item.verdict, "grade": item.grade, "note": item.note, "covered": covered}
