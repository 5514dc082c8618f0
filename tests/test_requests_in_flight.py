"""A request has passed its checks; before it writes, the campaign is deleted, or its sender stops being an organiser."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from campaign.collection.services.document_corrections import document_correct
from campaign.collection.services.imports import import_receive
from campaign.collection.services.topic_corrections import topic_correct
from campaign.models import AuditEvent, Campaign, Document, Import, Role, Task, Topic
from campaign.news.selectors.recipients import Audience
from campaign.news.services import milestones
from campaign.news.services.notices import notice_write
from campaign.setup.services import agreements, campaigns, deletions, lives, people, profiles, rounds, tasks
from campaign.setup.services.guideline_corrections import guidelines_correct
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.registrations import registration_decide
from evaluation.services.board_settings import board_settings_update
from evaluation.services.feedback import feedback_set
from evaluation.services.leaderboards import leaderboard_publish
from judging.adjudication.services import adjudication_record, adjudication_withdraw
from judging.assigning.services.self_assignment import languages_set
from judging.model_assessors import services as model_assessors
from judging.practice.services import practice_set
from judging.preferences.services import preference_order_release
from judging.qrels.services.publication import qrels_show
from judging.qrels.services.releases import qrels_release
from pooling.selectors.previews import previewed
from pooling.services.pools import Confirmed, pool_freeze_request
from pooling.services.previews import preview_request
from runpool.archive.services.requests import archive_request
from tests.campaign.news.makers import make_milestone
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_collection
from tests.judging.makers import make_assignment, make_model_assessor
from tests.pooling.makers import depth_k

pytestmark = pytest.mark.django_db
Act = Callable[..., object]


def of_campaign(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the campaign."""
    terms = agreements.agreement_create(actor=cast.organiser, campaign=cast.campaign, title="Terms", text="Text.")
    milestone, at = make_milestone(cast.campaign), datetime(2027, 6, 1, tzinfo=UTC)
    registration = cast.campaign.registrations.get(team=cast.team)
    waiting = people.role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    yield lambda actor, campaign: campaigns.campaign_update(actor=actor, campaign=campaign, title="Another")
    yield campaigns.campaign_open
    yield lives.campaign_close
    yield deletions.campaign_delete
    yield lambda actor, campaign: profiles.campaign_describe(actor=actor, campaign=campaign, contact="Ada")
    yield lambda actor, campaign: people.role_revoke(
        actor=actor, campaign=campaign, user=cast.assessor, role=Role.ASSESSOR
    )
    yield lambda actor, campaign: people.invitation_withdraw(actor=actor, invitation=waiting)
    yield lambda actor, campaign: agreements.agreement_create(actor=actor, campaign=campaign, title="T", text="T")
    yield lambda actor, campaign: agreements.agreement_replace(actor=actor, agreement=terms, title="T", text="T")
    yield lambda actor, campaign: agreements.agreement_retire(actor=actor, agreement=terms)
    yield lambda actor, campaign: milestones.milestone_add(actor=actor, campaign=campaign, label="Talk", at=at)
    yield lambda actor, campaign: notice_write(
        actor=actor, audience=Audience(campaign, "everybody"), title="News", body="News.", batch=uuid4()
    )
    yield lambda actor, campaign: tasks.task_create(actor=actor, campaign=campaign, slug="another", title="Another")
    yield lambda actor, campaign: milestones.milestone_update(actor=actor, milestone=milestone, label="Talk", at=at)
    yield lambda actor, campaign: milestones.milestone_remove(actor=actor, milestone=milestone)
    yield archive_request
    # Refused by the role, which nobody has in a campaign that is deleted.
    yield no_longer(registration_decide, registration=registration, state="refused")


def of_task(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the task."""
    assignment = make_assignment(cast, ["d"])
    pool, topic = assignment.pool, Topic.objects.get(pk=assignment.topic_id)
    document = Document.objects.get(collection=make_collection(cast.task, ["d"]))
    qrels = make_qrels(cast.task, {topic.number: {"d": 1}}, cast.organiser)
    assessor, _ = make_model_assessor(cast.task, cast.organiser)
    about: dict[str, Any] = {"topic": topic, "docno": "d", "uuid": uuid4()}
    yield lambda actor, task: tasks.task_update(actor=actor, task=task, title="Another")
    yield lambda actor, task: tasks.task_enter_phase(actor=actor, task=task, phase=Task.POOL)
    yield deletions.task_delete
    yield lambda actor, task: rounds.round_add(actor=actor, task=task, slug="r2", title="2", round_kind=Task.TEST)
    yield lambda actor, task: guidelines_correct(actor=actor, task=task, guidelines="Others.")
    yield lambda actor, task: topic_correct(actor=actor, topic=about["topic"], fields={"title": "Another"})
    yield lambda actor, task: import_receive(
        actor=actor, task=task, kind=Import.TOPICS, file=BytesIO(b"1\tone\n"), file_name="topics.tsv"
    )
    yield lambda actor, task: allowance_give(
        actor=actor, task=task, team=cast.team, extra_runs=1, closes_at=None, reason="Ill."
    )
    yield lambda actor, task: pool_freeze_request(actor=actor, task=task, spec=depth_k(), confirmed=Confirmed("", 0))
    yield lambda actor, task: qrels_release(actor=actor, task=task, pool=pool)
    yield lambda actor, task: qrels_show(actor=actor, qrels=qrels)
    yield lambda actor, task: adjudication_record(actor=actor, task=task, grade=1, seen=[], **about)
    yield lambda actor, task: adjudication_withdraw(actor=actor, task=task, previous=None, **about)
    yield lambda actor, task: languages_set(actor=actor, task=task, languages={})
    yield lambda actor, task: practice_set(actor=actor, task=task, text="")
    yield lambda actor, task: preference_order_release(actor=actor, task=task, qrels=qrels)
    yield lambda actor, task: make_model_assessor(task, actor, version="2")
    yield lambda actor, task: model_assessors.model_token_renew(actor=actor, assessor=assessor)
    yield lambda actor, task: model_assessors.model_assessor_revoke(actor=actor, assessor=assessor)
    yield leaderboard_publish
    yield lambda actor, task: feedback_set(actor=actor, task=task, topics=[topic.number])
    yield lambda actor, task: board_settings_update(
        actor=actor, task=task, test="t-test", correction="holm", family="all", baseline="", margin=None
    )
    yield no_longer(document_correct, document=document, fields={"title": "Another"})


def no_longer(act: Act, **values: object) -> Act:
    def by(actor: object, **_: object) -> object:
        return act(actor=actor, **values)

    by.by_role = True  # type: ignore[attr-defined]
    return by


def all_acts(cast: Cast) -> list[tuple[Act, dict[str, Any]]]:
    acts = [(act, {"campaign": cast.campaign}) for act in of_campaign(cast)]
    return [*acts, *((act, {"task": cast.task}) for act in of_task(cast))]


def refused(act: Act, by: type[Exception], **values: Any) -> None:
    before = AuditEvent.objects.count()
    with pytest.raises(by), transaction.atomic():
        act(**values)
    assert AuditEvent.objects.count() == before


def test_who_stopped_being_an_organiser_since_the_request_began_writes_nothing(cast: Cast) -> None:
    acts = all_acts(cast)
    Role.objects.filter(user=cast.organiser).delete()
    for act, values in acts:
        refused(act, PermissionDenied, actor=cast.organiser, **values)


def test_what_was_deleted_since_the_request_began_is_not_found(cast: Cast) -> None:
    acts = all_acts(cast)
    for rows in (Campaign.everything.filter(pk=cast.campaign.pk), Task.everything.filter(pk=cast.task.pk)):
        rows.update(deleted_at=timezone.now())
    for act, values in acts:
        by = PermissionDenied if hasattr(act, "by_role") else Http404
        refused(act, by, actor=cast.organiser, **values)
    with pytest.raises(Http404):
        preview_request(previewed(cast.task, depth_k()))
