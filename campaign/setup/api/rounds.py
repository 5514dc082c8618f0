"""The next round of a task, by the form of its page."""

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Path, Router, Status

from campaign.api.auth import ORGANISING
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import path_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.api.tasks import TaskSettings, task_settings
from campaign.setup.forms.rounds import RoundForm
from campaign.setup.services.rounds import round_add
from campaign.web.links import absolute

router = Router(tags=["Organising: tasks"])
RoundIn = form_body("RoundIn", RoundForm)


@router.post(f"{TASK}/rounds", response={201: TaskSettings}, summary="Add the next round of a task", **ORGANISING)
def add_round(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: RoundIn,  # type: ignore[valid-type]
) -> Status[Any]:
    """A task in its set-up with the settings of this one, and its topics unless `with_topics` is false."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    values = accepted(as_sent(partial(RoundForm, follows=task), sent))
    added = round_add(actor=signed_in(request.user), task=task, **values)
    response["Location"] = absolute(reverse("api:read_task_settings", kwargs=path_of(added)))
    return Status(201, task_settings(added))
