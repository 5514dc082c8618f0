"""What earlier versions stored must mean the same afterwards."""

from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.db.models import Model
from django.utils import timezone

from campaign.models import Job, Run, Task, Team, User
from campaign.tasking import find_job
from judging.models import Judgment
from tests.old_versions import as_it_was

pytestmark = pytest.mark.django_db(transaction=True)


def make_old_task(old: Any, slug: str = "t", **values: Any) -> Model:
    campaign, _ = old.get_model("campaign", "Campaign").objects.get_or_create(slug="c", defaults={"title": "C"})
    task: Model = old.get_model("campaign", "Task").objects.create(campaign=campaign, slug=slug, title="T", **values)
    return task


def test_a_task_that_wanted_every_topic_answered_still_does() -> None:
    with as_it_was(campaign="0001_initial") as old:
        strict = make_old_task(old, "strict", all_topics_required=True)
        lenient = make_old_task(old, "lenient")
    assert Task.objects.get(pk=strict.pk).rule_severities == {"topic_missing": "error"}
    assert Task.objects.get(pk=lenient.pk).rule_severities == {}


OLD_JOBS = {
    "campaign.run_tasks.check_run": "check run",
    "campaign.mail_tasks.send_mail": "send mail",
    "campaign.tasks.check_import": "check import",
    "campaign.tasks.apply_import": "apply import",
    "campaign.tasks.index_docnos": "index docnos",
    "pooling.tasks.freeze_pool": "freeze pool",
    "judging.tasks.check_qrels": "check qrels",
    "judging.tasks.apply_qrels": "apply qrels",
    "evaluation.tasks.score_task": "score task",
}


def test_waiting_jobs_named_by_their_modules_keep_their_meaning_and_know_what_they_are_about() -> None:
    with as_it_was(campaign="0006_depth_of_checked_runs") as old:
        task = make_old_task(old)
        jobs = old.get_model("campaign", "Job").objects
        for name in OLD_JOBS:
            jobs.create(name=name, key="{}")
        jobs.create(name="evaluation.tasks.score_task", key="there", arguments={"task_id": task.pk})
        jobs.create(name="evaluation.tasks.score_task", key="gone", arguments={"task_id": task.pk + 1})
    names = list(Job.objects.filter(key="{}").values_list("name", flat=True))
    assert names == list(OLD_JOBS.values())
    assert all(find_job(name) for name in names)
    assert [Job.objects.get(key=key).task_id for key in ("there", "gone")] == [task.pk, None]


def test_tasks_keep_their_mode_and_are_scored_by_the_measures_of_before() -> None:
    with as_it_was(campaign="0008_job_names") as old:
        unnamed = {mode: make_old_task(old, mode, judging_mode=mode) for mode in ("binary", "graded", "subtopic")}
        named = make_old_task(old, "named", judging_mode="subtopic", measures=["AP"])
    for mode, task in unnamed.items():
        kept = Task.objects.get(pk=task.pk)
        assert (kept.judging_mode, kept.mode.name) == (mode, mode)
        assert kept.measures == ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]
    assert Task.objects.get(pk=named.pk).measures == ["AP"]


def test_grades_of_subtopics_become_the_details_of_their_judgments() -> None:
    with as_it_was(campaign="0008_job_names", pooling="0001_initial", judging="0001_initial") as old:
        task = make_old_task(old, judging_mode="subtopic")
        judgment = make_old_judgment(old, task, subtopic_grades={"a": 0, "b": 2}, note="kept")
    kept = Judgment.objects.get(pk=judgment.pk)
    assert (kept.details, kept.grade, kept.note) == ({"a": 0, "b": 2}, 2, "kept")


def make_old_judgment(old: Any, task: Model, **values: Any) -> Model:
    user = old.get_model("campaign", "User").objects.create(username="assia")
    topic = old.get_model("campaign", "Topic").objects.create(task=task, number="401", position=1, title="t")
    pool = old.get_model("pooling", "Pool")(
        task=task, version=1, strategy="depth-k", parameters={"depth": 10}, size=1, sha256="0", frozen_by=user
    )
    pool.save()
    assignment = old.get_model("judging", "Assignment").objects.create(
        pool=pool, topic=topic, assessor=user, assigned_by=user
    )
    judgment: Model = old.get_model("judging", "Judgment").objects.create(
        uuid=uuid4(),
        assignment=assignment,
        topic=topic,
        assessor=user,
        docno="D1",
        verdict="graded",
        grade=2,
        judged_at=timezone.now(),
        **values,
    )
    return judgment


def test_addresses_of_accounts_made_by_command_count_as_confirmed_and_claimed_ones_do_not() -> None:
    with as_it_was(campaign="0010_audit_is_written_once", account="0009_emailaddress_unique_primary_email") as old:
        users, addresses = old.get_model("campaign", "User").objects, old.get_model("account", "EmailAddress").objects
        users.create(username="by-command", email="Opal@example.org")
        claimant = users.create(username="claimant", email="pearl@example.org")
        addresses.create(user=claimant, email="pearl@example.org", verified=False, primary=True)
        users.create(username="claimed", email="pearl@example.org")
    confirmed = EmailAddress.objects.filter(verified=True).values_list("user__username", "email")
    assert list(confirmed) == [("by-command", "opal@example.org")]


def test_names_that_look_alike_do_not_stop_the_update_and_only_the_first_has_the_look() -> None:
    with as_it_was(campaign="0014_role_invitations") as old:
        for slug, name in (("a", "Alba"), ("b", "ALBA"), ("c", "Brio")):
            old.get_model("campaign", "Team").objects.create(slug=slug, name=name)
        users = old.get_model("campaign", "User").objects
        submitter = users.create(username="paul")
        users.create(username="p\u0430ul")
        task, team = make_old_task(old), old.get_model("campaign", "Team").objects.get(slug="a")
        for tag, state in (("bm25", "valid"), ("BM25", "valid"), ("Bm25", "rejected")):
            old.get_model("campaign", "Run").objects.create(
                task=task, team=team, tag=tag, state=state, size=0, submitted_by=submitter
            )
    assert list(Team.objects.order_by("slug").values_list("name_skeleton", flat=True)) == ["alba", None, "brio"]
    assert list(User.objects.order_by("pk").values_list("username_skeleton", flat=True)) == ["paul", None]
    assert list(Run.objects.order_by("pk").values_list("tag_skeleton", flat=True)) == ["bm25", None, "bm25"]
