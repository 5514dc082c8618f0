from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import TestCase
from django.utils import timezone

from campaign.events import run_accepted
from campaign.models import Allowance, AuditEvent, Campaign, Job, Mail, Registration, Run, Task
from campaign.queue.jobs import Progress
from campaign.runs.jobs import check_run
from campaign.runs.selectors.check_counts import check_counts, forgotten_runs
from campaign.runs.selectors.progress import CHECK_RUN, run_progress
from campaign.runs.selectors.reading import checked_run, run_table
from campaign.runs.services.decisions import run_accept, run_check_again, run_finish_check, run_reinstate, run_reject
from campaign.runs.services.rechecks import runs_check_again
from campaign.runs.services.submission import run_withdraw
from campaign.teams.services.teams import team_join, team_remove_member
from runpool.jobs import sweep
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit, submit_and_check
from tests.factories import Cast, make_received_run

TWICE = b"1 Q0 a 1 2 bm25\n1 Q0 a 2 1 bm25\n2 Q0 c 1 1 bm25\n"
"""A document comes twice: rejected, and readable all the same."""


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=2)


@pytest.fixture
def accepted() -> Iterator[list[Run]]:
    told: list[Run] = []

    def note(run: Run, **_: Any) -> None:
        told.append(run)

    run_accepted.connect(note, weak=False, dispatch_uid="test decisions")
    yield told
    run_accepted.disconnect(dispatch_uid="test decisions")


def decide(decision: Any, cast: Cast, run: Run, **values: Any) -> Run:
    """As an organiser, with the check that follows."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        decision(actor=cast.organiser, run=Run.objects.get(pk=run.pk), **values)
    return Run.objects.get(pk=run.pk)


def subjects() -> list[str]:
    """Of the mails, in the order in which they were written."""
    return [mail.subject for mail in Mail.objects.order_by("pk")]


def test_a_run_is_rejected_by_hand_with_a_reason_that_its_team_reads(cast: Cast) -> None:
    run = decide(run_reject, cast, submit_and_check(cast), reason="  It holds the <test> topics' answers.  ")
    assert (run.state, run.decision, run.table.name) == (Run.REJECTED, Run.REJECTED_BY_HAND, "")
    assert (run.decision_reason, run.decided_by) == ("It holds the <test> topics' answers.", cast.organiser)
    event = AuditEvent.objects.get(verb="reject by hand")
    assert (event.actor, event.data["reason"]) == (cast.organiser, run.decision_reason)
    mail = Mail.objects.get(subject="bm25: rejected by hand")
    assert mail.recipient == cast.member
    assert "It holds the <test> topics' answers." in mail.body
    page = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    assert "Rejected by hand" in page
    assert "It holds the &lt;test&gt; topics" in page


def test_a_check_that_is_under_way_does_not_revive_a_run_rejected_by_hand(cast: Cast, accepted: list[Run]) -> None:
    run = submit(cast)
    read = Run.objects.get(pk=run.pk)
    check = checked_run(read)
    run_reject(actor=cast.organiser, run=run, reason="Not ours.")
    assert not run_finish_check(run=read, check=check)
    assert (read.state, accepted) == (Run.REJECTED, [])


def test_a_check_under_the_rules_of_before_is_left_to_the_one_that_was_asked_for_since(cast: Cast) -> None:
    run = submit(cast)
    read = Run.objects.get(pk=run.pk)
    check = checked_run(read)
    Task.objects.update(rule_severities={"topic_short": "error"})
    run_check_again(actor=cast.organiser, run=run)
    assert not run_finish_check(run=read, check=check)
    assert read.state == Run.RECEIVED
    check_run.body(Progress(0, 0), run_id=run.pk)
    assert Run.objects.get().state == Run.REJECTED


def test_a_run_accepted_by_hand_counts_as_far_as_it_can_be_read_and_keeps_its_problems(
    cast: Cast, accepted: list[Run]
) -> None:
    rejected = submit_and_check(cast, content=TWICE)
    assert rejected.state == Run.REJECTED
    run = decide(run_accept, cast, rejected, reason="The double line does no harm.")
    assert (run.state, run.decision, accepted) == (Run.VALID, Run.ACCEPTED, [run])
    assert run.error_count == 1
    assert run.problems.get(severity="error").code == "docno_duplicate"
    assert run_table(run)["docno"].to_list() == ["a", "c"]
    assert subjects() == ["bm25: not accepted", "bm25: accepted by hand", "bm25: accepted"]
    page = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    assert "The double line does no harm." in page


def test_a_decision_to_accept_that_comes_while_the_check_runs_holds(cast: Cast) -> None:
    run = submit(cast, content=TWICE)
    read = Run.objects.get(pk=run.pk)
    check = checked_run(read)
    run_accept(actor=cast.organiser, run=run, reason="Fine.")
    assert not run_finish_check(run=read, check=check)
    check_run.body(Progress(0, 0), run_id=run.pk)
    assert Run.objects.get().state == Run.VALID


def test_a_run_of_which_nothing_can_be_read_is_rejected_in_spite_of_the_decision_and_that_is_said(cast: Cast) -> None:
    run = submit_and_check(cast, content=b"nothing here\n")
    run = decide(run_accept, cast, run, reason="Let us see.")
    assert (run.state, run.table.name) == (Run.REJECTED, "")
    assert run.problems.filter(code="nothing_to_accept").exists()
    page = signed_in(cast.organiser).get(run.get_absolute_url()).content.decode()
    assert "no line of its file can be read" in page


def test_check_again_takes_back_what_was_decided_by_hand(cast: Cast) -> None:
    run = decide(run_reject, cast, submit_and_check(cast), reason="A mistake.")
    run = decide(run_check_again, cast, run)
    assert (run.state, run.decision, run.decision_reason, run.decided_by) == (Run.VALID, "", "", None)
    assert subjects() == ["bm25: accepted", "bm25: rejected by hand", "bm25: accepted"]


def test_a_withdrawn_run_is_reinstated_and_checked_whatever_the_deadline(cast: Cast) -> None:
    run = submit_and_check(cast)
    run_withdraw(actor=cast.member, run=run)
    Task.objects.update(closes_at=timezone.now() - timedelta(hours=1))
    run = decide(run_reinstate, cast, run, reason="Withdrawn by mistake.")
    assert run.state == Run.VALID
    assert AuditEvent.objects.get(verb="reinstate").data["reason"] == "Withdrawn by mistake."
    assert subjects() == ["bm25: accepted", "bm25: reinstated", "bm25: accepted"]


def test_a_run_is_not_reinstated_while_its_tag_is_in_use_or_the_quota_is_used_up(cast: Cast) -> None:
    run = submit_and_check(cast)
    run_withdraw(actor=cast.member, run=run)
    again = submit(cast)
    with pytest.raises(ValidationError, match="of one tag only one run can"):
        run_reinstate(actor=cast.organiser, run=run, reason="Back.")
    run_withdraw(actor=cast.member, run=again)
    submit(cast, "one")
    submit(cast, "two")
    with pytest.raises(ValidationError, match="2 of 2 runs"):
        run_reinstate(actor=cast.organiser, run=run, reason="Back.")
    assert Run.objects.get(pk=run.pk).state == Run.WITHDRAWN
    Allowance.objects.create(task=cast.task, team=cast.team, extra_runs=1)
    assert decide(run_reinstate, cast, run, reason="Back.").state == Run.VALID


def test_a_rejected_run_is_not_accepted_beyond_the_quota(cast: Cast) -> None:
    rejected = submit_and_check(cast, content=TWICE)
    submit(cast, "one")
    submit(cast, "two")
    with pytest.raises(ValidationError, match="extra run"):
        run_accept(actor=cast.organiser, run=rejected, reason="Fine.")
    assert not Mail.objects.filter(subject__contains="by hand").exists()


@pytest.mark.parametrize("decision", [run_accept, run_reject, run_reinstate])
def test_a_decision_without_a_reason_is_refused(cast: Cast, decision: Any) -> None:
    run = submit(cast)
    if decision is run_reinstate:
        run_withdraw(actor=cast.member, run=run)
    before = Run.objects.get().state
    with pytest.raises(ValidationError, match="Give the reason"):
        decision(actor=cast.organiser, run=run, reason="  ")
    assert Run.objects.get().state == before


def test_decisions_that_do_not_fit_the_state_are_refused_in_words(cast: Cast) -> None:
    run = submit_and_check(cast)
    with pytest.raises(ValidationError, match="nothing to accept"):
        run_accept(actor=cast.organiser, run=run, reason="x")
    with pytest.raises(ValidationError, match="only a withdrawn one"):
        run_reinstate(actor=cast.organiser, run=run, reason="x")
    run_withdraw(actor=cast.member, run=run)
    with pytest.raises(ValidationError, match="Reinstate it first"):
        run_check_again(actor=cast.organiser, run=run)
    with pytest.raises(ValidationError, match="withdrawn already"):
        run_reject(actor=cast.organiser, run=run, reason="x")


def test_the_mail_of_a_rejected_run_holds_every_problem_with_line_and_remedy(cast: Cast) -> None:
    submit_and_check(cast, content=TWICE + b"1 Q0 zz 3 0 bm25\n")
    mail = Mail.objects.get(subject="bm25: not accepted")
    assert mail.recipient == cast.member
    for words in (
        "line 2: Docno a was already retrieved",
        "Keep one line",
        "line 4: Docno zz is not in the collection",
    ):
        assert words in mail.body
    assert "&" not in mail.body


def test_the_outcome_is_mailed_once_and_again_only_if_it_differs(cast: Cast) -> None:
    run = submit_and_check(cast)
    decide(run_check_again, cast, run)
    assert subjects() == ["bm25: accepted"]
    Task.objects.update(rule_severities={"topic_short": "error"})
    decide(run_check_again, cast, run)
    assert subjects() == ["bm25: accepted", "bm25: not accepted"]


def test_the_ir_metadata_at_the_head_of_the_file_is_kept(cast: Cast) -> None:
    run = submit_and_check(
        cast, content=b"# ir_metadata.start\n# method:\n#   automatic: true\n# ir_metadata.end\n" + TWICE[:16]
    )
    assert run.state == Run.VALID, list(run.problems.all())
    assert run.metadata == {"method": {"automatic": True}}


# The pages


def test_every_state_has_its_buttons_for_organisers_and_none_for_the_team(cast: Cast) -> None:
    run = submit(cast)
    expected = {
        Run.RECEIVED: {"check", "accept", "reject"},
        Run.VALID: {"check", "reject"},
        Run.REJECTED: {"check", "accept"},
        Run.WITHDRAWN: {"reinstate"},
    }
    for state, buttons in expected.items():
        Run.objects.update(state=state)
        page = signed_in(cast.organiser).get(run.get_absolute_url()).content.decode()
        addresses = {
            name: cast.task.url("run_decide", tag="bm25", decision=name) for name in ("accept", "reject", "reinstate")
        }
        addresses["check"] = cast.task.url("run_recheck", tag="bm25")
        assert {name for name, address in addresses.items() if address in page} == buttons, state
        theirs = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
        assert not any(address in theirs for address in addresses.values())


@pytest.mark.parametrize(
    ("decision", "state"), [("accept", "rejected"), ("reject", "valid"), ("reinstate", "withdrawn")]
)
def test_a_decision_is_taken_on_a_page_that_asks_for_the_reason(cast: Cast, decision: str, state: str) -> None:
    run = submit_and_check(cast)
    Run.objects.update(state=state)
    organiser = signed_in(cast.organiser)
    address = cast.task.url("run_decide", tag="bm25", decision=decision) + "?attempt=1"
    assert organiser.get(address).status_code == 200
    answer = organiser.post(address, {"reason": " "})
    assert answer.status_code == 422
    assert Run.objects.get().state == state
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert organiser.post(address, {"reason": "Because."}).status_code == 302
    assert Run.objects.get(pk=run.pk).state == (Run.REJECTED if decision == "reject" else Run.VALID)
    assert AuditEvent.objects.filter(actor=cast.organiser, data__reason="Because.").count() == 1


def test_a_decision_that_came_too_late_leads_back_with_the_reason(cast: Cast) -> None:
    submit_and_check(cast)
    organiser = signed_in(cast.organiser)
    answer = organiser.get(cast.task.url("run_decide", tag="bm25", decision="accept"), follow=True)
    assert "no longer possible in that state" in answer.content.decode()
    assert organiser.get(cast.task.url("run_decide", tag="bm25", decision="burn")).status_code == 404
    Run.objects.update(state=Run.WITHDRAWN)
    submit(cast)
    taken = organiser.post(
        cast.task.url("run_decide", tag="bm25", decision="reinstate") + "?attempt=1", {"reason": "Back."}
    )
    assert taken.status_code == 422
    assert "of one tag only one run can" in taken.content.decode()


# All runs of a task


def test_all_runs_are_checked_again_and_what_was_decided_by_hand_holds(cast: Cast) -> None:
    cast.task.max_runs_per_team = 9
    cast.task.save()
    submit_and_check(cast, "clean")
    decide(run_accept, cast, submit_and_check(cast, "twice", TWICE.replace(b"bm25", b"twice")), reason="Fine.")
    decide(run_reject, cast, submit_and_check(cast, "out"), reason="No.")
    gone = submit_and_check(cast, "gone")
    run_withdraw(actor=cast.member, run=gone)
    Task.objects.update(rule_severities={"topic_short": "error"})
    with TestCase.captureOnCommitCallbacks(execute=False) as waiting:
        asked = runs_check_again(actor=cast.organiser, task=cast.task)
    assert (asked.count, asked.skipped) == (2, [])
    counts = check_counts(cast.task)
    assert (counts.waiting, counts.rejected_by_hand, counts.withdrawn) == (2, 1, 1)
    for send in waiting:
        send()
    states = {run.tag: run.state for run in Run.objects.all()}
    assert states == {"clean": "rejected", "twice": "valid", "out": "rejected", "gone": "withdrawn"}
    assert AuditEvent.objects.get(verb="check all again").data == {"runs": 2, "skipped": 0}


def test_of_several_rejected_attempts_the_newest_is_the_one_that_may_count_again(cast: Cast) -> None:
    Task.objects.update(rule_severities={"topic_short": "error"})
    first, second = submit_and_check(cast), submit_and_check(cast)
    assert {first.state, second.state} == {Run.REJECTED}
    Task.objects.update(rule_severities={})
    with TestCase.captureOnCommitCallbacks(execute=True):
        runs_check_again(actor=cast.organiser, task=cast.task)
    states = dict(Run.objects.values_list("pk", "state"))
    assert states == {first.pk: Run.REJECTED, second.pk: Run.VALID}


def test_no_run_of_a_team_that_is_refused_comes_to_count_again(cast: Cast) -> None:
    rejected = submit_and_check(cast, content=TWICE)
    gone = submit_and_check(cast, "gone")
    run_withdraw(actor=cast.member, run=gone)
    cast.team.registrations.update(state=Registration.REFUSED)
    Task.objects.update(rule_severities={"docno_duplicate": "warning"})
    assert runs_check_again(actor=cast.organiser, task=cast.task).count == 0
    for decision, run in ((run_reinstate, gone), (run_accept, rejected)):
        with pytest.raises(ValidationError, match="does not take part"):
            decision(actor=cast.organiser, run=run, reason="Why not.")


@pytest.mark.sqlite(
    "campaign.runs.services.decisions.wait_for_check", "campaign.runs.services.states.replacement_failed"
)
def test_only_the_attempt_that_replaced_last_brings_another_back(cast: Cast) -> None:
    first = submit_and_check(cast)
    second = submit(cast, content=TWICE, replace=True)
    submit_and_check(cast, content=TWICE + b"\n", replace=True)
    first.refresh_from_db()
    assert first.state == Run.VALID
    run_withdraw(actor=cast.member, run=first)
    assert decide(run_reinstate, cast, second, reason="For a look.").state == Run.REJECTED
    first.refresh_from_db()
    assert first.state == Run.WITHDRAWN


def test_who_has_left_the_team_is_told_nothing_more_of_its_runs(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    run = submit_and_check(cast, actor=cast.stranger)
    team_remove_member(actor=cast.member, team=cast.team, user=cast.stranger)
    Mail.objects.all().delete()
    decide(run_reject, cast, run, reason="No.")
    decide(run_check_again, cast, run)
    assert set(Mail.objects.values_list("address", flat=True)) == {cast.member.email}
    assert Mail.objects.count() == 2


def test_rejected_runs_without_a_place_stay_rejected_and_that_is_said(cast: Cast) -> None:
    submit_and_check(cast, "third", content=TWICE.replace(b"bm25", b"third"))
    submit_and_check(cast)
    submit_and_check(cast, "second")
    page = signed_in(cast.organiser).get(cast.task.url("runs_recheck")).content.decode()
    assert "Check all runs again" in page
    with TestCase.captureOnCommitCallbacks(execute=True):
        answer = signed_in(cast.organiser).post(cast.task.url("runs_recheck"), follow=True)
    assert "third (attempt 1)" in answer.content.decode()
    assert "has used up its quota, 2 of 2 runs" in answer.content.decode()
    assert list(Run.objects.order_by("pk").values_list("state", flat=True)) == ["rejected", "valid", "valid"]


# Never stuck


def test_the_sweep_has_a_run_checked_that_nobody_was_asked_to_check(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "lost", b"1 Q0 a 1 1 lost\n2 Q0 c 1 1 lost\n")
    assert run_progress(run).is_stuck
    with TestCase.captureOnCommitCallbacks(execute=True):
        sweep()
    assert Run.objects.get().state == Run.VALID
    assert forgotten_runs() == []


def test_the_sweep_has_a_run_checked_whose_job_ended_without_an_outcome(cast: Cast) -> None:
    run = submit(cast)
    Job.objects.update(state=Job.DONE)
    assert forgotten_runs() == [run]


def test_the_sweep_leaves_runs_of_archived_campaigns_alone(cast: Cast) -> None:
    make_received_run(cast.task, cast.team, "lost", b"1 Q0 a 1 1 lost\n")
    assert len(forgotten_runs()) == 1
    Campaign.objects.update(closed_at=timezone.now(), archived_at=timezone.now())
    assert forgotten_runs() == []


def test_the_sweep_leaves_a_failed_check_to_the_organiser(cast: Cast) -> None:
    submit(cast)
    Job.objects.filter(name=CHECK_RUN).update(
        state=Job.FAILED, message="The stored file of this run is missing or truncated."
    )
    assert forgotten_runs() == []
    counts = check_counts(cast.task)
    assert (counts.stuck, counts.waiting) == (1, 0)


def test_a_waiting_run_tells_how_many_are_ahead_and_since_when_and_that_no_worker_runs(cast: Cast) -> None:
    submit(cast, "one")
    run = submit(cast, "two")
    Job.objects.all().delete()
    first, second = Run.objects.order_by("pk")
    ahead = Job.objects.create(name=CHECK_RUN, run=first, state=Job.WORKING, heartbeat_at=timezone.now())
    Job.objects.create(name=CHECK_RUN, run=second)
    Job.objects.filter(pk=ahead.pk).update(created_at=timezone.now() - timedelta(minutes=9))
    progress = run_progress(run)
    assert (progress.place, progress.ahead, progress.no_worker) == (2, 1, "")
    page = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    assert "1 job is ahead of it, the oldest requested 9\xa0minutes ago" in page
    Job.objects.update(heartbeat_at=None, created_at=timezone.now() - timedelta(minutes=6))
    page = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    assert "No worker has taken a job for 6 minutes" in page


def test_checking_all_again_does_not_bring_back_an_attempt_that_its_team_gave_up(cast: Cast) -> None:
    submit_and_check(cast, content=b"1 Q0 a 1 x bm25\n")
    corrected = submit_and_check(cast)
    run_withdraw(actor=cast.member, run=corrected)
    asked = runs_check_again(actor=cast.organiser, task=cast.task)
    assert (asked.count, asked.skipped) == (0, [])
    assert not Run.objects.counting().exists()
