from collections.abc import Container, Sequence
from copy import copy
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.selectors.topics import topics_are_in_use
from campaign.events import what_counts_changed
from campaign.log.audit import AFTER_SCORES, apply_changes, audit
from campaign.measures import measure_answers
from campaign.models import Campaign, Grade, Run, Task, User
from campaign.models.run import CHECK_ALL_RUNS
from campaign.modes import CANNOT_JUDGE_KEY, UNDO_KEY, GradeStep, Mode, UnknownModeError
from campaign.news.services.automatic import MOST_MOVES_A_DAY, tell_of_deadline, tell_of_phase
from campaign.permissions import locked_organised_campaign_or_404, locked_organised_task_or_404, locked_task_or_404
from campaign.queue.jobs import enqueue
from campaign.setup.selectors.changes_of_scores import ScoreSettings, changes_of_scores
from campaign.setup.selectors.phases import is_moved_on
from campaign.setup.selectors.rounds import why_not_open
from campaign.setup.services.guideline_corrections import require_same_words, words_of
from campaign.setup.services.setting_checks import ORDERED_BY, settle, without_rounded_deadline
from campaign.web.daily_limits import require_few_changes, require_few_of_person
from campaign.web.rendered_markdown import require_prose

MOST_TASKS = 200
"""Of a campaign: each round may hold a copy of all topics."""


class UnconfirmedChangesError(Exception):
    """What nobody has confirmed: `changes` of scores that somebody may have seen, and whose names are `told`, in words."""

    def __init__(self, changes: Sequence[str], told: Sequence[str] = ()) -> None:
        self.changes, self.told = changes, told
        super().__init__(", ".join([*changes, *told]))


@transaction.atomic
def task_create(
    *,
    actor: User,
    campaign: Campaign,
    slug: str,
    title: str,
    grades: Sequence[GradeStep] | None = None,
    lowest_relevant_grade: int | None = None,
    **fields: Any,
) -> Task:
    """Create a task in its set-up. Without `grades` or `measures` it gets those of its judging mode.

    Without `lowest_relevant_grade` documents are relevant from the grade that the mode says of its own scale, or from 1.
    """
    campaign = locked_organised_campaign_or_404(actor, campaign)  # of two that are created at once one waits here
    task = Task(campaign=campaign, slug=slug, title=title, **fields)
    mode = _mode(task)
    task.measures = task.measures or list(mode.measures)
    if lowest_relevant_grade is not None:
        task.lowest_relevant_grade = lowest_relevant_grade
    elif grades is None:
        task.lowest_relevant_grade = mode.lowest_relevant_grade
    settle(task, None)
    task.full_clean()
    require_prose("guidelines", task.guidelines)
    if Task.everything.filter(campaign=campaign).count() >= MOST_TASKS:
        raise ValidationError(f"A campaign has at most {MOST_TASKS} tasks and rounds, deleted ones included.")
    task.save()
    scale = mode.scale if grades is None else grades
    _replace_scale(task, scale)
    _require_a_relevant_grade(task)
    audit(actor, "create", task, campaign=campaign, slug=slug, title=title, grades=list(scale))
    return task


@transaction.atomic
def task_update(
    *, actor: User, task: Task, grades: Sequence[GradeStep] | None = None, is_confirmed: bool = True, **fields: Any
) -> Task:
    """Change the given fields. Once the task has a pool, the judging mode stays and no grade is removed.

    After a change of the order of runs all of them are checked again: other lines of theirs may count. What changes scores
    that have been computed already is logged as such. UnconfirmedChangesError is raised unless that `is_confirmed`, and a live
    board by which readers learn who is who on a board without names of another round.
    """
    changed = locked_organised_task_or_404(actor, task)
    before, scored_by, words = copy(changed), ScoreSettings.of(changed), words_of(changed)
    changes: dict[str, Any] = dict(apply_changes(changed, without_rounded_deadline(changed, fields)))
    mode = _mode(changed)
    changes |= apply_changes(changed, _measures_after_change(before, mode, fields))
    settle(changed, before)
    _open_again_after_pool(changed, before)
    changed.measures = changed.measures or list(mode.measures)
    _require_free_mode(changed, before)
    if grades is None and "judging_mode" in changes:
        grades = _scale_after_change(changed, _mode(before), mode)
        if grades is not None and "lowest_relevant_grade" not in changes:
            changed.lowest_relevant_grade = mode.lowest_relevant_grade
    changed.full_clean()
    require_prose("guidelines", changed.guidelines)
    _require_hidden_names_stay_hidden(changed, before)
    changed.save()
    if grades is not None:
        _replace_scale(changed, grades)
        changes["grades"] = list(grades)
    require_same_words(changed, before.guidelines, {} if "judging_mode" in changes else words)
    _require_a_relevant_grade(changed)
    said = changes_of_scores(scored_by, ScoreSettings.of(changed))
    seen = said if said and measure_answers().has_scores(changed) else []
    if not is_confirmed:
        _require_nothing_to_confirm(changed, before, seen)
    if seen:
        changes[AFTER_SCORES] = seen
    if changes:
        _follow_up(actor, changed, before, changes)
    return changed


def _follow_up(actor: User, task: Task, before: Task, changes: dict[str, Any]) -> None:
    audit(actor, "update", task, campaign=task.campaign, **changes)
    require_few_changes(actor)
    if ORDERED_BY & changes.keys() and Run.objects.filter(task=task).exists():
        enqueue(CHECK_ALL_RUNS, task_id=task.pk, actor_id=actor.pk)
    if "closes_at" in changes:
        tell_of_deadline(actor=actor, task=task, before=before.closes_at)
    if changes.keys() & {"scores_shown", "round_kind"}:
        what_counts_changed.send(sender=Task, task=task)


def _require_nothing_to_confirm(task: Task, before: Task, seen: Sequence[str]) -> None:
    told = measure_answers().told_by_live_board(task) if _begins_live_board(task, before) else []
    if seen or told:
        raise UnconfirmedChangesError(seen, told)


def _begins_live_board(task: Task, before: Task) -> bool:
    return task.scores_shown == Task.LIVE != before.scores_shown


def _require_hidden_names_stay_hidden(task: Task, before: Task) -> None:
    if _begins_live_board(task, before) and (problem := measure_answers().live_board_problem(task)):
        raise ValidationError({"scores_shown": problem})


def _open_again_after_pool(task: Task, before: Task) -> None:
    """Who chooses to take runs after the pool opens the uploads that a pool has closed, but not those that qrels have."""
    if task.takes_runs_after_pool and not before.takes_runs_after_pool and task.qrels_known_at is None:
        task.runs_closed_at = None


def _require_a_relevant_grade(task: Task) -> None:
    highest = max(task.grades.values_list("value", flat=True), default=0)
    if task.lowest_relevant_grade > highest:
        problem = (
            f"No document could be relevant from grade {task.lowest_relevant_grade}: the highest grade is {highest}."
        )
        raise ValidationError({"lowest_relevant_grade": problem})


def _mode(task: Task) -> Mode:
    try:
        return task.mode
    except UnknownModeError as problem:
        raise ValidationError({"judging_mode": str(problem)}) from problem


def _require_free_mode(task: Task, before: Task) -> None:
    if task.judging_mode != before.judging_mode and topics_are_in_use(task):
        raise ValidationError({"judging_mode": "The judging mode is settled once a pool is frozen."})


def _measures_after_change(before: Task, after: Mode, fields: Container[str]) -> dict[str, list[str]]:
    """The field `measures` with those of another mode, where the task has those of the mode before and none are given."""
    if "measures" in fields or before.judging_mode == after.name:
        return {}
    return {"measures": list(after.measures)} if before.measures == list(_mode(before).measures) else {}


def _scale_after_change(task: Task, before: Mode, after: Mode) -> Sequence[GradeStep] | None:
    """Return the scale of the new mode; None if both modes start with the same scale, so that the task keeps its own."""
    if before.scale != after.scale:
        return after.scale
    _require_scale(after.scale_problem(list(task.grades.values_list("value", flat=True))))
    return None


@transaction.atomic
def task_enter_phase(*, actor: User, task: Task, phase: str, is_told: bool = True) -> Task:
    """Move the task to any phase, forwards or back; `is_told`: with a notice to those who take part.

    The phase Runs opens uploads again that a pool or qrels had closed.
    """
    if phase not in Task.PHASES:
        raise ValidationError(f"There is no phase “{phase}”.")
    moved = locked_organised_task_or_404(actor, task)
    if is_told and moved.phase != phase:
        require_few_of_person(actor, "moves of phases", MOST_MOVES_A_DAY)
    return _enter(actor, moved, task, phase, is_told)


def _enter(actor: User, moved: Task, task: Task, phase: str, is_told: bool) -> Task:
    """`moved` is the locked row of `task`."""
    before = moved.phase
    if before != phase:
        if before == Task.SETUP:
            _require_ready_to_open(moved)
        moved.phase = phase
        if phase == Task.RUNS:
            moved.runs_closed_at = None
        moved.save(update_fields=["phase", "runs_closed_at"])
        audit(actor, "enter phase", moved, campaign=moved.campaign, phase=phase, before=before)
        if is_told:
            tell_of_phase(actor=actor, task=moved, before=before)
    task.phase, task.runs_closed_at = phase, moved.runs_closed_at
    return moved


def _require_ready_to_open(task: Task) -> None:
    if problem := why_not_open(task):
        raise ValidationError(problem)


@transaction.atomic
def task_advance(*, actor: User, task: Task, phase: str) -> Task:
    """Move the task forwards to a phase; one that is there or past it already stays where it is, and set-up with qrels.

    What publishes it has a notice of its own. Jobs advance tasks too, and their actors may have lost the role since they asked.
    """
    moved = locked_task_or_404(task)
    if is_moved_on(moved, phase):
        return _enter(actor, moved, task, phase, is_told=phase != Task.PUBLISHED)
    task.phase = moved.phase
    return moved


def _replace_scale(task: Task, scale: Sequence[GradeStep]) -> None:
    _check_scale(task, scale)
    values = {step["value"] for step in scale}
    removed = task.grades.exclude(value__in=values)
    if removed and topics_are_in_use(task):
        lost = ", ".join(str(grade.value) for grade in removed)
        raise ValidationError(
            {"grades": f"Grade {lost} cannot be removed any more: a pool is frozen, judgments may use it."}
        )
    task.grades.all().delete()
    for step in scale:
        value = step["value"]
        grade = Grade(
            task=task,
            value=value,
            label=step["label"],
            key=step.get("key") or str(value),
            gain=step.get("gain", float(value)),
            definition=step.get("definition", ""),
        )
        grade.full_clean()
        grade.save()


def _check_scale(task: Task, scale: Sequence[GradeStep]) -> None:
    values = [step["value"] for step in scale]
    keys = [step.get("key") or str(step["value"]) for step in scale]
    if len(set(values)) < len(values):
        problem = "Two grades have the same value."
    elif len(set(keys)) < len(keys):
        problem = "Two grades have the same key."
    else:
        problem = task.mode.scale_problem(values)
    wrong = [value for value, key in zip(values, keys, strict=True) if not _is_free_key(key)]
    if not problem and wrong:
        problem = (
            f"Give grade {wrong[0]} a key, such as a: the one letter or digit that assessors press for this grade. "
            "Without a key of its own a grade has its number as the key, so that 10 and more need one. "
            f"{CANNOT_JUDGE_KEY} and {UNDO_KEY} are not free: the desk uses them for its commands."
        )
    _require_scale(problem)


def _is_free_key(key: str) -> bool:
    return len(key) == 1 and key.isascii() and key.isalnum() and key.lower() not in (CANNOT_JUDGE_KEY, UNDO_KEY)


def _require_scale(problem: str) -> None:
    if problem:
        raise ValidationError({"grades": problem})
