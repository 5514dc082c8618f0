"""Every judgment, and the history of a document, to read only: for organisers."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from campaign.permissions import get_or_404, get_organised_task_or_404
from judging.forms import JudgmentFilterForm
from judging.judgments.selectors.versions import SeenVersions
from judging.models import Judgment
from judging.progress.selectors.history import acts_on, document_of, listed_judgments, titles_of
from judging.progress.selectors.progress import task_assignments

JUDGMENTS_ON_A_PAGE = 50


@login_required
@require_safe
def judgment_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Pages follow each other by the last key shown: no count, so that a page costs the same however many there are."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form = JudgmentFilterForm(request.GET, task=task)
    found = (
        listed_judgments(task, form.wanted())[: JUDGMENTS_ON_A_PAGE + 1] if form.is_valid() else Judgment.objects.none()
    )
    rows = list(found)
    shown = rows[:JUDGMENTS_ON_A_PAGE]
    titles = titles_of(task, [row.docno for row in shown])
    seen = SeenVersions(task, {key for row in shown for key in (row.docno, row.topic.number)})
    labels: dict[int | None, str] = {grade.value: grade.label for grade in task.grades.all()}
    chosen = form.cleaned_data.get("assignment")
    context = {
        "task": task,
        "form": form,
        "assignment": task_assignments(task).filter(pk=chosen).first() if chosen else None,
        "rows": [
            {
                "judgment": row,
                "title": titles.get(row.docno, ""),
                "label": labels.get(row.grade, ""),
                "versions": seen.of(row) if seen.are_several(row) else None,
            }
            for row in shown
        ],
        "next_before": shown[-1].pk if len(rows) > JUDGMENTS_ON_A_PAGE else None,
    }
    return render(request, "judging/judgment_list.html", context, status=200 if form.is_valid() else 422)


@login_required
@require_safe
def judgment_history(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    topic = get_or_404(task.topics.all(), number=topic_number)
    docno = request.GET.get("docno", "")
    if not docno:
        return redirect(task.url("judgment_list"))
    acts = list(acts_on(topic, docno))
    if not acts:
        raise Http404("Nobody has judged this document for this topic.")
    seen = SeenVersions(task, [topic_number, docno])
    names: dict[UUID | None, int] = {act.uuid: number for number, act in enumerate(acts, start=1)}
    context = {
        "task": task,
        "topic": topic,
        "docno": docno,
        "document": document_of(task, docno),
        "acts": [
            {"act": act, "previous": names.get(act.previous), "undoes": names.get(act.undoes), **seen.of(act)}
            for act in acts
        ],
    }
    return render(request, "judging/judgment_history.html", context)
