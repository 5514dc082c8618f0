"""The unpublished scores, for organisers: ask for them, see how far they are, read the board before anybody else does."""

import json
from datetime import datetime

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.fields import Text
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import JobOut, asked_for, job_out
from campaign.api.paths import TASK, TaskPath
from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from evaluation.api.results import LeaderboardDetail
from evaluation.boards.audiences import PUBLIC
from evaluation.forms import BoardSettingsForm
from evaluation.selectors.boards import board_choice, is_current, runs_not_on_the_board, scored_runs, working_board
from evaluation.selectors.leaderboard_drafts import draft_for
from evaluation.selectors.scores import scoring, scoring_job
from evaluation.selectors.task_measures import board_cautions, measures_left_out
from evaluation.services.board_settings import board_settings_update
from evaluation.services.scoring import scores_request
from judging.core.set_names import DEFAULT
from judging.qrels.selectors.qrels_sets import qrels_sets

router = Router(tags=["Organising: scores"])
TestsIn = form_body("TestsIn", BoardSettingsForm, optional=True)


class WorkingBoardOut(LeaderboardDetail):
    is_current: bool = Field(
        description="false: runs, qrels, settings or the version of Runpool have changed since the board was computed."
    )
    computed_at: datetime


class SetWanted(Schema):
    set: Text = Field(DEFAULT, max_length=60, description="A set of qrels; left out: relevance.")


class NotOnBoard(Schema):
    tag: str
    why: str


class ScoringOut(Schema):
    qrels: int | None = Field(description="The version that runs are scored by; null: none is released yet.")
    runs: int = Field(description="Valid ones.")
    scored: int
    problem: str = Field(description="Why the scoring cannot go on; empty: nothing keeps it.")
    is_current: bool = Field(description="The board is computed from just these scores: it can be published.")
    computed_at: datetime | None = Field(description="When the board was computed.")
    job: JobOut | None
    left_out: list[NotOnBoard] = Field(description="Runs that may still come onto the board.")
    cautions: list[str]
    changed_after_scores: list[str] = Field(description="Settings changed when there were scores already.")


class TestsOut(Schema):
    family: str
    test: str
    correction: str
    baseline: str = Field(description="A tag; empty: none.")
    named_before_scores: bool
    margin: float | None = Field(description="Of equivalence; null: none was named before there were scores.")
    margin_measure: str = Field(description="The measure that it is in units of; empty: no margin.")
    margin_named_at: str = Field(description="ISO, UTC; empty: no margin.")


@router.get(f"{TASK}/scoring", response=ScoringOut, summary="Read how far the scoring is")
def read_scoring(request: HttpRequest, path: Path[TaskPath], wanted: Query[SetWanted]) -> ScoringOut:
    """For organisers. Ask until `is_current`."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    name = known_set(task, wanted.set)
    state, scored, working, job = (
        scoring(task, name),
        scored_runs(task, name),
        working_board(task, name),
        scoring_job(task),
    )
    cautions = (
        [*measures_left_out(task, scored.qrels), *board_cautions(scored.qrels, scored.measures)] if scored else []
    )
    return ScoringOut(
        qrels=state.qrels.version if state.qrels else None,
        runs=state.runs,
        scored=state.scored,
        problem=state.problem,
        is_current=bool(scored and scored.runs and is_current(working, scored) and not scored.unscored),
        computed_at=working.computed_at if working else None,
        job=job_out(job) if job else None,
        left_out=[NotOnBoard(tag=run.tag, why=why) for run, why in runs_not_on_the_board(task, working)],
        cautions=cautions,
        changed_after_scores=[line for one in changes_after_scores(task) for line in one["changes"]],
    )


@router.post(f"{TASK}/scoring", response={202: JobOut}, summary="Score the runs", **ORGANISING)
def start_scoring(request: HttpRequest, response: HttpResponse, path: Path[TaskPath]) -> Status[JobOut]:
    """Everything that is not scored yet by the newest qrels. Runs and releases are scored by themselves; this asks again."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    if not task.qrels.exists():
        raise ValidationError("There are no qrels yet: release or import them first.")
    return asked_for(response, task, scores_request(actor=signed_in(request.user), task=task))


@router.get(f"{TASK}/working-board", response=WorkingBoardOut, summary="Read the working board")
def read_working_board(request: HttpRequest, path: Path[TaskPath], wanted: Query[SetWanted]) -> HttpResponse:
    """For organisers: the board as it would be published to everybody now, under the number that it would have.

    `is_current` says whether it is computed from all scores that there are now.
    """
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    name = known_set(task, wanted.set)
    working = working_board(task, name)
    if working is None:
        raise Http404
    draft = draft_for(actor=signed_in(request.user), task=task, working=working, audience=PUBLIC)
    state = {"is_current": is_current(working, scored_runs(task, name)), "computed_at": working.computed_at}
    data = {**json.loads(draft.export()), **state}
    return JsonResponse(data, json_dumps_params={"indent": 1, "ensure_ascii": False})


@router.get(f"{TASK}/board-tests", response=TestsOut, summary="Read the tests of the board")
def read_board_tests(request: HttpRequest, path: Path[TaskPath]) -> TestsOut:
    """For organisers."""
    return _tests(get_organised_task_or_404(request.user, path.campaign, path.task))


@router.patch(f"{TASK}/board-tests", response=TestsOut, summary="Choose the tests of the board", **ORGANISING)
def change_board_tests(request: HttpRequest, path: Path[TaskPath], data: TestsIn) -> TestsOut:  # type: ignore[valid-type]
    """The board is computed anew. Only while nobody can have seen scores, a baseline counts as one, and a margin can be named,
    changed or removed.
    """
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    form = as_sent(lambda typed: BoardSettingsForm(typed, task=task, choice=board_choice(task)), sent)
    board_settings_update(actor=signed_in(request.user), task=task, **accepted(form))
    return _tests(task)


def known_set(task: Task, name: str) -> str:
    """The set of this name; ValidationError that names those that there are."""
    sets = qrels_sets(task)
    if name != DEFAULT and name not in sets:
        known = ", ".join(one for one in sets if one) or "none but relevance"
        raise ValidationError({"set": f"The task has no such set of qrels. Sets: {known}."})
    return name


def _tests(task: Task) -> TestsOut:
    choice = board_choice(task)
    return TestsOut(**{name: getattr(choice, name) for name in TestsOut.model_fields})
