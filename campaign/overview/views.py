from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.models import Registration, Role, Task
from campaign.overview.selectors.home import campaign_entries, todos
from campaign.overview.selectors.next_steps import Reader, next_steps
from campaign.overview.selectors.task import task_overview
from campaign.permissions import get_campaign_or_404, get_task_or_404, may_found_campaigns
from campaign.teams.selectors.team_table import state_counts
from campaign.teams.selectors.teams import own_registrations


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    user = request.user
    entries = campaign_entries(user)
    published = (task for entry in entries for task in entry.tasks if task.phase == Task.PUBLISHED)
    context: dict[str, Any] = {
        "entries": entries,
        "published": next(published, None),
        "founds": may_found_campaigns(user),
    }
    if user.is_authenticated:
        context["todos"] = todos(user)
        context["judges"] = Role.objects.filter(user=user, role=Role.ASSESSOR).exists()
    return render(request, "campaign/overview/home.html", context)


@require_safe
def campaign_detail(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    tasks = list(Task.objects.visible_to(request.user).filter(campaign=campaign).select_related("campaign"))
    reader = Reader.of(request.user, campaign)
    steps = next_steps(reader, tasks)
    context = {
        "campaign": campaign,
        "tasks": tasks,
        "rows": [(task, steps[task.pk]) for task in tasks],
        "has_steps": any(steps.values()),
        "team_count": campaign.registrations.approved().count(),
        "waiting_count": state_counts(campaign)[Registration.REQUESTED],
        "organises": reader.organises,
        "asked": own_registrations(request.user, campaign),
    }
    return render(request, "campaign/overview/campaign_detail.html", context)


@require_safe
def task_detail(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    overview = task_overview(request.user, task)
    return render(request, "campaign/overview/task_detail.html", {"task": task, "overview": overview})
