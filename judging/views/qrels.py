"""Released versions of the qrels: list, release, one version, its files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.forms import add_errors
from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.setup.selectors.phases import moves_on
from campaign.storage.reading import open_verified
from campaign.words import number_of
from judging.forms import ReleaseForm
from judging.models import Qrels
from judging.permissions import get_qrels_or_404
from judging.resolution import LATEST, VOTES_FOR_MAJORITY, policy_in_words
from judging.selectors.progress import pool_numbered
from judging.selectors.releases import (
    Draft,
    grade_counts,
    release_draft,
    released_table,
    scored_but_telling_nothing,
)
from judging.services.releases import qrels_release as release
from judging.views.samples import sample_consequences
from pooling.figures.exactness import exactness
from pooling.models import Pool
from pooling.selectors.samples import is_sample
from pooling.strategies.strata import ESTIMATORS


@require_safe
def qrels_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    context = {
        "task": task,
        "versions": Qrels.objects.visible_to(request.user).filter(task=task).select_related("released_by", "pool"),
        "organises": is_organiser(request.user, task.campaign),
    }
    return render(request, "judging/qrels_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qrels_release(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = pool_numbered(task)
    draft = release_draft(pool, LATEST) if pool else None
    form = ReleaseForm(request.POST or None, draft=draft)
    if pool is not None and request.method == "POST" and form.is_valid():
        try:
            qrels = release(actor=signed_in(request.user), task=task, pool=pool, **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            if qrels.unjudged_count:
                messages.warning(request, _without_grade(qrels))
            messages.success(request, f"{qrels} is released; every valid run is scored with it.")
            return redirect(qrels)
    context = {
        "task": task,
        "pool": pool,
        "form": form,
        "draft": draft,
        "what": f"Release the judgments of pool {pool.version}" if pool else "",
        "consequences": _consequences(pool, draft),
    }
    return render(request, "judging/qrels_release.html", context, status=422 if form.errors else 200)


def _without_grade(qrels: Qrels) -> str:
    count = qrels.unjudged_count
    return f"{number_of(count, 'pooled pair')} {_has(count)} no grade in this version."


def _consequences(pool: Pool | None, draft: Draft | None) -> list[str]:
    if pool is None or draft is None:
        return []
    pairs = f"{draft.judged:,} of {number_of(draft.table.height, 'topic-document pair')}"
    lines = [
        f"{pairs} {_has(draft.judged)} a grade.",
        f"Relevant (grade {draft.lowest_relevant} or above): {draft.relevant:,}.",
        f"Runs are scored on {number_of(len(draft.topics), 'topic')}, those with at least one grade.",
    ]
    if draft.taken:
        lines.append(
            f"{number_of(draft.taken, 'grade')} taken from near-identical documents; a second file names both."
        )
    if draft.unjudged:
        lines.append(f"Not judged: {number_of(draft.unjudged, 'pair')}, released as -1, never as 0.")
    if draft.cannot_judge:
        lines.append(f"Could not be judged: {number_of(draft.cannot_judge, 'pair')}, released as -2.")
    if draft.unfinished:
        lines.append(
            f"{number_of(draft.unfinished, 'assignment')} {'is' if draft.unfinished == 1 else 'are'} not finished."
        )
    lines += sample_consequences(draft.sample)
    if left_out := draft.topics_left_out:
        pairs_left_out = number_of(draft.table.height - draft.released.height, "pair")
        topics_left_out = f"{number_of(len(left_out), 'topic')} without any grade, left out with {pairs_left_out}"
        lines.append(f"{topics_left_out}: {', '.join(left_out)}.")
    if draft.topics_that_tell_nothing:
        lines.append(
            f"Runs cannot be told apart on {number_of(len(draft.topics_that_tell_nothing), 'topic')}. Where no document is "
            "relevant, AP, P, R, RR and bpref are 0 for every run, and lower every mean. You can leave such topics out below."
        )
    if draft.pairs_of_few_votes:
        lines.append(_few_votes(draft))
    lines.append("A released version cannot be changed; judging can go on, and a later release is a new version.")
    return lines + moves_on(pool.task, Task.SCORES)


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _few_votes(draft: Draft) -> str:
    """What the policies make of pairs with fewer votes than a majority needs."""
    counts = f"Pairs with fewer than {VOTES_FOR_MAJORITY} grades: {draft.pairs_of_few_votes:,} of {sum(draft.votes.values()):,}."
    if max(draft.votes) < 2:
        return (
            f"{counts} No pair has two, so all policies but strict-majority give the same; that one gives none a grade."
        )
    return (
        f"{counts} Of two different grades plurality takes the higher, median the lower, strict-majority none. "
        f"The numbers here are by {LATEST}."
    )


@require_safe
def qrels_detail(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    grades = list(task.grades.all())
    table = released_table(qrels, "overall")
    reach = qrels.pool.reach if qrels.pool is not None else None
    context = {
        "task": task,
        "qrels": qrels,
        "grades": grades,
        "rows": grade_counts(table, [grade.value for grade in grades], qrels.lowest_relevant_grade),
        "lines": table.height,
        "policy": policy_in_words(qrels.policy),
        "doubtful": scored_but_telling_nothing(qrels, table),
        "organises": is_organiser(request.user, task.campaign),
        "estimators": ESTIMATORS.get(qrels.sampled_by, ""),
        "exactness": exactness(reach) if reach is not None else (),
        "lacks_sample": not qrels.sampled_by and qrels.pool is not None and is_sample(qrels.pool),
        "newer": _newer(request, task, qrels),
    }
    return render(request, "judging/qrels_detail.html", context)


def _newer(request: HttpRequest, task: Task, qrels: Qrels) -> Qrels | None:
    return Qrels.objects.visible_to(request.user).filter(task=task, version__gt=qrels.version).first()


@require_safe
def qrels_download(
    request: HttpRequest, campaign_slug: str, task_slug: str, version: int, table: str = "overall"
) -> FileResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    file, kind = {
        "overall": (qrels.file, "qrels"),
        "by_subtopic": (qrels.subtopic_file, "subtopic-qrels"),
        "sample": (qrels.sample_file, "sample-qrels"),
        "twins": (qrels.twins_file, "near-identical"),
    }[table]
    if not file:
        raise Http404
    name = f"{task.campaign.slug}-{task.slug}-{kind}-v{version}.txt"
    content_type = "text/plain; charset=utf-8"
    content = open_verified(str(file.name), found_by="a download of qrels")
    return FileResponse(content, as_attachment=True, filename=name, content_type=content_type)
