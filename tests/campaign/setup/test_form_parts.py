"""The folded parts of the form of a task: what they say of it, and which of them are open."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from campaign.measures import measure_answers
from campaign.models import Task
from campaign.modes import MODES
from campaign.setup.forms.settings_page import TaskSettings
from campaign.setup.forms.settings_parts import KINDS, OPEN, task_parts
from tests.campaign.setup.test_pages import TASK_FORM, scale_form
from tests.factories import Cast


def said(settings: TaskSettings) -> dict[str, str]:
    return {part.kind.key: part.said for part in task_parts(settings)}


def stored(task: Task) -> TaskSettings:
    scale = [{"value": grade.value, "label": grade.label} for grade in task.grades.all()]
    return TaskSettings(None, campaign=task.campaign, task=task, scale=scale)  # type: ignore[arg-type]


@pytest.mark.django_db
def test_every_field_of_the_form_stands_on_the_page_once(cast: Cast) -> None:
    fields = [*OPEN, *(name for kind in KINDS for name in kind.fields)]
    assert len(fields) == len(set(fields))
    assert set(fields) == set(TaskSettings(None, campaign=cast.campaign).form.Meta.fields)


@pytest.mark.django_db
def test_a_new_task_says_what_is_usual(cast: Cast) -> None:
    assert said(TaskSettings(None, campaign=cast.campaign)) == {
        "guidelines": "none yet",
        "schedule": "opens with the phase Runs; a frozen pool closes the uploads; test round",
        "grades": "0 not relevant, 1 related, 2 relevant, 3 perfect; relevant from 2",
        "desk": "documents as text; assessors may add documents",
        "rules": "at most 5 runs per team and 1,000 documents per topic; docnos of the collection only",
        "order": "by score; equal scores by docno; as trec_eval 9",
        "questions": "none",
        "files": "texts for organisers only",
        "scores": "nothing until a leaderboard is published",
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "part", "says"),
    [
        ({"guidelines": "Judge what you read."}, "guidelines", "4 words"),
        ({"takes_runs_after_pool": True}, "schedule", "takes runs after a pool is frozen"),
        ({"opens_at": datetime(2026, 3, 1, 12, tzinfo=UTC)}, "schedule", "opens 2026-03-01 00:00"),
        ({"round_kind": "development"}, "schedule", "development round"),
        ({"lowest_relevant_grade": 2}, "grades", "relevant from 2"),
        ({"assessors_add_documents": False}, "desk", "assessors may not add documents"),
        ({"documents_shown_as": "page"}, "desk", "documents as sanitised page"),
        ({"passage_first": True}, "desk", "a passage first"),
        ({"max_runs_per_team": 3}, "rules", "at most 3 runs per team"),
        ({"docno_policy": "any", "docno_pattern": "d[0-9]+"}, "rules", "any docno, with a pattern"),
        ({"rule_severities": {"score_ties": "off"}}, "rules", "1 severity changed"),
        ({"run_order": "rank", "reference": "10"}, "order", "by rank column"),
        (
            {
                "questions": [
                    {"key": "llm", "label": "Model?", "required": True},
                    {"key": "gpu", "label": "Which card?"},
                ]
            },
            "questions",
            "2 questions and 1 must be answered",
        ),
        ({"texts_for": "everybody"}, "files", "texts for everybody who sees the task"),
        ({"scores_shown": "live"}, "scores", "to everybody a live board of all runs"),
    ],
)
def test_the_heading_of_a_part_says_the_present_values(cast: Cast, values: Any, part: str, says: str) -> None:
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.SETUP, **values)
    assert says in said(stored(Task.objects.get(pk=cast.task.pk)))[part]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "part"),
    [
        ({"max_runs_per_team": "0"}, "rules"),
        ({"max_documents_per_topic": "9" * 5000}, "rules"),
        ({"opens_at": "yesterday"}, "schedule"),
        ({"lowest_relevant_grade": "-1"}, "grades"),
        (scale_form((0, "not relevant"), ("x", "relevant")), "grades"),
        ({"questions-TOTAL_FORMS": "1", "questions-0-key": "a b", "questions-0-label": "What?"}, "questions"),
    ],
)
def test_a_part_with_an_error_is_open_and_no_other(client: Client, cast: Cast, sent: Any, part: str) -> None:
    client.force_login(cast.organiser)
    grades = scale_form((0, "not relevant"), (1, "relevant"))
    answer = client.post(f"/c/{cast.campaign.slug}/new/", {**TASK_FORM, **grades, **sent})
    assert answer.status_code == 422
    assert [one.kind.key for one in answer.context["parts"] if one.is_open] == [part]
    assert answer.content.count(b'class="fold form-part"') == len(KINDS)
    assert f'id="part-{part}" open'.encode() in answer.content


@pytest.mark.django_db
def test_a_hostile_entry_is_a_text_in_the_heading_of_its_part(client: Client, cast: Cast) -> None:
    client.force_login(cast.organiser)
    sent = {**TASK_FORM, **scale_form((0, "<script>x</script>"), (1, "relevant")), "opens_at": "<script>y</script>"}
    text = client.post(f"/c/{cast.campaign.slug}/new/", sent).content.decode()
    assert "&lt;script&gt;x&lt;/script&gt;, 1 relevant" in text
    assert "<script>x" not in text
    assert "<script>y" not in text


def test_every_measure_to_choose_can_stand_on_a_board_and_says_what_it_means() -> None:
    choices = [choice for family in measure_answers().families() for choice in family.choices]
    names = [name for choice in choices for name in choice.names]
    assert measure_answers().problems(names, 1) == []
    assert all(choice.meaning.endswith(".") for choice in choices)
    assert {name for mode in MODES.values() for name in mode.measures} <= set(names)


@pytest.mark.django_db
def test_only_the_modes_without_subtopics_leave_out_what_needs_them(client: Client, cast: Cast) -> None:
    client.force_login(cast.organiser)
    text = client.get(f"/c/{cast.campaign.slug}/new/").content.decode()
    without = [mode.name for mode in MODES.values() if not mode.needs_subtopics]
    assert text.count("data-without-subtopics") == len(without)
    for name in ("contradictions", "subtopics_after_grade"):
        assert "data-needs-subtopics" in text.partition(f'name="{name}"')[0].rpartition("<div")[0][-2000:]
