"""The working board and its tests, what nobody has judged, what qrels and models change, for organisers; scores of a run."""

from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

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
from campaign.text.natural_order import natural_order
from campaign.web.forms import act_and_tell, is_done, numbers_in
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.boards.board_csv import board_csv
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.exports import run_by_topic, run_scores_csv, run_scores_json
from evaluation.forms import BoardSettingsForm
from evaluation.model_scores import DEPTH, Agreement, model_scores
from evaluation.permissions import asked_set
from evaluation.qrels_impact import effect_on_board
from evaluation.selectors.board_views import BoardView, working_view
from evaluation.selectors.boards import (
    board_choice,
    is_current,
    newest_leaderboard,
    runs_not_on_the_board,
    scored_runs,
    working_board,
)
from evaluation.selectors.results import standing_of
from evaluation.selectors.run_scores import scores_not_ranked
from evaluation.selectors.score_visibility import ShownScores, shown_scores, why_no_live_board
from evaluation.selectors.scores import is_up_to_date, may_have_seen_scores, scoring, scoring_job, unjudged_shares
from evaluation.selectors.scoring_scope import why_not_ranked
from evaluation.selectors.task_measures import board_cautions, measures_left_out
from evaluation.selectors.todo import scores_to_publish
from evaluation.services.board_settings import board_settings_update
from evaluation.services.ranked_runs import naming_problem
from evaluation.services.scoring import scores_request
from evaluation.views.boards import board_context, downloaded
from evaluation.views.pictures import board_picture_of
from judging.core.set_names import set_in_words
from judging.permissions import get_model_assessor_or_404, get_qrels_or_404
from judging.qrels.selectors.differences import version_before
from judging.qrels.selectors.qrels_sets import qrels_sets
from judging.qrels.selectors.releases import latest_qrels
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
        asked = "Scoring has been asked for. This page shows how far it is."
        act_and_tell(request, lambda: scores_request(actor=signed_in(request.user), task=task), asked)
    return redirect(task.url("score_board"))


@require_safe
@login_required
def score_board_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    seen = _working_board_or_404(request, campaign_slug, task_slug)
    content = board_csv(seen.board, seen.ordering)
    return downloaded(content, "text/csv; charset=utf-8", f"{seen.task.slug}-unpublished-scores.csv")


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


@require_safe
@login_required
def runs_unjudged(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """How many of each run's first documents nobody has judged.

    A page of its own; to htmx of the list of runs only the cells of the runs that the address names.
    """
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    shares = unjudged_shares(task)
    if request.htmx:  # type: ignore[attr-defined]
        shown = numbers_in(request.GET.getlist("run"))
        missing = [pk for pk in shown if pk not in shares]
        job = scoring_job(task) if missing else None
        context = {
            "task": task,
            "cells": [(pk, shares[pk].in_words) for pk in shown if pk in shares],
            "missing": missing,
            "goes_on": job is not None and job.is_unfinished,
            "problem": scoring(task).problem if missing else "",
        }
        return render(request, "evaluation/_runs_unjudged.html", context)
    valid = task.runs.valid().select_related("team")
    runs = sorted(valid, key=lambda run: (-shares[run.pk].share if run.pk in shares else -2, natural_order(run.tag)))
    rows = [(run, shares[run.pk].in_words if run.pk in shares else "not scored") for run in runs]
    context = {"task": task, "rows": rows, "qrels": latest_qrels(task)}
    return render(request, "evaluation/runs_unjudged.html", context)


@require_safe
@login_required
def qrels_effect(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """The effect of a version of the qrels on the board. To htmx of the page of the version only what it shows."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    before = version_before(request.user, qrels)
    found = effect_on_board(task, before, qrels) if before is not None else "There is no version before this one."
    said = {"problem": found} if isinstance(found, str) else {"effect": found}
    part = "evaluation/_qrels_effect.html" if request.htmx else "evaluation/qrels_effect.html"  # type: ignore[attr-defined]
    return render(request, part, {"task": task, "qrels": qrels, "before": before, **said})


@require_safe
@login_required
def model_page(request: HttpRequest, campaign_slug: str, task_slug: str, key: int) -> HttpResponse:
    """The grades of a model assessor beside people's, and runs scored by them: to organisers who do not judge."""
    assessor = get_model_assessor_or_404(request.user, campaign_slug, task_slug, key)
    context = {"task": assessor.task, "assessor": assessor, "depth": DEPTH}
    try:
        scores = model_scores(assessor)
    except MeasureNameError as problem:
        context["problem"] = f"{problem} Correct the measures in the task's settings."
    else:
        context |= {"scores": scores, "confusion": _confusion(scores.agreement)}
    return render(request, "evaluation/model_scores.html", context)


def _confusion(agreement: Agreement | None) -> list[tuple[int, list[tuple[int, bool]]]]:
    """A row for each grade of people: the documents by the model's grade, and whether it is the same."""
    if agreement is None:
        return []
    rows = zip(agreement.scale, agreement.table.tolist(), strict=True)
    return [
        (grade, [(count, other == grade) for other, count in zip(agreement.scale, row, strict=True)])
        for grade, row in rows
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def board_settings(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Which tests the board of a task has."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    choice = board_choice(task)
    form = BoardSettingsForm(request.POST or None, task=task, choice=choice)
    actor = signed_in(request.user)
    if is_done(form, lambda: board_settings_update(actor=actor, task=task, **form.cleaned_data)):
        messages.success(request, "Saved. The board is computed anew by these tests.")
        return redirect(task.url("score_board"))
    context = {
        "task": task,
        "form": form,
        "choice": choice,
        "is_late": may_have_seen_scores(task),
    }
    return render(request, "evaluation/board_settings.html", context)
