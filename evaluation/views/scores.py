"""The working board: private to the organisers, never public."""

from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaign.models import Run
from campaign.permissions import (
    get_organised_task_or_404,
    get_run_or_404,
    get_task_or_404,
    is_member,
    is_organiser,
    signed_in,
)
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.selectors.score_visibility_in_words import shown_in_words
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.boards.board_csv import board_csv
from evaluation.exports import run_by_topic, run_scores_csv, run_scores_json
from evaluation.permissions import asked_set
from evaluation.selectors.board_views import BoardView, working_view
from evaluation.selectors.boards import (
    is_current,
    newest_leaderboard,
    runs_not_on_the_board,
    scored_runs,
    working_board,
)
from evaluation.selectors.measures import board_cautions, measures_left_out
from evaluation.selectors.results import standing_of
from evaluation.selectors.run_scores import scores_not_ranked
from evaluation.selectors.score_visibility import ShownScores, shown_scores, why_no_live_board
from evaluation.selectors.scores import is_up_to_date, scoring, scoring_job
from evaluation.selectors.scoring_scope import why_not_ranked
from evaluation.selectors.todo import scores_to_publish
from evaluation.services.ranked_runs import naming_problem
from evaluation.services.scoring import scores_request
from evaluation.views.boards import board_context, downloaded
from evaluation.views.pictures import board_picture_of
from judging.core.set_names import set_in_words
from judging.qrels.selectors.qrels_sets import qrels_sets
from pooling.selectors.pools import pools_ordered_otherwise


@require_safe
@login_required
def score_board(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    progress = {"task": task, "job": scoring_job(task)}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "evaluation/_score_progress.html", progress)
    sets = qrels_sets(task)
    set_name = asked_set(task, request)
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    seen = working_view(request.user, task, set_name) if scored and scored.runs else None
    context = {
        **progress,
        **(board_context(request, seen) if seen else {}),
        "scoring": scoring(task, set_name),
        "board": scored,
        "set_name": set_name,
        "set_query": f"set={quote(set_name)}" if set_name else "",
        "sets": [(name, set_in_words(name)) for name in sets],
        "is_current": scored is not None and (not scored.runs or is_current(working, scored)),
        "changes": changes_after_scores(task),
        "cautions": [*measures_left_out(task, scored.qrels), *board_cautions(scored.qrels, scored.measures)]
        if scored
        else [],
        "computed_at": working.computed_at if working else None,
        "not_ranked": scores_not_ranked(task),
        "left_out": runs_not_on_the_board(task, working),
        "leaderboard": newest_leaderboard(task, request.user),
        "pools_ordered_otherwise": pools_ordered_otherwise(task, task.ordering),
    }
    return render(request, "evaluation/score_board.html", context)


@require_POST
@login_required
def score_all(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if not task.qrels.exists():
        messages.error(request, "There are no qrels yet: release or import them first.")
    else:
        scores_request(actor=signed_in(request.user), task=task)
        messages.success(request, "Scoring has been asked for. This page shows how far it is.")
    return redirect(task.url("score_board"))


@require_safe
@login_required
def score_board_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    seen = _working_board_or_404(request, campaign_slug, task_slug)
    content = board_csv(seen.board, seen.ordering)
    return downloaded(content, "text/csv; charset=utf-8", f"{seen.task.slug}-working-scores.csv")


@require_safe
@login_required
def scores_picture(request: HttpRequest, campaign_slug: str, task_slug: str, measure: str) -> HttpResponse:
    return board_picture_of(request, _working_board_or_404(request, campaign_slug, task_slug), measure)


def _working_board_or_404(request: HttpRequest, campaign_slug: str, task_slug: str) -> BoardView:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    seen = working_view(request.user, task, asked_set(task, request))
    if seen is None:
        raise Http404
    return seen


@require_safe
def scores_card(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The scores' card on the task overview: what it tells depends on the reader."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises = is_organiser(request.user, task.campaign)
    leaderboard = newest_leaderboard(task, request.user)
    own = Run.objects.visible_to(request.user).filter(pk__in=leaderboard.run_ids if leaderboard else [])
    context = {
        "task": task,
        "organises": organises,
        "leaderboard": leaderboard,
        "policy": shown_in_words(task),
        "is_live": not why_no_live_board(task),
        "has_own": leaderboard is not None and leaderboard.audience == PARTICIPANTS and own.exists(),
        "scoring": scoring(task) if organises else None,
        "waits": next(scores_to_publish(signed_in(request.user), [task]), None) if organises else None,
    }
    return render(request, "evaluation/_scores_card.html", context)


@require_safe
@login_required
def run_scores(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    """A run's scores: for organisers as soon as they exist, for its team as far as the task's policy shows them.

    A page of its own; to htmx of the run's page only the part that stands there.
    """
    run, shown = _shown_or_404(request, campaign_slug, task_slug, tag)
    evaluation = shown.scores.evaluation if shown.scores else None
    template = "evaluation/_run_scores.html" if request.htmx else "evaluation/run_scores.html"  # type: ignore[attr-defined]
    context = {
        "run": run,
        "task": run.task,
        "scores": shown.scores,
        "shown": shown,
        "by_topic": run_by_topic(shown) if shown.is_early and not request.htmx else None,  # type: ignore[attr-defined]
        "is_outdated": shown.organises and evaluation is not None and not is_up_to_date(evaluation),
        "organises": shown.organises,
        "standing": standing_of(request.user, run),
        "policy": shown_in_words(run.task),
        "not_ranked": why_not_ranked(run) if run.state == Run.VALID else "",
        "may_name": is_member(request.user, run.team) and not naming_problem(run),
    }
    return render(request, template, context)


@require_safe
@login_required
def run_scores_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, tag: str, file_format: str
) -> HttpResponse:
    """The scores of a run that its page shows, as csv or json; Http404 where it shows none."""
    run, shown = _shown_or_404(request, campaign_slug, task_slug, tag)
    if shown.scores is None or file_format not in ("csv", "json"):
        raise Http404
    if file_format == "csv":
        return downloaded(run_scores_csv(run, shown), "text/csv; charset=utf-8", f"{run.task.slug}-{run.pk}.csv")
    return downloaded(run_scores_json(run, shown), "application/json", f"{run.task.slug}-{run.pk}.json")


def _shown_or_404(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> tuple[Run, ShownScores]:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    run = get_run_or_404(request.user, task, tag)
    return run, shown_scores(request.user, run)
