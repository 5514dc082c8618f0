from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.collection.forms import CorrectionForm
from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.topics import topics_are_in_use
from campaign.collection.views.corrections import is_saved, status_of_correction
from campaign.measures import measure_answers
from campaign.models import Campaign, Run, Task
from campaign.modes import MODES, GradeStep, Mode
from campaign.permissions import get_organised_campaign_or_404, get_organised_task_or_404, signed_in
from campaign.setup.forms.guidelines import corrected_words, stored_guidelines
from campaign.setup.forms.rounds import RoundForm
from campaign.setup.forms.settings_page import TABLES, TaskSettings, with_usual_measures
from campaign.setup.forms.settings_parts import OF_SUBTOPICS, task_parts
from campaign.setup.scale_cautions import scale_cautions, scale_remarks
from campaign.setup.selectors.edits import Edit, edits_since, newest_edit, with_edits
from campaign.setup.selectors.rounds import earlier_rounds
from campaign.setup.selectors.score_visibility_in_words import shown_cautions
from campaign.setup.services.guideline_corrections import guidelines_correct
from campaign.setup.services.rounds import round_add
from campaign.setup.services.setting_checks import CHECKED_BY, ORDERED_BY, UNFIT_FOR_MODE
from campaign.setup.services.tasks import UnconfirmedChangesError
from campaign.setup.services.tasks import task_create as create
from campaign.setup.services.tasks import task_update as update
from campaign.web.asking_once import once
from campaign.web.forms import result_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_create(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    settings = TaskSettings(with_usual_measures(request.POST) or None, campaign=campaign)
    if settings.is_valid():
        try:
            task = create(actor=signed_in(request.user), campaign=campaign, **settings.values())
        except ValidationError as problem:
            settings.add_errors(problem)
        else:
            for caution in _cautions(task):
                messages.warning(request, caution)
            said = f"{task} is created. Next come its topics and documents."
            messages.success(request, said, extra_tags=request.path)
            return redirect(task.url("files_import"))
    return _form_page(request, "campaign/setup/task_create.html", campaign, settings)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_edit(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    settings, edits = _settings_sent(request, task)
    before = {name: getattr(task, name) for name in CHECKED_BY}
    unconfirmed = None
    if not edits and settings.is_valid():
        is_confirmed = "confirmed" in request.POST
        try:
            changed = update(actor=signed_in(request.user), task=task, is_confirmed=is_confirmed, **settings.values())
        except UnconfirmedChangesError as asked:
            unconfirmed = asked
        except ValidationError as problem:
            settings.add_errors(problem)
        else:
            return _saved(request, changed, before)
    run_count = Run.objects.filter(task=task).counting().count()
    stored = Task.objects.select_related("campaign", "collection").get(
        pk=task.pk
    )  # the form has put the entries that were sent on its own
    context = {
        "task": stored,
        "run_count": run_count,
        "in_use": topics_are_in_use(task),
        "unconfirmed": unconfirmed,
        "edits": edits,
        "seen": newest_edit(stored),
        "shown": TaskSettings(None, task=stored, campaign=task.campaign, scale=_scale(stored)).digests(),
        "cautions": _cautions(stored),
        "remarks": scale_remarks(_scale(stored), stored.lowest_relevant_grade),
    }
    return _form_page(request, "campaign/setup/task_edit.html", task.campaign, settings, **context)


def _settings_sent(request: HttpRequest, task: Task) -> tuple[TaskSettings, list[Edit]]:
    """The form as it was sent, and what somebody else changed meanwhile, which then stands in it."""
    shared: dict[str, Any] = {"campaign": task.campaign, "scale": _scale(task)}
    if request.method != "POST":
        return TaskSettings(None, task=task, **shared), []
    stored, sent = TaskSettings(None, task=Task.objects.get(pk=task.pk), **shared), request.POST
    own = bool(sent.get("restored"))
    tables = TaskSettings(sent, task=Task.objects.get(pk=task.pk), **shared).tables_to_tell(sent)
    edits = edits_since(request.user, task, sent, stored.form, tables, own=own)
    data = with_edits(with_usual_measures(sent), edits, stored.form)
    for name in {edit.name for edit in edits} & TABLES.keys():
        stored.put_rows(name, data)
    return TaskSettings(data, task=task, **shared), edits


def _cautions(task: Task) -> list[str]:
    """What is odd about the settings of the scores; none of it prevents anything."""
    return [
        *scale_cautions(_scale(task), task.lowest_relevant_grade),
        *measure_answers().pool_cautions(task, None, ""),
        *shown_cautions(task),
    ]


def _saved(request: HttpRequest, task: Task, before: dict[str, Any]) -> HttpResponse:
    for caution in _cautions(task):
        messages.warning(request, caution)
    has_other_rules = any(getattr(task, name) != value for name, value in before.items())
    if has_other_rules and Run.objects.filter(task=task).exclude(state=Run.WITHDRAWN).exists():
        is_reordered = any(getattr(task, name) != before[name] for name in ORDERED_BY)
        words = (
            "All runs are checked and scored again in the new order."
            if is_reordered
            else "The rules have changed: you can have the runs that are here checked again."
        )
        messages.success(request, f"Saved. {words}", extra_tags=request.path)
        return redirect(task.url("runs_recheck"))
    messages.success(request, "Saved.", extra_tags=request.path)
    return redirect(task)


def _form_page(
    request: HttpRequest, template: str, campaign: Campaign, settings: TaskSettings, **more: Any
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "usual": {mode.name: _usual(mode) for mode in MODES.values()},
        "usual_scales": "; ".join(map(_scale_in_words, MODES.values())),
        "parts": task_parts(settings, frozenset(edit.name for edit in more.get("edits", ()))),
        "of_subtopics": OF_SUBTOPICS,
        "has_unfit_measures": settings.form.has_error("measures", UNFIT_FOR_MODE),
        "families": measure_answers().families(),
        **settings.context(),
        "refused": settings.is_refused,
        **more,
    }
    status = 409 if more.get("edits") else 422 if context["refused"] else 200
    return render(request, template, context, status=status)


def _usual(mode: Mode) -> dict[str, Any]:
    return {
        "scale": mode.scale,
        "measures": mode.measures,
        "lowest_relevant_grade": mode.lowest_relevant_grade,
    }


def _scale_in_words(mode: Mode) -> str:
    return f"{mode.label}: {', '.join(str(step['value']) for step in mode.scale)}"


def _scale(task: Task) -> list[GradeStep]:
    return [grade.step() for grade in once((_scale, task.pk), lambda: list(task.grades.all()))]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def round_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    place = len(earlier_rounds(task)) + 2
    proposed = {
        "title": f"{task.title}, round {place}"[:120],
        "slug": f"{task.slug}-{place}"[:50],
        "round_kind": Task.TEST,
    }
    form = RoundForm(request.POST or None, follows=task, initial=proposed)
    if added := result_of(form, lambda: round_add(actor=signed_in(request.user), task=task, **form.cleaned_data)):
        messages.success(request, f"{added} is created, in its set-up. Look through its settings, topics and dates.")
        return redirect(added)
    context = {"form": form, "task": task}
    return render(request, "campaign/setup/round_create.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def guidelines_edit(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    settled = texts_are_settled(task)
    entries, seen = stored_guidelines(task)
    form = CorrectionForm(request.POST or None, entries=entries, seen=seen, settled=settled)
    if form.is_valid():
        guidelines, grades = corrected_words(form)
        actor = signed_in(request.user)
        save = partial(guidelines_correct, actor=actor, task=task, guidelines=guidelines, grades=grades)
        if is_saved(form, save, partial(stored_guidelines, task), task):
            messages.success(request, "The guidelines are corrected.")
            return redirect(task)
    context = {"task": task, "form": form, "settled": settled}
    return render(request, "campaign/setup/guidelines_edit.html", context, status=status_of_correction(form))
