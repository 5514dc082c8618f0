"""The pool builder: settings in the address, a preview beside them, and the question before freezing."""

from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Job, Task, User
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.natural_order import natural_order
from campaign.text.numbers import whole_number
from campaign.text.plurals import number_of
from campaign.web.short_lists import short_list
from pooling.core.preview.differences import Differences, differences_text
from pooling.core.strategies.families import in_families
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES
from pooling.forms import PoolForm
from pooling.selectors.cautions import cautions_of, freezing_consequences, time_needed
from pooling.selectors.judged_documents import Pace, judging_pace
from pooling.selectors.pools import latest_pool
from pooling.selectors.previews import (
    SECONDS_PER_DOCUMENT,
    Asked,
    Computed,
    PoolPreview,
    compute,
    computed_before,
    is_quick,
    pools_compared,
    preview_of,
    previewed,
)
from pooling.selectors.runs import valid_runs
from pooling.services.pools import Confirmed, pool_freeze_request
from pooling.services.previews import PREVIEW_POOL, preview_request
from pooling.views.bars import coverage_bars, size_bars, topic_bars
from pooling.views.comparing import other_values, side_by_side
from pooling.views.empty import no_run_to_pool


@dataclass
class Answer:
    """What is known of the settings in an address: errors in the form, a preview, or the job that computes it."""

    form: PoolForm
    pace: Pace | None
    asked: Asked | None = None
    preview: PoolPreview | None = None
    job: Job | None = None
    other: PoolPreview | None = None
    differences: Differences | None = None
    problem_of_a: str = ""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    answer = _answer(task, request)
    if answer.form.errors:
        return render(request, "pooling/pool_create.html", _context(task, answer, request.GET), status=422)
    preview = answer.preview
    if request.method == "POST" and answer.asked is not None and (preview is None or preview.size):
        return _freeze(request, task, answer.form, answer.asked)
    if "ask" in request.GET and preview is not None and preview.size:
        return render(request, "pooling/pool_freeze.html", _question(task, answer.form, preview))
    return render(request, "pooling/pool_create.html", _context(task, answer, request.GET))


@login_required
@require_safe
def pool_preview(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    answer = _answer(task, request)
    if answer.form.errors:
        return render(request, "pooling/_preview_answer.html", _context(task, answer, request.GET), status=422)
    response = render(request, "pooling/_preview_answer.html", _context(task, answer, request.GET))
    response["HX-Replace-Url"] = f"{reverse('pool_create', kwargs=task.address)}?{answer.form.query()}"
    return response


@login_required
@require_safe
def pool_differences(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The file of what one of the two pools has and the other has not."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form = PoolForm(request.GET, runs=valid_runs(task))
    kept = form.compared()
    builder = f"{reverse('pool_create', kwargs=task.address)}?{form.query()}"
    if kept is None or not (form.is_valid() and kept.is_valid()):
        return redirect(builder)
    asked = previewed(task, form.spec(), kept.spec())
    if not is_quick(asked):
        messages.warning(request, "These pools are too large to be compared by a page. Draw both by the command.")
        return redirect(builder)
    try:
        content = differences_text(*pools_compared(asked))
    except PoolSpecError as problem:
        messages.error(request, str(problem))
        return redirect(builder)
    response = HttpResponse(content, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{campaign_slug}-{task_slug}-differences.txt"'
    return response


def _answer(task: Task, request: HttpRequest) -> Answer:
    actor, pace = signed_in(request.user), judging_pace(task)
    seconds = SECONDS_PER_DOCUMENT if pace is None else round(min(max(pace.seconds, 1), 3600), 1)
    runs = valid_runs(task)
    form = PoolForm(request.GET, runs=runs, seconds=seconds)
    answer = Answer(form, pace)
    if not form.is_valid():
        return answer
    kept, seconds = form.compared(), form.cleaned_data["seconds"]
    other = kept.spec() if kept is not None and kept.is_valid() else None
    if kept is not None and other is None:
        answer.problem_of_a = "The settings kept as A do not fit this task any more."
    answer.asked = previewed(task, form.spec(), other, runs)
    if answer.asked.other is not None:
        _add_other(actor, answer, replace(answer.asked, spec=answer.asked.other, other=None), seconds)
    computed = None if answer.job else _computed(actor, answer, answer.asked)
    if computed is not None and computed.figures is None:
        form.add_error(None, computed.refusal)
    elif computed is not None and computed.figures is not None:
        answer.preview = preview_of(answer.asked, computed.figures, seconds)
        answer.differences = computed.differences
    _look_after(answer, request)
    return answer


def _add_other(actor: User, answer: Answer, asked: Asked, seconds: float) -> None:
    computed = _computed(actor, answer, asked)
    if computed is None or answer.asked is None:
        return
    if computed.figures is None:
        answer.problem_of_a = f"There is no pool A. {computed.refusal}"
        answer.asked = replace(answer.asked, other=None)
    else:
        answer.other = preview_of(asked, computed.figures, seconds)


def _computed(actor: User, answer: Answer, asked: Asked) -> Computed | None:
    """What is known already or found quickly; else a job is asked for it."""
    computed = computed_before(asked) or (compute(asked) if is_quick(asked) else None)
    if computed is None:
        try:
            answer.job = preview_request(actor=actor, asked=asked)
        except ValidationError as problem:
            answer.form.add_error(None, problem)
    return computed


def _look_after(answer: Answer, request: HttpRequest) -> None:
    """A page that waited for a job which failed shows why, and does not wait for another one."""
    waited_for = whole_number(request.GET.get("waits", ""))
    if answer.job is None or waited_for is None:
        return
    failed = Job.objects.filter(pk=waited_for, name=PREVIEW_POOL, task=answer.job.task_id, state=Job.FAILED).first()
    if failed is not None:
        answer.job = failed


def _context(task: Task, answer: Answer, query: QueryDict) -> dict[str, Any]:
    shared = {"task": task, "form": answer.form, "latest": latest_pool(task), "nothing": no_run_to_pool(task)}
    shared["families"] = in_families(STRATEGIES)
    preview = answer.preview
    if preview is None:
        return {**shared, "job": answer.job, "refused": bool(answer.form.errors)}
    figures = preview.figures
    return {
        **shared,
        "preview": preview,
        "figures": figures,
        "time": time_needed(preview),
        "pace": _pace(answer),
        "contributes": preview.spec.method.contributes(preview.spec.parameters),
        "comparison": other_values(answer.form, preview),
        **_lists(preview, query),
        "topic_bars": topic_bars(figures.topics),
        "bars": size_bars(figures.sizes),
        "coverage_bars": coverage_bars(figures.runs),
        "cautions": cautions_of(task, preview),
        "problem_of_a": answer.problem_of_a,
        "side_by_side": side_by_side(answer.other, preview) if answer.other else None,
        "differences": answer.differences,
    }


def _lists(preview: PoolPreview, query: QueryDict) -> dict[str, Any]:
    """The first rows of each list, or all that the address asks for. The overlap of many teams is shown on demand."""
    pooled = [(run, row, True) for run, row in preview.runs]
    runs = [*pooled, *((run, row, False) for run, row in preview.left_out)]
    topics = sorted(preview.figures.sizes.per_topic.items(), key=lambda row: natural_order(row[0]))
    teams = short_list(query, preview.teams, lambda row: row[0], of="team")
    return {
        "listed_runs": short_list(query, runs, lambda row: f"{row[0].tag} {row[0].team.name}", of="run"),
        "listed_teams": teams,
        "listed_topics": short_list(query, topics, lambda row: row[0]),
        "shows_overlap": not teams.is_long or "overlap" in query,
    }


def _question(task: Task, form: PoolForm, preview: PoolPreview) -> dict[str, Any]:
    latest = latest_pool(task)
    return {
        "task": task,
        "preview": preview,
        "latest": latest.version if latest else 0,
        "consequences": freezing_consequences(task, preview),
        "query": form.own_query,
    }


def _pace(answer: Answer) -> str:
    """Where the seconds per document come from."""
    if answer.pace is None or answer.form.cleaned_data["seconds"] != answer.form.seconds:
        return "assumed"
    return f"measured: the median of {number_of(answer.pace.judgments, 'judgment')} of this task"


def _freeze(request: HttpRequest, task: Task, form: PoolForm, asked: Asked) -> HttpResponse:
    latest = latest_pool(task)
    confirmed = Confirmed(asked.fingerprint, latest.version if latest else 0)
    if request.POST.get("fingerprint") != confirmed.fingerprint:
        changed = "The runs or topics have changed since you looked."
    elif request.POST.get("latest") != str(confirmed.latest):
        changed = f"Pool {confirmed.latest} came since you looked."
    else:
        changed = ""
    if changed:
        messages.warning(request, f"{changed} This is the pool as it would be now.")
        return redirect(f"{reverse('pool_create', kwargs=task.address)}?{form.query()}")
    try:
        pool_freeze_request(actor=signed_in(request.user), task=task, spec=asked.spec, confirmed=confirmed)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    return redirect(reverse("pool_list", kwargs=task.address))
