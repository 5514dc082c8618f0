"""Publishing, for organisers: what each audience would see, and the snapshot itself."""

from typing import Any, Literal

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.bodies import ToConfirm
from campaign.api.fields import Text, one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import JobOut, asked_for, path_of
from campaign.api.paths import TASK, TaskPath
from campaign.models import Job, Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.phases import moves_on
from campaign.web.links import absolute
from evaluation.api.results import LeaderboardOut, leaderboard_out
from evaluation.api.scoring import SetWanted, known_set
from evaluation.boards.audiences import AUDIENCES, PUBLIC, SEEN_BY
from evaluation.forms import PublishForm
from evaluation.selectors.audiences import audience_problem, names_were_shown, told_by_names
from evaluation.selectors.boards import working_board
from evaluation.selectors.leaderboard_drafts import Terms, next_number
from evaluation.services.leaderboards import next_snapshot_mark
from evaluation.services.publication_requests import leaderboard_request
from judging.core.set_names import DEFAULT

router = Router(tags=["Organising: scores"])
_fixed: dict[str, Any] = {
    "audience": (Literal["participants", "anonymous", "public"], Field(description="Who may see it.")),
    "set": (Text, Field(DEFAULT, max_length=60, description="The set of qrels; left out: relevance.")),
    "seen": (Text, Field("", max_length=64, description="The `mark` of what you looked at: another board is refused.")),
}
PublishIn = form_body("PublishIn", PublishForm, base=ToConfirm, more=_fixed)


class AudienceOut(Schema):
    audience: str = one_of(AUDIENCES)
    sees: str
    consequences: list[str]
    problem: str = Field(description="Why it cannot be published to them; empty: it can.")
    preview: str = Field(description="The page with what they would see.")


class PublicationOut(Schema):
    mark: str = Field(description="Of the board as it would be published now: send it as `seen`. Empty: there is none.")
    audiences: list[AudienceOut]


@router.get(f"{TASK}/publication", response=PublicationOut, summary="Read what publishing would do")
def read_publication(request: HttpRequest, path: Path[TaskPath], wanted: Query[SetWanted]) -> PublicationOut:
    """For organisers: to whom the working board can be published, and what follows."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    name = known_set(task, wanted.set)
    working = working_board(task, name)
    audiences = [
        AudienceOut(
            audience=audience,
            sees=SEEN_BY[audience],
            consequences=_consequences(task, audience, name),
            problem=audience_problem(task, audience),
            preview=absolute(task.url("preview_detail", audience=audience)),
        )
        for audience in AUDIENCES
    ]
    return PublicationOut(mark=next_snapshot_mark(task, working) if working else "", audiences=audiences)


@router.post(
    f"{TASK}/leaderboards",
    response={200: LeaderboardOut, 201: LeaderboardOut, 202: JobOut},
    summary="Publish a leaderboard",
    **ORGANISING,
)
def publish_leaderboard(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: PublishIn,  # type: ignore[valid-type]
) -> Status[LeaderboardOut] | Status[JobOut]:
    """The working board as it stands, as the next snapshot, which never changes. 200: the newest one says the same already.
    202: the board is large, and a job publishes it; when that is done, its `message` names the number.
    """
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    audience, name = sent["audience"], known_set(task, sent.get("set", DEFAULT))
    written = {field: value for field, value in sent.items() if field not in (*_fixed, "confirm")}
    values = accepted(as_sent(lambda typed: PublishForm(typed, task=task), written))
    if problem := audience_problem(task, audience):
        raise ValidationError({"audience": problem})
    data.require([SEEN_BY[audience], *_consequences(task, audience, name)])  # type: ignore[attr-defined]
    what = {"audience": audience, "terms": Terms(**values), "seen": sent.get("seen", ""), "set_name": name}
    number = next_number(task)
    published = leaderboard_request(actor=signed_in(request.user), task=task, names_may_be_known=True, **what)
    if isinstance(published, Job):
        return asked_for(response, task, published)
    response["Location"] = absolute(
        reverse("api:read_leaderboard", kwargs={**path_of(task), "number": published.number})
    )
    return Status(200 if published.number < number else 201, leaderboard_out(published, organises=True))


def _consequences(task: Task, audience: str, set_name: str) -> list[str]:
    if told := names_were_shown(task, audience):
        return [told]
    moved = moves_on(task, Task.PUBLISHED) if audience == PUBLIC and set_name == DEFAULT else []
    return [*moved, *told_by_names(task, audience)]
