"""Pools that grow while they are judged: what is chosen, handed out, logged, and when a topic is done."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Job, Role
from campaign.queue.jobs import Progress, enqueue
from judging.checkouts.selectors import CLAIM_LASTS, LOOK_AHEAD, TRIED_AGAIN_AFTER, free_entries, is_forgotten
from judging.checkouts.services import choosing_forgotten
from judging.desk.services.judgments import judgment_undo
from judging.jobs import choose_documents
from judging.models import Assignment, Claim, Judgment
from judging.progress.selectors.progress import progress_of, task_overall
from judging.progress.selectors.progress_counts import shares_of
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolChoice, PoolEntry, TopicStop
from pooling.selectors.growth import CHOOSE_DOCUMENTS, chosen_documents, topic_course
from pooling.selectors.growth_states import grown_topics, growth_of, states_of
from pooling.selectors.pools import pool_text
from pooling.selectors.sizes import topic_sizes
from pooling.services.growth import topic_go_on, topic_stop
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_user
from tests.judging.growing_pools import (
    DOCNOS,
    SMALL,
    advance,
    chosen,
    first_difference,
    handed_out,
    is_relevant,
    judge_all,
    make_growing_pool,
    work_off,
)
from tests.judging.makers import assign, client_of, judge, make_pool
from tests.pooling.makers import make_valid_run

pytestmark = pytest.mark.django_db


def make_own(cast: Cast, pool: Pool, pass_number: int = 1) -> Assignment:
    return assign(pool, pool.task.topics.get(), cast.assessor, cast.organiser, pass_number)


def make_other(cast: Cast, pool: Pool, pass_number: int = 1) -> Assignment:
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    return assign(pool, pool.task.topics.get(), other, cast.organiser, pass_number)


def stop_kinds(pool: Pool) -> list[str]:
    return list(TopicStop.objects.filter(pool=pool).order_by("pk").values_list("kind", flat=True))


def test_a_topic_is_judged_to_its_stopping_rule_and_the_log_comes_out_again(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    start, file = set(pool.entries.values_list("docno", flat=True)), pool_text(pool)
    own = make_own(cast, pool)
    judged = judge_all(own, pool)
    entries = PoolEntry.objects.filter(pool=pool)
    assert len(judged) == len(set(judged)) == entries.count()
    assert stop_kinds(pool) == [TopicStop.RULE]
    assert Assignment.objects.get(pk=own.pk).finished_at is not None
    assert first_difference(pool) is None
    assert set(chosen(pool)) | start == set(judged)
    assert pool_text(pool) == file
    added = entries.filter(source=PoolEntry.CHOSEN).values_list("stratum", "inclusion_probability")
    assert set(added) == {(1001, 1.0)}
    positions = list(entries.order_by("position").values_list("position", flat=True))
    assert positions == list(range(1, len(positions) + 1))


def test_the_start_holds_base_and_control_sample_in_one_order_and_nothing_is_chosen_before_it_runs_low(
    cast: Cast,
) -> None:
    pool = make_growing_pool(cast, control=12)
    own = make_own(cast, pool)
    order = list(pool.entries.order_by("position").values_list("docno", flat=True))
    assert handed_out(own) == order[:LOOK_AHEAD]
    for docno in order[:5]:
        judge(own, docno, 0)
    assert handed_out(own) == order[5:10]
    advance(pool)
    assert chosen(pool) == []
    judge(own, order[5], 0)
    assert handed_out(own) == order[6:11]
    advance(pool)
    assert len(chosen(pool)) > 0


def test_a_chosen_document_of_the_control_sample_is_logged_and_gets_no_second_entry(cast: Cast) -> None:
    pool = make_growing_pool(cast, candidates=10, control=15, patience=0, size=24)
    judge_all(make_own(cast, pool), pool)
    control = set(topic_course(pool, pool.task.topics.get()).control)
    both = control & set(chosen(pool))
    assert both
    assert set(chosen_documents(pool)["docno"]) == set(chosen(pool))
    assert PoolEntry.objects.filter(pool=pool, docno__in=both, source=PoolEntry.DRAWN).count() == len(both)
    assert first_difference(pool) is None


def test_steps_log_what_was_learned_and_what_was_pending(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    [first, *_] = handed_out(own)
    judge(own, first, 2)
    advance(pool)
    step = PoolChoice.objects.get(pool=pool, step=1)
    base = set(topic_course(pool, pool.task.topics.get()).base)
    assert (step.policy, step.seed, step.run in {"good", "backwards", "odd"}) == ("maxmean", 7, True)
    assert set(step.learned) | set(step.pending) == base
    assert step.learned == ({first: True} if first in base else {})


def test_no_two_assessors_of_a_pass_are_handed_the_same_document(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own, other = make_own(cast, pool), make_other(cast, pool)
    judged: list[str] = []
    while True:
        mine, theirs = handed_out(own), handed_out(other)
        assert not set(mine) & set(theirs)
        for assignment, waiting in ((own, mine), (other, theirs)):
            if waiting:
                judge(assignment, waiting[0], 2 if is_relevant(waiting[0]) else 0)
                judged.append(waiting[0])
        if not mine and not theirs:
            break
        work_off()
    assert len(judged) == len(set(judged)) == PoolEntry.objects.filter(pool=pool).count()
    assert first_difference(pool) is None
    assert not Claim.objects.exists()
    assert not Assignment.objects.filter(finished_at=None).exists()


def test_another_pass_sees_all_documents_again(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    first = judge_all(make_own(cast, pool), pool)
    again = judge_all(make_other(cast, pool, pass_number=2), pool)
    assert set(again) == set(first)


def test_what_an_earlier_pool_had_judged_does_not_hold_up_the_next_version(cast: Cast) -> None:
    first = judge_all(make_own(cast, pool := make_growing_pool(cast)), pool)
    make_valid_run(cast.task, cast.other_team, "late", {"401": DOCNOS[:20]})
    spec = PoolSpec.with_defaults("maxmean", {**SMALL, "size": 30, "patience": 6}, seed=7)
    later = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    own = make_own(cast, later)
    assert handed_out(own) == []  # all that was drawn is judged
    work_off()
    second = judge_all(own, later)
    assert second
    assert not set(first) & set(second)
    assert set(chosen(later)) & set(first)
    assert stop_kinds(later) == ["rule"]
    own.refresh_from_db()
    assert own.finished_at is not None
    assert first_difference(later) is None


@pytest.mark.parametrize("make", [make_own, make_other])
def test_documents_judged_through_another_pool_free_their_places_at_the_desk(
    cast: Cast, make: Callable[[Cast, Pool], Assignment]
) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    held = handed_out(own)
    elsewhere = make(cast, make_pool(cast.task, {own.topic: held}, cast.organiser, version=2))
    for docno in held:
        judge(elsewhere, docno, 0)
    assert not set(handed_out(own)) & set(held)
    judge_all(own, pool)
    assert stop_kinds(pool) == ["rule"]


def test_a_judgment_of_another_pool_that_came_while_a_job_ran_is_not_forgotten(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    elsewhere = make_own(cast, make_pool(cast.task, {own.topic: DOCNOS}, cast.organiser, version=2))
    job = enqueue(CHOOSE_DOCUMENTS, pool_id=pool.pk, topic_id=own.topic_id)
    judge(elsewhere, DOCNOS[0], 2)
    Job.objects.filter(pk=job.pk).update(state=Job.DONE, finished_at=timezone.now())
    assert is_forgotten(pool, own.topic_id)
    later = enqueue(CHOOSE_DOCUMENTS, pool_id=pool.pk, topic_id=own.topic_id)
    Job.objects.filter(pk=later.pk).update(state=Job.DONE, finished_at=timezone.now())
    assert not is_forgotten(pool, own.topic_id)


LONG_AGO_OR_AHEAD = pytest.mark.parametrize("sign", [-1, 1], ids=["long ago", "before the clock was set back"])


@LONG_AGO_OR_AHEAD
def test_a_claim_of_somebody_who_went_away_is_released_and_a_late_judgment_is_kept(cast: Cast, sign: int) -> None:
    pool = make_growing_pool(cast, control=0)
    own, other = make_own(cast, pool), make_other(cast, pool)
    mine = handed_out(own)
    advance(pool)
    assert not set(mine) & set(handed_out(other))
    Claim.objects.filter(assignment=own).update(claimed_at=timezone.now() + sign * (CLAIM_LASTS + timedelta(minutes=1)))
    Claim.objects.filter(assignment=other).delete()
    assert set(mine) <= set(handed_out(other))
    judge(own, mine[0], 2)
    assert Judgment.objects.filter(docno=mine[0], is_current=True).count() == 1
    assert mine[0] not in handed_out(other)


def test_whoever_lost_the_role_holds_no_documents_though_their_desk_goes_on_asking(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own, other = make_own(cast, pool), make_other(cast, pool)
    held = handed_out(own)
    Role.objects.filter(user=own.assessor).delete()
    client = client_of(cast, "assessor")
    ask = {"assessor": own.assessor.pk, "assignment": own.pk, "judgments": []}
    address = cast.task.url("judgment_submit", topic_number="401")
    client.post(address, ask, content_type="application/json")
    assert not Claim.objects.filter(assignment=own).exists()
    assert set(held) <= {*handed_out(other), *free_entries(other).values_list("docno", flat=True)}


def test_a_document_that_is_taken_back_is_at_the_same_desk_again(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    [first, *_] = handed_out(own)
    judge(own, first, 2)
    assert first not in handed_out(own)
    judgment_undo(assessor=cast.assessor, assignment=own)
    assert first in handed_out(own)


def test_what_cannot_be_judged_counts_as_not_relevant(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    while waiting := handed_out(own):
        judge(own, waiting[0], None)
        advance(pool)
    assert stop_kinds(pool) == [TopicStop.RULE]
    learned = [value for step in PoolChoice.objects.all() for value in step.learned.values()]
    assert learned
    assert not any(learned)


def test_a_topic_is_not_finished_before_the_rule_has_stopped_it(cast: Cast) -> None:
    pool = make_growing_pool(cast, control=0)
    own = make_own(cast, pool)
    for docno in handed_out(own):
        judge(own, docno, 2)
    assert handed_out(own) == []
    assert Assignment.objects.get(pk=own.pk).finished_at is None


def test_a_changed_judgment_lets_a_stopped_topic_go_on(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    judged = judge_all(own, pool)
    judge(own, judged[-1], 3)
    advance(pool)
    assert stop_kinds(pool)[:2] == [TopicStop.RULE, TopicStop.ON]
    assert Assignment.objects.get(pk=own.pk).finished_at is None
    judge_all(own, pool)
    assert stop_kinds(pool)[-1] == TopicStop.RULE
    assert first_difference(pool) is None


def test_candidates_that_run_out_stop_a_topic(cast: Cast) -> None:
    pool = make_growing_pool(cast, patience=0, size=500, candidates=6)
    judged = judge_all(make_own(cast, pool), pool)
    assert stop_kinds(pool) == [TopicStop.EXHAUSTED]
    assert len(judged) == PoolEntry.objects.filter(pool=pool).count() < len(DOCNOS)


def test_the_budget_stops_a_topic(cast: Cast) -> None:
    pool = make_growing_pool(cast, patience=0, size=12)
    assert len(judge_all(make_own(cast, pool), pool)) == 12
    assert stop_kinds(pool) == [TopicStop.RULE]


def test_an_organiser_stops_a_topic_and_what_is_chosen_is_still_judged(cast: Cast) -> None:
    pool, topic = make_growing_pool(cast), cast.task.topics.get()
    own = make_own(cast, pool)
    judge_all(own, pool, most=5)
    topic_stop(actor=cast.organiser, pool=pool, topic=topic, reason="enough")
    steps = len(chosen(pool))
    judge_all(own, pool)
    assert len(chosen(pool)) == steps
    assert Assignment.objects.get(pk=own.pk).finished_at is not None
    assert AuditEvent.objects.get(verb="stop topic").data["reason"] == "enough"
    with pytest.raises(ValidationError, match="has stopped already"):
        topic_stop(actor=cast.organiser, pool=pool, topic=topic, reason="again")


def test_an_organiser_lets_a_topic_go_on_past_the_rule(cast: Cast) -> None:
    pool, topic = make_growing_pool(cast), cast.task.topics.get()
    own = make_own(cast, pool)
    before = len(judge_all(own, pool))
    topic_go_on(actor=cast.organiser, pool=pool, topic=topic, more=4, reason="the control sample found some")
    advance(pool)
    assert Assignment.objects.get(pk=own.pk).finished_at is None
    assert len(judge_all(own, pool)) == 4
    assert PoolEntry.objects.filter(pool=pool).count() == before + 4
    assert stop_kinds(pool) == [TopicStop.RULE, TopicStop.ON, TopicStop.RULE]
    assert first_difference(pool) is None


@pytest.mark.parametrize(("more", "reason"), [(0, "why"), (1001, "why"), (5, "  "), (5, "x" * 2001)])
def test_going_on_needs_a_number_and_a_reason(cast: Cast, more: int, reason: str) -> None:
    pool, topic = make_growing_pool(cast), cast.task.topics.get()
    topic_stop(actor=cast.organiser, pool=pool, topic=topic, reason="enough")
    with pytest.raises(ValidationError):
        topic_go_on(actor=cast.organiser, pool=pool, topic=topic, more=more, reason=reason)


def test_the_job_run_twice_adds_nothing_the_second_time(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    judge(own, handed_out(own)[0], 2)
    [job] = Job.objects.filter(name=CHOOSE_DOCUMENTS)
    for _ in range(2):
        choose_documents.body(Progress(job.pk, job.attempts), **job.arguments)
    once = chosen(pool)
    choose_documents.body(Progress(job.pk, job.attempts), **job.arguments)
    assert chosen(pool) == once != []


def test_a_killed_job_leaves_nothing_half_written(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    judge(own, handed_out(own)[0], 2)
    before = PoolEntry.objects.filter(pool=pool).count()
    monkeypatch.setattr("judging.checkouts.services.close_or_reopen", _killed)
    with pytest.raises(KeyboardInterrupt):
        advance(pool)
    monkeypatch.undo()
    assert (chosen(pool), PoolEntry.objects.filter(pool=pool).count()) == ([], before)
    judge_all(own, pool)
    assert first_difference(pool) is None


def _killed(assignments: object) -> None:
    raise KeyboardInterrupt


def test_no_pool_of_an_archived_campaign_grows(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own = make_own(cast, pool)
    judge(own, handed_out(own)[0], 2)
    now = timezone.now()
    for archived_at in (now, None):
        Campaign.objects.update(closed_at=now, archived_at=archived_at)
        advance(pool)
        assert bool(chosen(pool)) == (archived_at is None)


@LONG_AGO_OR_AHEAD
def test_choosing_that_failed_is_asked_for_again_by_the_sweep(cast: Cast, sign: int) -> None:
    pool = make_growing_pool(cast)
    assert handed_out(make_own(cast, pool))
    jobs = Job.objects.filter(name=CHOOSE_DOCUMENTS)
    jobs.update(state=Job.FAILED, finished_at=timezone.now())
    assert choosing_forgotten() == 0
    jobs.update(finished_at=timezone.now() + sign * (TRIED_AGAIN_AFTER + timedelta(minutes=1)))
    assert choosing_forgotten() == 1
    assert choosing_forgotten() == 0
    assert [job.state for job in jobs.order_by("pk")] == [Job.FAILED, Job.QUEUED]


@pytest.mark.sqlite("pooling.selectors.growth_states._failures")
def test_the_organiser_sees_how_each_topic_stands(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    judge_all(make_own(cast, pool), pool, most=4)
    growth, [state] = growth_of(pool, topic_sizes(pool)), states_of(pool, grown_topics(pool))
    judged = Judgment.objects.filter(is_current=True)
    assert (state.judged, state.relevant) == (4, sum(is_relevant(one.docno) for one in judged))
    assert (growth.base, growth.control) == (3, 3)
    assert (state.entries, state.chosen, state.most) == (pool.entries.count(), PoolChoice.objects.count(), 16)
    assert (growth.open_count, state.is_stopped) == (1, False)


def test_the_command_replays_the_log(cast: Cast, capsys: pytest.CaptureFixture[str]) -> None:
    pool = make_growing_pool(cast)
    judge_all(make_own(cast, pool), pool)
    address = ["replay_pool", f"{cast.campaign.slug}/{cast.task.slug}", "--as", cast.organiser.username]
    call_command(*address)
    assert f"all {len(chosen(pool))} choices on 1 topic come out again" in capsys.readouterr().out
    last = PoolChoice.objects.get(pool=pool, step=len(chosen(pool)))
    values = {"pool": pool, "topic": last.topic, "policy": "maxmean", "seed": 7, "run": "good"}
    unchosen = next(docno for docno in DOCNOS if not pool.entries.filter(docno=docno).exists())
    PoolChoice.objects.create(step=last.step + 1, docno=DOCNOS[20], **values)
    PoolChoice.objects.create(step=last.step + 2, docno=unchosen, **values)
    with pytest.raises(CommandError, match=f"Topic 401: step {last.step + 1} logged {DOCNOS[20]}"):
        call_command(*address)


def test_what_is_assigned_counts_documents_so_far_and_each_once(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    own, other = make_own(cast, pool), make_other(cast, pool)
    judge(own, handed_out(own)[0], 1)
    judge(other, handed_out(other)[0], 1)
    rows = progress_of(Assignment.objects.select_related("pool__task", "topic"))
    both = task_overall([pool], shares_of([pool]))
    assert (both.judged, both.total, both.is_open) == (2, pool.entries.count(), True)
    assert [row.state for row in rows] == ["in progress", "in progress"]
    judge_all(own, pool)
    judge_all(other, pool)
    judge_all(own, pool)
    rows = progress_of(Assignment.objects.select_related("pool__task", "topic"))
    assert [(row.state, row.is_open) for row in rows] == [("done", False)] * 2
    assert task_overall([pool], shares_of([pool])).total == pool.entries.count()


@LONG_AGO_OR_AHEAD
def test_a_desk_that_waits_asks_for_a_choice_that_was_lost_and_not_for_more(cast: Cast, sign: int) -> None:
    pool = make_growing_pool(cast, control=0)
    own = make_own(cast, pool)
    for docno in handed_out(own):
        judge(own, docno, 2)
    jobs = Job.objects.filter(name=CHOOSE_DOCUMENTS)
    jobs.all().delete()
    assert (handed_out(own), handed_out(own), jobs.count()) == ([], [], 1)
    jobs.update(state=Job.FAILED, finished_at=timezone.now())
    assert (handed_out(own), jobs.count()) == ([], 1)
    jobs.update(finished_at=timezone.now() + sign * (TRIED_AGAIN_AFTER + timedelta(minutes=1)))
    assert (handed_out(own), jobs.count()) == ([], 2)
    jobs.update(state=Job.DONE)
    assert (handed_out(own), jobs.count()) == ([], 2)
    jobs.update(sent_at=timezone.now() + timedelta(days=3))
    assert (handed_out(own), jobs.count()) == ([], 3), "by a clock that was set back since"
