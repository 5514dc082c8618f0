"""What earlier versions stored must mean the same afterwards."""

from typing import Any

import pytest
from django.db.models import Model

from campaign.models import Job, Task
from campaign.tasking import find_job
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
