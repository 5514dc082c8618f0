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
from campaign.collection.services.imports import import_confirm, import_discard, import_receive
from campaign.collection.services.topic_corrections import topic_correct
from campaign.models import AuditEvent, Campaign, Document, Import, Role, Run, Task, Topic
from campaign.news.selectors.recipients import Audience
from campaign.news.services import milestones
from campaign.news.services.notices import notice_write
from campaign.news.services.questions import question_answer
from campaign.runs.services import decisions
from campaign.runs.services.rechecks import runs_check_again
from campaign.runs.services.submission import run_edit, run_withdraw
from campaign.setup.services import agreements, campaigns, deletions, lifecycle, people, profiles, rounds, tasks
from campaign.setup.services.guideline_corrections import guidelines_correct
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.registrations import registration_decide
from evaluation.analysis.reliability.services import reliability_request
from evaluation.preferences.services import preference_scores_request
from evaluation.services.board_settings import board_settings_update
from evaluation.services.feedback import feedback_set
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from judging.adjudication.services import adjudication_record, adjudication_withdraw
from judging.assigning.selectors.planning import Plan, Planned
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.assigning.services.grid import ticked_assign
from judging.assigning.services.planning import plan_carry_out
from judging.assigning.services.self_assignment import assigning_rules_set, languages_set
from judging.checkouts.services import claims_free
from judging.duplicates.services import handling_choose
from judging.model_assessors import services as model_assessors
from judging.models import Assignment, PreferenceOrder
from judging.practice.services import practice_set
from judging.preferences.services import preference_order_release, preferences_start, preferences_take_back
from judging.qrels.services.earlier_rounds import judged_before_request
from judging.qrels.services.publication import qrels_show
from judging.qrels.services.releases import qrels_release
from pooling.models import DuplicateSearch
from pooling.selectors.previews import previewed
from pooling.services.growth import topic_go_on, topic_stop
from pooling.services.pools import Confirmed, pool_freeze_request
from pooling.services.previews import preview_request
from runpool.archive.services.requests import archive_request
from tests.campaign.news.makers import make_milestone, make_question
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_collection, make_received_run
from tests.judging.makers import make_assignment, make_model_assessor
from tests.judging.preferences.makers import make_comparison
from tests.pooling.makers import depth_k

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite("campaign.permissions.held_campaign_or_404")]
Act = Callable[..., object]


def of_campaign(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the campaign."""
    terms = agreements.agreement_create(actor=cast.organiser, campaign=cast.campaign, title="Terms", text="Text.")
    milestone, at = make_milestone(cast.campaign), datetime(2027, 6, 1, tzinfo=UTC)
    registration = cast.campaign.registrations.get(team=cast.team)
    waiting = people.role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    yield lambda actor, campaign: campaigns.campaign_update(actor=actor, campaign=campaign, title="Another")
    yield campaigns.campaign_open
    yield lifecycle.campaign_close
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
    yield lambda actor, campaign: registration_decide(actor=actor, registration=registration, state="refused")


def of_task(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the task."""
    assignment = make_assignment(cast, ["d"])
    pool, topic = assignment.pool, Topic.objects.get(pk=assignment.topic_id)
    document = Document.objects.get(collection=make_collection(cast.task, ["d"]))
    qrels = make_qrels(cast.task, {topic.number: {"d": 1}}, cast.organiser)
    assessor, _ = make_model_assessor(cast.task, cast.organiser)
    about: dict[str, Any] = {"topic": topic, "docno": "d", "uuid": uuid4()}
    question = make_question(cast)
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
    yield lambda actor, task: question_answer(actor=actor, question=question, text="No.", is_public=True)
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
    yield lambda actor, task: document_correct(actor=actor, document=document, fields={"title": "Another"})
    yield scores_request
    yield reliability_request
    yield judged_before_request
    yield runs_check_again


def of_run(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the run."""
    about: dict[str, Any] = {"kind": Run.AUTOMATIC, "priority": 1, "description": "Another"}
    yield decisions.run_check_again
    yield lambda actor, run: decisions.run_accept(actor=actor, run=run, reason="R.")
    yield lambda actor, run: decisions.run_reject(actor=actor, run=run, reason="R.")
    yield lambda actor, run: decisions.run_reinstate(actor=actor, run=run, reason="R.")
    yield lambda actor, run: run_edit(actor=actor, run=run, **about)
    yield run_withdraw


def of_import(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the import."""
    yield import_confirm
    yield import_discard


def of_assignment(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the assignment of a topic of a pool."""
    yield lambda actor, assignment: assignments_create(
        actor=actor, pool=assignment.pool, assessor=cast.assessor, topics=[assignment.topic]
    )
    yield lambda actor, assignment: ticked_assign(
        actor=actor, pool=assignment.pool, ticked=[(assignment.topic, cast.assessor)], pass_number=1
    )
    yield lambda actor, assignment: plan_carry_out(
        actor=actor, pool=assignment.pool, make=lambda: Plan((Planned(assignment.topic, cast.assessor, 1),), ())
    )
    yield assignment_remove
    yield claims_free
    yield lambda actor, assignment: assigning_rules_set(
        actor=actor, task=assignment.pool.task, fields={"topics_are_open": True}
    )
    yield lambda actor, assignment: handling_choose(
        actor=actor, pool=assignment.pool, handling=DuplicateSearch.TOGETHER
    )
    yield lambda actor, assignment: topic_stop(actor=actor, pool=assignment.pool, topic=assignment.topic, reason="R.")
    yield lambda actor, assignment: topic_go_on(
        actor=actor, pool=assignment.pool, topic=assignment.topic, more=1, reason="R."
    )


def of_comparison(cast: Cast) -> Iterator[Act]:
    """Each takes the actor and the assignment of comparisons."""
    order = PreferenceOrder(pk=1, task=cast.task)
    yield lambda actor, assignment: preferences_start(
        actor=actor, qrels=assignment.qrels, topics=["401"], assessors=[cast.assessor]
    )
    yield preferences_take_back
    yield lambda actor, assignment: preference_scores_request(actor=actor, order=order)


def all_acts(cast: Cast) -> list[tuple[Act, dict[str, Any]]]:
    acts = [(act, {"campaign": cast.campaign}) for act in of_campaign(cast)]
    acts += [(act, {"task": cast.task}) for act in of_task(cast)]
    run = make_received_run(cast.task, cast.team, "bm25", b"401 Q0 d 1 1.0 bm25\n")
    acts += [(act, {"run": run}) for act in of_run(cast)]
    import_ = Import.objects.create(
        task=cast.task, kind=Import.TOPICS, state=Import.READY, size=1, created_by=cast.organiser
    )
    acts += [(act, {"import_": import_}) for act in of_import(cast)]
    assignment = Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(
        pool__task=cast.task
    )
    acts += [(act, {"assignment": assignment}) for act in of_assignment(cast)]
    compared = make_comparison(cast, assignment.topic, ["d"])
    return [*acts, *((act, {"assignment": compared}) for act in of_comparison(cast))]


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
        refused(act, Http404, actor=cast.organiser, **values)
    with pytest.raises(Http404):
        preview_request(actor=cast.organiser, asked=previewed(cast.task, depth_k()))
