"""Pools that grow while they are judged: how their topics stand, what was chosen, and the decision to stop or go on."""

from collections.abc import Callable
from typing import Annotated, Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import ORGANISING
from campaign.api.fields import LARGEST, one_of
from campaign.api.files import answers_with
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from pooling.exports import choices_csv
from pooling.forms import GoOnForm, StopForm
from pooling.models import Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.growth_states import TopicState, grown_topics, states_of
from pooling.services.growth import topic_go_on, topic_stop

router = Router(tags=["Organising: pools"])
POOL = f"{TASK}/pools/{{version}}"
Version = Annotated[int, Path(ge=1, le=LARGEST)]
CSV = answers_with("text/csv; charset=utf-8")
StopIn = form_body("StopTopicIn", StopForm)
GoOnIn = form_body("GoOnTopicIn", GoOnForm)


class GrowingTopicOut(Schema):
    topic: str
    state: str = one_of(TopicState.TONES, "on: documents are still chosen; rule, exhausted, hand: why it stopped.")
    entries: int = Field(description="Documents to judge so far.")
    most: int = Field(description="With so many it stops at the latest.")
    judged: int
    relevant: int
    since_relevant: int = Field(description="Judged since the last relevant one.")
    failure: str = Field(description="Why the last choosing failed; empty: it did not.")


@router.get(f"{POOL}/topics", response=Page[GrowingTopicOut], summary="List the topics of a growing pool")
def list_growing_topics(
    request: HttpRequest, path: Path[TaskPath], version: Version, paging: Query[Paging]
) -> Page[GrowingTopicOut]:
    """For organisers: how far each is. 404 of a pool that does not grow."""
    pool = _growing(request, path, version)
    page = page_of(request, grown_topics(pool), paging, lambda topic: topic)
    return Page(items=[_out(state) for state in states_of(pool, page.items)], count=page.count, next=page.next)


@router.get(f"{POOL}/choices", summary="Download the log of choices", openapi_extra=CSV)
def download_choices(request: HttpRequest, path: Path[TaskPath], version: Version) -> StreamingHttpResponse:
    """For organisers: which documents were chosen when, by which judgments. 404 of a pool that does not grow."""
    pool = _growing(request, path, version)
    name = f"{path.campaign}-{path.task}-pool-{version}-choices.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(choices_csv(pool), content_type="text/csv; charset=utf-8", headers=headers)


@router.post(f"{POOL}/topics/{{topic:topic}}/stop", response=GrowingTopicOut, summary="Stop a topic", **ORGANISING)
def stop_topic(request: HttpRequest, path: Path[TaskPath], version: Version, topic: str, data: StopIn) -> Any:  # type: ignore[valid-type]
    """No further documents of it are chosen; those that wait are judged."""
    return _decide(request, path, version, topic, (StopForm, topic_stop, data))


@router.post(
    f"{POOL}/topics/{{topic:topic}}/go-on", response=GrowingTopicOut, summary="Let a topic go on", **ORGANISING
)
def go_on_topic(request: HttpRequest, path: Path[TaskPath], version: Version, topic: str, data: GoOnIn) -> Any:  # type: ignore[valid-type]
    """Further documents of a stopped topic are chosen, as many as you say."""
    return _decide(request, path, version, topic, (GoOnForm, topic_go_on, data))


def _decide(
    request: HttpRequest,
    path: TaskPath,
    version: int,
    topic: str,
    decision: tuple[type[StopForm], Callable[..., Any], Any],
) -> GrowingTopicOut:
    form, decide, data = decision
    pool = _growing(request, path, version)
    found = get_or_404(grown_topics(pool), number=topic)
    values = accepted(as_sent(form, data.model_dump(exclude_unset=True)))
    decide(actor=signed_in(request.user), pool=pool, topic=found, **values)
    [state] = states_of(pool, [found])
    return _out(state)


def _growing(request: HttpRequest, path: TaskPath, version: int) -> Pool:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    pool = get_pool_or_404(request.user, task, version)
    if not pool.grows:
        raise Http404("The pool does not grow.")
    return pool


def _out(state: TopicState) -> GrowingTopicOut:
    same = ("state", "entries", "most", "judged", "relevant", "since_relevant", "failure")
    return GrowingTopicOut(topic=state.topic.number, **{name: getattr(state, name) for name in same})
