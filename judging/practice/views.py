"""Practice on documents with known answers: for newcomers, and for the organisers who give the answers."""

from typing import Any

from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.collection.selectors.displays import display_of_docno
from campaign.collection.views.documents import WITH_FRAME
from campaign.models import Task, User
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.text.plurals import number_of
from campaign.web.forms import result_of, status_of
from judging.core.keyboard_shortcuts import command_keys
from judging.core.modes.declaration import JudgedTopic, Step
from judging.core.modes.grades import buttons
from judging.permissions import get_practised_task_or_404, key_of
from judging.practice.forms import PracticeForm, PracticeGradeForm
from judging.practice.selectors import (
    Practised,
    Round,
    answers_of,
    lines_of,
    pooled_answers,
    round_of,
    rounds_of_all,
)
from judging.practice.services import practice_grade, practice_set


@login_required
@never_cache
@csp_update(WITH_FRAME)  # type: ignore[arg-type]
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_practised_task_or_404(request.user, campaign_slug, task_slug)
    user = signed_in(request.user)
    if request.method == "POST":
        return _grade(request, task, user)
    current = round_of(task, user, key_of(request.GET.get("round", "")))
    asked = key_of(request.GET.get("answer", ""))
    shown = next((row for row in current.graded if row.answer.pk == asked), current.next)
    context = {"task": task, "round": current, "shown": shown}
    if shown is None:
        return render(request, "judging/practice_summary.html", context)
    return render(request, "judging/practice.html", context | _desk(task, shown, current, user))


def _desk(task: Task, shown: Practised, current: Round, user: User) -> dict[str, Any]:
    steps = tuple(Step(grade.value, grade.label, grade.key, grade.definition) for grade in task.grades.all())
    topic = JudgedTopic(shown.answer.topic.number, steps)
    grades = [{"key": step.key, "does": f"grade {step.value} {step.label}"} for step in steps if step.key]
    keys = command_keys((step.key for step in steps), user.desk_keys)
    following = {"key": keys["following"], "does": "next document, once you have seen the answer (also →)"}
    labels = {step.value: f"{step.value} {step.label}" for step in steps}
    return {
        "document": display_of_docno(task, shown.answer.docno),
        "part": buttons(topic),
        "keys": keys,
        "shortcuts": [*grades, following],
        "given": labels.get(shown.given) if shown.given is not None else None,
        "known": labels.get(shown.answer.grade, str(shown.answer.grade)),
        "place": current.rows.index(shown) + 1,
    }


def _grade(request: HttpRequest, task: Task, user: User) -> HttpResponseRedirect:
    form = PracticeGradeForm(request.POST)
    if not form.is_valid():
        messages.error(request, "No grade was stored: give a grade by one of the buttons.")
        return redirect(task.url("practice"))
    answer = get_or_404(answers_of(task), pk=form.cleaned_data["answer"])
    number = form.cleaned_data["round"]
    try:
        practice_grade(user=user, answer=answer, round_number=number, grade=form.cleaned_data["grade"])
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
        return redirect(task.url("practice"))
    return redirect(f"{task.url('practice')}?round={number}&answer={answer.pk}")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice_answers(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form = PracticeForm(request.POST or None, request.FILES or None, initial={"lines": lines_of(task)})
    problems = None
    actor = signed_in(request.user)
    if read := result_of(form, lambda: practice_set(actor=actor, task=task, text=form.cleaned_data["lines"])):
        if read.problems.ok:
            messages.success(request, f"Practice has {number_of(len(read.answers), 'document')} now.")
            return redirect(task.url("practice_answers"))
        problems = read.problems.to_json()
    context = {
        "task": task,
        "form": form,
        "problems": problems,
        "refused": problems is not None,
        "answers": answers_of(task).count(),
        "pooled": pooled_answers(task),
        "rounds": rounds_of_all(task),
        "example": task.topics.first(),
    }
    return render(request, "judging/practice_answers.html", context, status=422 if problems else status_of(form))
