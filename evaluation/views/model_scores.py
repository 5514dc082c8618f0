"""The grades of a model assessor beside people's, and runs scored by them: private to organisers who do not judge."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.model_scores import DEPTH, Agreement, model_scores
from judging.permissions import get_model_assessor_or_404


@require_safe
@login_required
def model_page(request: HttpRequest, campaign_slug: str, task_slug: str, key: int) -> HttpResponse:
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
