"""Released versions of the qrels: list, release, one version, its files."""

from typing import Any, Final

import polars as pl
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from campaign.collection.views.import_pages import pages_of
from campaign.models import Import, Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.setup.selectors.phases import moves_on
from campaign.storage.reading import open_verified
from campaign.text.plurals import number_of
from campaign.web.forms import result_of
from campaign.web.short_lists import short_list
from judging.core.resolution import policy_in_words
from judging.core.set_names import set_in_words
from judging.forms import ReleaseForm
from judging.judgments.selectors.at_revision import last_acts
from judging.models import Qrels
from judging.permissions import get_qrels_or_404
from judging.progress.selectors.alarms import release_caution
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.exports import judgments_csv, qrels_file_name
from judging.qrels.import_forms import QrelsImportForm
from judging.qrels.selectors.differences import released_difference, version_before
from judging.qrels.selectors.manifests import manifest_of
from judging.qrels.selectors.publication import showing_consequences
from judging.qrels.selectors.qrels_sets import qrels_sets
from judging.qrels.selectors.releases import (
    grade_counts,
    released_table,
    scored_but_telling_nothing,
)
from judging.qrels.selectors.releasing import ReleaseQuestion, has_or_have, release_question
from judging.qrels.services.imports import QRELS_JOBS
from judging.qrels.services.publication import qrels_show as show
from judging.qrels.services.releases import qrels_release as release
from judging.qrels.services.repairs import qrels_repairs
from judging.qrels.views.release_counts import chosen, release_counts
from judging.selectors.todo import releases_next
from pooling.core.preview.exactness import exactness
from pooling.core.strategies.strata import ESTIMATORS
from pooling.models import Pool
from pooling.selectors.samples import is_sample

GRADES_SHOWN = 12
"""Columns of the counts, at most: a set may have a scale of percentages."""


@require_safe
def qrels_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises = is_organiser(request.user, task.campaign)
    context = {
        "task": task,
        "sets": _by_set(request, task),
        "organises": organises,
        "releases_next": organises and releases_next(signed_in(request.user), task),
    }
    return render(request, "judging/qrels_list.html", context)


def _by_set(request: HttpRequest, task: Task) -> list[tuple[str, list[Qrels]]]:
    """The name of each set that the user sees a version of, in words, and these versions."""
    versions = list(Qrels.objects.visible_to(request.user).filter(task=task).select_related("released_by", "pool"))
    grouped = ((name, [one for one in versions if one.set_name == name]) for name in qrels_sets(task))
    return [(set_in_words(name), found) for name, found in grouped if found]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qrels_release(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = pool_numbered(task)
    asked = _asked(pool, request.POST) if pool else None
    form = _release_form(request.POST or None, task, asked)
    shows = "show" in request.POST
    if pool is not None and request.method == "POST" and not shows:
        qrels = result_of(
            form, lambda: release(actor=signed_in(request.user), task=task, pool=pool, **form.cleaned_data)
        )
        if qrels is not None:
            if qrels.unjudged_count:
                messages.warning(request, _without_grade(qrels))
            messages.success(request, f"{qrels} is released; every valid run is scored with it.")
            return redirect(qrels)
    context = {
        "task": task,
        "pool": pool,
        "form": form,
        "asked": asked,
        "caution": release_caution(task),
        "what": f"Release the judgments of pool {pool.version}" if pool else "",
        "consequences": [*asked.consequences, *moves_on(task, Task.SCORES)] if asked else [],
    }
    if shows and pool is not None:
        context |= _counts(pool, form)
    return render(request, "judging/qrels_release.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def qrels_release_counts(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The counts under the choice that the address names, for the page of the release; to others than htmx that page."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = pool_numbered(task)
    if pool is None or not request.htmx:  # type: ignore[attr-defined]
        return redirect(task.url("qrels_release"))
    form = _release_form(request.GET, task, _asked(pool, request.GET))
    return render(request, "judging/_release_counts.html", {"task": task, **_counts(pool, form)})


def _asked(pool: Pool, sent: QueryDict) -> ReleaseQuestion:
    """By the policy that is chosen; before one is, as the form shows it at first."""
    if "policy" not in sent:
        return release_question(pool, adjudicated=True)
    return release_question(pool, sent.get("policy", ""), adjudicated="adjudicated" in sent)


def _release_form(data: QueryDict | None, task: Task, asked: ReleaseQuestion | None) -> ReleaseForm:
    return ReleaseForm(
        data,
        doubtful=asked.topics_that_tell_nothing if asked else {},
        most_votes=asked.most_votes if asked else 0,
        decisions=asked.decisions if asked else 0,
        subtopics=task.mode.needs_subtopics,
    )


def _counts(pool: Pool, form: ReleaseForm) -> dict[str, Any]:
    choice = chosen(form)
    return {"counts": release_counts(pool, **choice) if choice else None, "refused": choice is None}


def _without_grade(qrels: Qrels) -> str:
    count = qrels.unjudged_count
    return f"{number_of(count, 'pooled pair')} {has_or_have(count)} no grade in this version."


@require_safe
def qrels_detail(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    table = released_table(qrels, "overall")
    reach = qrels.pool.reach if qrels.pool is not None else None
    grades = _shown_grades(task, table)
    before = version_before(request.user, qrels)
    titles = dict(task.topics.values_list("number", "title"))
    context = {
        "task": task,
        "qrels": qrels,
        "grades": grades,
        "listed": short_list(
            request.GET,
            grade_counts(table, [value for value, _ in grades], qrels.lowest_relevant_grade),
            lambda row: f"{row['topic']} {titles.get(row['topic'], '')}",
        ),
        "lines": table.height,
        "policy": policy_in_words(qrels.policy),
        "manifest": manifest_of(qrels),
        "doubtful": scored_but_telling_nothing(qrels, table),
        "organises": is_organiser(request.user, task.campaign),
        "estimators": ESTIMATORS.get(qrels.sampled_by, ""),
        "exactness": exactness(reach) if reach is not None else (),
        "lacks_sample": not qrels.sampled_by and qrels.pool is not None and is_sample(qrels.pool),
        "newer": _newer(request, task, qrels),
        "difference": released_difference(before, qrels) if before else None,
    }
    return render(request, "judging/qrels_detail.html", context)


def _shown_grades(task: Task, table: pl.DataFrame) -> list[tuple[int, str]]:
    """The grades of the task with their labels, and those of another scale in the table; none where these are too many."""
    labels = dict(task.grades.values_list("value", "label"))
    values = sorted(labels.keys() | set(table.filter(pl.col("grade") >= 0)["grade"].unique()))
    return [(value, labels.get(value, "")) for value in values] if len(values) <= GRADES_SHOWN else []


def _newer(request: HttpRequest, task: Task, qrels: Qrels) -> Qrels | None:
    same_set = Qrels.objects.visible_to(request.user).filter(task=task, set_name=qrels.set_name)
    return same_set.filter(version__gt=qrels.version).first()


@require_safe
def qrels_download(
    request: HttpRequest, campaign_slug: str, task_slug: str, version: int, table: str = "overall"
) -> FileResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    file, kind, extension = {
        "overall": (qrels.file, "qrels", "txt"),
        "by_subtopic": (qrels.subtopic_file, "subtopic-qrels", "txt"),
        "sample": (qrels.sample_file, "sample-qrels", "txt"),
        "twins": (qrels.twins_file, "near-identical", "txt"),
        "manifest": (qrels.manifest_file, "manifest", "json"),
    }[table]
    if not file:
        raise Http404
    name = qrels_file_name(qrels, kind, extension)
    content_type = "application/json" if extension == "json" else "text/plain; charset=utf-8"
    content = open_verified(str(file.name), found_by="a download of qrels")
    return FileResponse(content, as_attachment=True, filename=name, content_type=content_type)


@login_required
@require_safe
def judgments_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> StreamingHttpResponse:
    """Who judged what, under pseudonyms: for organisers only, as raw judgments are."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    if not manifest_of(qrels).get("last_judgment"):
        raise Http404
    name = qrels_file_name(qrels, "judgments", "csv")
    headers = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    return StreamingHttpResponse(judgments_csv(qrels), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qrels_show(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """Ask before a version is shown to everybody who sees the task, then show it."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    if request.method == "POST":
        try:
            show(actor=signed_in(request.user), qrels=qrels)
        except ValidationError as problem:
            messages.warning(request, problem.messages[0])
        else:
            messages.success(request, f"Everybody who sees the task now sees {qrels}.")
        return redirect(qrels)
    context = {"task": task, "qrels": qrels, "consequences": showing_consequences(qrels)}
    return render(request, "judging/qrels_show.html", context)


def _beside_import(task: Task) -> dict[str, Any]:
    return {
        "scale": ", ".join(str(grade.value) for grade in task.grades.all()),
        "qrels": task.qrels.order_by("-version").first(),
        "moves_on": moves_on(task, Task.SCORES),
        "newest": last_acts(task),
    }


QRELS_PAGES: Final = {
    Import.QRELS: pages_of(
        QrelsImportForm,
        QRELS_JOBS,
        url_names="qrels_import",
        list_name="qrels_list",
        noun="line",
        verb="Release",
        working="Releasing the qrels",
        nothing="No qrels were released.",
        context=_beside_import,
        repairs=qrels_repairs,
    )
}
