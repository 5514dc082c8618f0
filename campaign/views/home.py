from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaign.models import Role, Task
from campaign.selectors.home import campaign_entries, todos


def home(request: HttpRequest) -> HttpResponse:
    user = request.user
    entries = campaign_entries(user)
    published = (task for entry in entries for task in entry.tasks if task.phase == Task.PUBLISHED)
    context: dict[str, Any] = {"entries": entries, "published": next(published, None)}
    if user.is_authenticated:
        context["todos"] = todos(user)
        context["judges"] = Role.objects.filter(user=user, role=Role.ASSESSOR).exists()
    return render(request, "campaign/home.html", context)
