"""Closing, archiving and deleting campaigns, deleting tasks in their set-up, and restoring what was deleted."""

from datetime import datetime
from typing import Annotated, Literal

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Field, Path, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.bodies import ToConfirm
from campaign.api.fields import LARGEST, Text
from campaign.api.forms import accepted
from campaign.api.paths import CAMPAIGN, TASK, CampaignPath, TaskPath
from campaign.models import Campaign
from campaign.permissions import get_or_404, get_organised_campaign_or_404, get_organised_task_or_404, signed_in
from campaign.setup.forms.lifecycle import DeleteForm
from campaign.setup.selectors.lifecycle import (
    DELETE,
    TASK_DELETED,
    Deleted,
    Way,
    deleted_by_kind,
    deleted_campaigns,
    deleted_tasks,
    ways_of,
)
from campaign.setup.services import deletions, lifecycle
from campaign.web.links import absolute

router = Router(tags=["Organising: campaigns"])
STATE, TRASH = f"{CAMPAIGN}/state", "/trash"
Key = Annotated[int, Path(ge=1, le=LARGEST)]


class WayOut(Schema):
    act: str = Field(description="close, reopen, archive, unarchive or delete; the last one at an address of its own.")
    consequences: list[str]
    why_not: str = Field(description="What stands against it; empty: it can be done.")


class StateOut(Schema):
    opened_at: datetime | None
    closed_at: datetime | None
    archived_at: datetime | None
    ways: list[WayOut] = Field(description="What can become of the campaign as it is now.")


class CampaignActIn(ToConfirm):
    act: Literal["close", "reopen", "archive", "unarchive"]


class DeleteIn(ToConfirm):
    address: Text = Field(max_length=50, description="The slug of what is deleted, once more.")


class DeletedOut(Schema):
    kind: Literal["campaign", "task"]
    id: int
    title: str
    url: str = Field(description="Its page, once it is restored.")
    deleted_at: datetime
    until: datetime = Field(description="Then it is removed for good.")


@router.get(STATE, response=StateOut, summary="Read what can become of a campaign")
def read_campaign_state(request: HttpRequest, path: Path[CampaignPath]) -> StateOut:
    """For organisers: closing, archiving, deleting, what each means, and what stands against it."""
    return _state(get_organised_campaign_or_404(request.user, path.campaign))


@router.post(STATE, response=StateOut, summary="Close, reopen or archive a campaign", **ORGANISING)
def change_campaign_state(request: HttpRequest, path: Path[CampaignPath], data: CampaignActIn) -> StateOut:
    """Or take it out of the archive. What is not among its `ways` now is refused."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    data.require(_way(campaign, data.act).consequences)
    return _state(lifecycle.ACTS[data.act](actor=signed_in(request.user), campaign=campaign))


@router.post(f"{CAMPAIGN}/delete", response={204: None}, summary="Delete a campaign", **ORGANISING)
def delete_campaign(request: HttpRequest, path: Path[CampaignPath], data: DeleteIn) -> Status[None]:
    """Only one that holds nobody else's work. It can be restored for a time."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    way = _way(campaign, DELETE)
    accepted(DeleteForm({"act": DELETE, "address": data.address}, slug=campaign.slug))
    data.require(way.consequences)
    deletions.campaign_delete(actor=signed_in(request.user), campaign=campaign)
    return Status(204, None)


@router.post(f"{TASK}/delete", response={204: None}, summary="Delete a task", tags=["Organising: tasks"], **ORGANISING)
def delete_task(request: HttpRequest, path: Path[TaskPath], data: DeleteIn) -> Status[None]:
    """Only in its set-up. It can be restored for a time."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    deletions.require_deletable(task)
    accepted(DeleteForm({"act": DELETE, "address": data.address}, slug=task.slug))
    data.require(TASK_DELETED)
    deletions.task_delete(actor=signed_in(request.user), task=task)
    return Status(204, None)


@router.get(TRASH, response=list[DeletedOut], summary="List what was deleted")
def list_deleted(request: HttpRequest) -> list[DeletedOut]:
    """Of the campaigns that you organise, as long as it can be restored."""
    return [_deleted(one) for one in deleted_by_kind(signed_in(request.user))]


@router.post(f"{TRASH}/{{kind}}/{{deleted}}/restore", response={204: None}, summary="Restore", **ORGANISING)
def restore_deleted(request: HttpRequest, kind: Literal["campaign", "task"], deleted: Key) -> Status[None]:
    """A campaign as it was, with the tasks that were deleted with it; or one task."""
    user = signed_in(request.user)
    if kind == "campaign":
        deletions.campaign_restore(actor=user, pk=get_or_404(deleted_campaigns(user), pk=deleted).pk)
    else:
        deletions.task_restore(actor=user, pk=get_or_404(deleted_tasks(user), pk=deleted).pk)
    return Status(204, None)


def _way(campaign: Campaign, act: str) -> Way:
    ways = ways_of(campaign)
    found = next((way for way in ways if way.act == act), None)
    if found is None:
        raise ValidationError({"act": f"This cannot be done now. What can be: {', '.join(way.act for way in ways)}."})
    if found.why_not:
        raise ValidationError(found.why_not)
    return found


def _state(campaign: Campaign) -> StateOut:
    ways = [WayOut(act=way.act, consequences=way.consequences, why_not=way.why_not) for way in ways_of(campaign)]
    times = {name: getattr(campaign, name) for name in ("opened_at", "closed_at", "archived_at")}
    return StateOut(**times, ways=ways)


def _deleted(one: Deleted) -> DeletedOut:
    same = ("kind", "title", "deleted_at", "until")
    return DeletedOut(id=one.pk, url=absolute(one.address), **{name: getattr(one, name) for name in same})
