"""Who gets which topic: by hand, by a plan that is shown first, or by the assessors themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaign.models import Task, Topic, User
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.setup.selectors.interests import conflicts_in
from campaign.text.plurals import listed, number_of
from campaign.web.forms import add_errors, is_done, result_of
from judging.assigning.forms import (
    DOCUMENTS,
    AssignForm,
    DistributeForm,
    LanguagesForm,
    OverlapForm,
    PlanForm,
    RepeatForm,
    RulesForm,
)
from judging.assigning.selectors.planning import (
    Plan,
    distribution_plan,
    in_words,
    overlap_plan,
    repeats_plan,
    who_gets_what,
)
from judging.assigning.selectors.workload import assessor_roles, rules_of
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.assigning.services.planning import PlanChangedError, plan_carry_out
from judging.assigning.services.self_assignment import assigning_rules_set, languages_set, topic_take
from judging.assigning.views.parts import assigning_parts, loads_in_words
from judging.checkouts.services import claims_free
from judging.models import Assignment
from judging.permissions import get_judged_task_or_404, key_of
from judging.progress.selectors.progress import assessors_of, pool_numbered, task_assignments
from pooling.models import Pool

PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Planning:
    """One of the plans: its form, and how it is made."""

    form: type[PlanForm]
    make: Callable[[Pool, Any], Plan]


PLANS = {
    "distribute": Planning(DistributeForm, distribution_plan),
    "overlap": Planning(OverlapForm, overlap_plan),
    "repeats": Planning(RepeatForm, repeats_plan),
}


@dataclass(slots=True)
class Shown:
    """What was sent and is shown again: a form with its errors, or the preview of a plan."""

    forms: dict[str, Any] = field(default_factory=dict)
    preview: dict[str, Any] | None = None
    status: int = 200


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Assign, plan, set the rules, take a topic back or free what is held, by the button."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if request.method != "POST":
        return _show(request, task, Shown(preview=_first_preview(task)))
    for name, act in ACTS.items():
        if name in request.POST:
            return act(request, task)
    if plan := next((name for name in PLANS if name in request.POST), None):
        return _plan(request, task, plan)
    return _assign(request, task)


def _show(request: HttpRequest, task: Task, shown: Shown) -> HttpResponse:
    pool, people = pool_numbered(task), assessors_of(task)
    context: dict[str, Any] = {"task": task, "pool": pool, "assessors": people}
    context |= {"preview": shown.preview, "conflicts": conflicts_in(task.campaign)}
    if pool is not None and people:
        forms = _forms(task, pool, people) | shown.forms
        has = loads_in_words(pool, people)
        forms["distribute"].show_loads(has)
        forms["overlap"].show_loads(has)
        waits = shown.preview["name"] if shown.preview else ""
        context |= {**forms, **assigning_parts(task, pool, forms, waits)}
    return render(request, "judging/assigning.html", context, status=shown.status)


def _first_preview(task: Task) -> dict[str, Any] | None:
    """Who would get what if all assessors shared everything in the usual way; None where that would give nobody anything."""
    pool, people = pool_numbered(task), assessors_of(task)
    if pool is None or not people:
        return None
    usual = {"assessors": [person.pk for person in people], "by": DOCUMENTS, "avoids_conflicts": "on"}
    form = DistributeForm(usual, task=task)
    if not form.is_valid():
        return None
    plan = distribution_plan(pool, form.wish)
    again = [("assessors", person.pk) for person in people] + [("by", DOCUMENTS), ("avoids_conflicts", "on")]
    return {**_preview("distribute", plan, again), "is_first": True} if plan.rows else None


def _preview(name: str, plan: Plan, again: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    return {"name": name, "plan": plan, "gets": who_gets_what(plan), "again": again, "in_words": in_words(plan)}


def _forms(task: Task, pool: Pool, people: Sequence[User]) -> dict[str, Any]:
    return {
        "assign": AssignForm(task=task, pool=pool),
        "distribute": DistributeForm(task=task, initial={"assessors": people}),
        "overlap": OverlapForm(task=task, initial={"assessors": people}, auto_id="overlap_%s"),
        "repeats": RepeatForm(task=task, auto_id="repeats_%s"),
        "languages": LanguagesForm(roles=assessor_roles(task)),
        "rules": RulesForm(instance=rules_of(task), auto_id="rules_%s"),
    }


def _assign(request: HttpRequest, task: Task) -> HttpResponse:
    pool = pool_numbered(task)
    form = AssignForm(request.POST, task=task, pool=pool)
    if pool is not None:
        created = result_of(form, lambda: assignments_create(actor=signed_in(request.user), pool=pool, **form.chosen))
        if created is not None:
            return _show_created(request, task, created)
    return _show(request, task, Shown({"assign": form}, status=422))


def _plan(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    """Show who would get what, or do it if the plan is still the one that was shown."""
    pool, planning, sent = pool_numbered(task), PLANS[name], request.POST[name]
    form = planning.form(request.POST, task=task, auto_id=f"{name}_%s")
    if pool is None or not form.is_valid():
        return _show(request, task, Shown({name: form}, status=422))
    chosen: PlanForm = form

    def make() -> Plan:
        return planning.make(pool, chosen.wish)  # type: ignore[attr-defined]

    status = 200
    if sent != PREVIEW:
        try:
            created = plan_carry_out(actor=signed_in(request.user), pool=pool, make=make, shown=sent)
        except PlanChangedError as problem:
            messages.warning(request, problem.messages[0])
            status = 422
        except ValidationError as problem:
            add_errors(form, problem)
            return _show(request, task, Shown({name: form}, status=422))
        else:
            return _show_created(request, task, created)
    plan = make()
    again = [(key, value) for key, values in request.POST.lists() if key in form.fields for value in values]
    return _show(request, task, Shown({name: form}, _preview(name, plan, again), status))


def _show_created(request: HttpRequest, task: Task, created: Sequence[Assignment]) -> HttpResponse:
    if created:
        names = sorted({str(assignment.assessor) for assignment in created})
        topics = {assignment.topic_id for assignment in created}
        messages.success(request, f"{number_of(len(topics), 'topic')} assigned to {listed(names)}.")
    else:
        messages.info(
            request, "These topics are assigned already: nothing but a due date, if you wrote one, has changed."
        )
    return redirect(task.url("assignment_create"))


def _rules(request: HttpRequest, task: Task) -> HttpResponse:
    form = RulesForm(request.POST, instance=rules_of(task), auto_id="rules_%s")
    actor = signed_in(request.user)
    if not is_done(form, lambda: assigning_rules_set(actor=actor, task=task, fields=form.cleaned_data)):
        return _show(request, task, Shown({"rules": form}, status=422))
    messages.success(request, "The dates and rules are saved.")
    return redirect(task.url("assignment_create"))


def _languages(request: HttpRequest, task: Task) -> HttpResponse:
    form = LanguagesForm(request.POST, roles=assessor_roles(task))
    if not is_done(form, lambda: languages_set(actor=signed_in(request.user), task=task, languages=form.languages)):
        return _show(request, task, Shown({"languages": form}, status=422))
    messages.success(request, "What assessors read is saved.")
    return redirect(task.url("assignment_create"))


def _remove(request: HttpRequest, task: Task) -> HttpResponse:
    assignments = task_assignments(task).select_related("pool__task__campaign")
    assignment = get_or_404(assignments, pk=key_of(request.POST["remove"]))
    try:
        assignment_remove(actor=signed_in(request.user), assignment=assignment)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    else:
        messages.success(request, f"Topic {assignment.topic.number} is taken back from {assignment.assessor}.")
    return redirect(task.url("judging_progress"))


def _free(request: HttpRequest, task: Task) -> HttpResponse:
    assignments = task_assignments(task).select_related("pool__task__campaign")
    assignment = get_or_404(assignments, pk=key_of(request.POST["free"]))
    topic = f"topic {assignment.topic.number}"
    try:
        count = claims_free(actor=signed_in(request.user), assignment=assignment)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
        return redirect(task.url("judging_progress"))
    if count:
        messages.success(request, f"{number_of(count, 'document')} of {topic} can go to other assessors now.")
    else:
        messages.info(request, f"{assignment.assessor} holds no document of {topic} any more: nothing has changed.")
    return redirect(task.url("judging_progress"))


ACTS = {"remove": _remove, "free": _free, "rules": _rules, "languages": _languages}


@login_required
@require_POST
def topic_claim(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """An assessor takes a topic that nobody has."""
    task = get_judged_task_or_404(request.user, campaign_slug, task_slug)
    pool = pool_numbered(task)
    topic = get_or_404(Topic.objects.filter(task=task), pk=key_of(request.POST.get("topic", "")))
    try:
        if pool is None:
            raise ValidationError("There is no pool to judge yet: no topic can be taken.")
        topic_take(assessor=signed_in(request.user), pool=pool, topic=topic)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    else:
        messages.success(request, f"Topic {topic.number} is yours now.")
    return redirect(task.url("my_topics"))
