from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.collection.selectors.topics import topics_are_in_use
from campaign.models import AuditEvent, Task
from campaign.models.campaign import RESERVED_SLUGS
from campaign.modes import MODES
from campaign.permissions import Reader
from campaign.setup.selectors.schedule import run_window
from campaign.setup.services.tasks import task_advance, task_create, task_enter_phase, task_update
from judging.core.keyboard_shortcuts import COMMANDS
from pooling.models import Pool, PoolEntry
from runpool.overview.selectors.phases import COMING, CURRENT, DONE, phase_marks
from tests.factories import Cast, make_campaign, make_task, make_topics

NOW = timezone.now()


def freeze(cast: Cast) -> None:
    topic = make_topics(cast.task, ["1"])[0]
    pool = Pool.objects.create(
        task=cast.task, version=1, strategy="depth", size=1, sha256="0", frozen_by=cast.organiser
    )
    PoolEntry.objects.create(pool=pool, topic=topic, docno="d", position=1, best_position=1, run_count=1)


@pytest.mark.parametrize(
    ("mode", "values", "measures", "lowest"),
    [("binary", [0, 1], 7, 1), ("graded", [0, 1, 2, 3], 7, 2), ("subtopic", [0, 1, 2, 3], 8, 2)],
)
def test_a_task_gets_the_usual_grades_and_measures_of_its_mode(cast: Cast, mode, values, measures, lowest) -> None:
    task = task_create(actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", judging_mode=mode)
    assert [grade.value for grade in task.grades.all()] == values
    assert [(grade.key, grade.gain) for grade in task.grades.all()] == [(str(value), value) for value in values]
    assert len(task.measures) == measures
    assert task.lowest_relevant_grade == lowest
    assert ("alpha-nDCG@10" in task.measures) == (mode == "subtopic")
    assert task.phase == Task.SETUP


def test_documents_are_relevant_from_a_grade_that_the_scale_has(cast: Cast) -> None:
    own = [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]
    task = task_create(actor=cast.organiser, campaign=cast.campaign, slug="own", title="Own", grades=own)
    assert task.lowest_relevant_grade == 1
    with pytest.raises(ValidationError, match="the highest grade is 1"):
        task_update(actor=cast.organiser, task=task, lowest_relevant_grade=2)
    graded = task_create(actor=cast.organiser, campaign=cast.campaign, slug="graded", title="Graded")
    assert task_update(actor=cast.organiser, task=graded, judging_mode="binary").lowest_relevant_grade == 1


@pytest.mark.parametrize("slug", sorted(RESERVED_SLUGS))
def test_a_task_cannot_take_the_address_of_another_page(cast: Cast, slug: str) -> None:
    with pytest.raises(ValidationError):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug=slug, title="Second")


@pytest.mark.parametrize(
    "grades",
    [
        [],
        [{"value": 1, "label": "one"}, {"value": 2, "label": "two"}],
        [{"value": 0, "label": "zero"}, {"value": 0, "label": "zero again"}],
        [{"value": 0, "label": "zero", "key": "a"}, {"value": 1, "label": "one", "key": "a"}],
        [{"value": 0, "label": "zero"}, {"value": 1, "label": "one", "key": "x"}],
        [{"value": 0, "label": "zero"}, {"value": 10, "label": "ten"}],
        [{"value": 0, "label": "zero"}, {"value": 1, "label": "one", "gain": -1.0}],
        [{"value": 0, "label": "zero"}, {"value": 1, "label": ""}],
    ],
)
def test_a_scale_that_cannot_be_judged_with_is_refused_and_no_task_is_stored(cast: Cast, grades) -> None:
    with pytest.raises(ValidationError):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", grades=grades)
    assert not Task.objects.filter(slug="second").exists()


@pytest.mark.parametrize("name", ["cannot_judge", "undo"])
def test_a_key_with_which_the_desk_cannot_judge_or_undoes_is_refused_for_a_grade(cast: Cast, name: str) -> None:
    key, _ = COMMANDS[name]
    scale = [{"value": 0, "label": "zero"}, {"value": 1, "label": "one", "key": key.upper()}]
    with pytest.raises(ValidationError, match=f"\\b{key}\\b.* not free: the desk uses them"):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", grades=scale)


def test_a_grade_of_two_digits_without_a_key_is_refused_with_what_to_give(cast: Cast) -> None:
    scale = [{"value": value, "label": f"level {value}"} for value in (0, 2, 4, 8, 16)]
    with pytest.raises(
        ValidationError, match="Give grade 16 a key, such as a: the one letter or digit that assessors press"
    ):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", grades=scale)
    scale[-1]["key"] = "a"
    task = task_create(actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", grades=scale)
    assert list(task.grades.order_by("value").values_list("key", flat=True)) == ["0", "2", "4", "8", "a"]


def test_binary_judging_has_two_grades_and_a_change_of_mode_brings_the_usual_scale(cast: Cast) -> None:
    task_update(actor=cast.organiser, task=cast.task, judging_mode="binary", measures=["AP"])
    assert [grade.value for grade in cast.task.grades.all()] == [0, 1]
    three = [{"value": value, "label": str(value)} for value in range(3)]
    with pytest.raises(ValidationError, match="exactly the grades 0 and 1"):
        task_update(actor=cast.organiser, task=cast.task, grades=three)


def test_another_mode_brings_its_measures_unless_others_were_chosen_or_are_given(cast: Cast) -> None:
    usual = {name: list(mode.measures) for name, mode in MODES.items()}
    task = task_create(actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second")

    def changed(**fields: Any) -> list[str]:
        return task_update(actor=cast.organiser, task=task, **fields).measures

    assert changed(judging_mode="subtopic") == usual["subtopic"]
    assert AuditEvent.objects.latest("pk").data["measures"] == [str(usual["graded"]), str(usual["subtopic"])]
    assert changed(judging_mode="graded") == usual["graded"]
    assert changed(judging_mode="subtopic", measures=usual["graded"]) == usual["graded"]
    assert changed(measures=["AP"]) == ["AP"]
    assert changed(judging_mode="binary") == ["AP"]


def test_measures_that_the_mode_gives_no_judgments_for_are_refused_with_what_is_usual(cast: Cast) -> None:
    task_update(actor=cast.organiser, task=cast.task, judging_mode="subtopic", measures=["AP", "NRBP", "StRecall@20"])
    with pytest.raises(
        ValidationError, match=r"NRBP and StRecall@20: .* “graded” .* Usual for this mode: nDCG@10, AP,"
    ):
        task_update(actor=cast.organiser, task=cast.task, judging_mode="graded")
    with pytest.raises(ValidationError, match="NRBP: "):
        task_create(
            actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", measures=["AP", "NRBP"]
        )
    assert not Task.objects.filter(slug="second").exists()


def test_once_a_pool_is_frozen_the_mode_stays_and_no_grade_goes_but_one_comes_and_gains_change(cast: Cast) -> None:
    Task.objects.filter(pk=cast.task.pk).update(measures=["AP"])
    assert not topics_are_in_use(cast.task)
    freeze(cast)
    assert topics_are_in_use(cast.task)
    with pytest.raises(ValidationError, match="settled"):
        task_update(actor=cast.organiser, task=cast.task, judging_mode="binary")
    fewer = [{"value": value, "label": str(value)} for value in range(3)]
    with pytest.raises(ValidationError, match="cannot be removed"):
        task_update(actor=cast.organiser, task=cast.task, grades=fewer)
    assert cast.task.grades.count() == 4
    same = [{"value": grade.value, "label": grade.label, "gain": 7.0} for grade in cast.task.grades.all()]
    task_update(actor=cast.organiser, task=cast.task, grades=[*same, {"value": 4, "label": "new", "gain": 7.0}])
    assert [grade.gain for grade in cast.task.grades.all()] == [7.0] * 5


def test_the_deadline_must_come_after_the_opening(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="after the opening"):
        task_create(
            actor=cast.organiser, campaign=cast.campaign, slug="second", title="Second", opens_at=NOW, closes_at=NOW
        )


def test_every_change_of_phase_is_logged_and_advancing_never_goes_back(cast: Cast) -> None:
    task_advance(actor=cast.organiser, task=cast.task, phase=Task.JUDGING)
    assert cast.task.phase == Task.JUDGING
    task_advance(actor=cast.organiser, task=cast.task, phase=Task.POOL)
    assert Task.objects.get(pk=cast.task.pk).phase == Task.JUDGING
    task_enter_phase(actor=cast.organiser, task=cast.task, phase=Task.RUNS)
    events = AuditEvent.objects.filter(verb="enter phase").order_by("pk")
    assert [(event.data["before"], event.data["phase"]) for event in events] == [
        ("runs", "judging"),
        ("judging", "runs"),
    ]


def test_a_phase_that_does_not_exist_is_refused(cast: Cast) -> None:
    with pytest.raises(ValidationError):
        task_enter_phase(actor=cast.organiser, task=cast.task, phase="holidays")


@pytest.mark.parametrize(
    ("phase", "opens_in", "closes_in", "accepted"),
    [
        (Task.SETUP, None, 1, False),
        (Task.RUNS, None, None, True),
        (Task.POOL, None, None, False),
        (Task.RUNS, None, 1, True),
        (Task.POOL, None, 1, True),
        (Task.RUNS, None, -1, False),
        (Task.RUNS, 1, 2, False),
        (Task.RUNS, -1, None, True),
        (Task.RUNS, 1, None, False),
        (Task.RUNS, -1, 0, False),
    ],
)
def test_runs_are_taken_by_the_clock_or_else_by_the_phase(db, phase, opens_in, closes_in, accepted) -> None:
    task = make_task(
        make_campaign(),
        phase=phase,
        opens_at=None if opens_in is None else NOW + timedelta(hours=opens_in),
        closes_at=None if closes_in is None else NOW + timedelta(hours=closes_in),
    )
    assert run_window(task, now=NOW).is_open is accepted


def test_a_draft_campaign_takes_no_runs(db) -> None:
    assert not run_window(make_task(make_campaign(is_open=False), phase=Task.RUNS)).is_open


def test_the_phase_bar_marks_what_is_done_now_and_to_come(db) -> None:
    task = make_task(phase=Task.POOL)
    visitor = Reader.of(AnonymousUser(), task.campaign)
    assert [mark.state for mark in phase_marks(visitor, task)] == [DONE, DONE, CURRENT, COMING, COMING, COMING]
    task.phase = Task.PUBLISHED
    assert {mark.state for mark in phase_marks(visitor, task)} == {DONE}


def test_measures_that_are_too_long_are_refused_before_they_are_parsed(cast: Cast) -> None:
    with pytest.raises(ValidationError) as refused:
        task_update(actor=cast.organiser, task=cast.task, measures=["nDCG(" + "," * 400_000 + "x)"])
    assert refused.value.messages == ["Write at most 10,000 characters; these are 400,011."]
