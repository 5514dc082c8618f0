"""A process of the site that makes what faults are tried on, and tells what is there afterwards.

It reads a JSON list a line, and answers each by a line of JSON:

["make", NAME, ...]      a task for each fault, and one to judge
["score", NAME]          the runs of the work, checked and scored in this process, where nothing fails
["tell", NAME]           what the database holds of the task
"""

import json
import sys
from datetime import timedelta

import django


def make(*names: str) -> dict[str, object]:
    from django.utils import timezone

    from campaign.accounts.services.tokens import token_create
    from campaign.models import Role
    from tests.evaluation.makers import make_qrels
    from tests.factories import make_campaign, make_task, make_team, make_topics, make_user
    from tests.faults.workload import DOCUMENTS, JUDGED_DOCNOS, TOPICS
    from tests.flows.http_clients import PASSWORD
    from tests.judging.makers import assign, make_pool

    olga, mona, assia = (make_user(name) for name in ("olga", "mona", "assia"))
    assia.set_password(PASSWORD)
    assia.save()
    campaign = make_campaign("faults")
    for user, role in ((olga, Role.ORGANISER), (assia, Role.ASSESSOR)):
        Role.objects.create(campaign=campaign, user=user, role=role)
    make_team("North", members=(mona,), campaign=campaign)
    for name in names:
        task = make_task(
            campaign,
            name,
            docno_policy="any",
            max_runs_per_team=100,
            max_documents_per_topic=DOCUMENTS,
            measures=["AP", "nDCG@10"],
        )
        numbers = [str(number) for number in range(1, TOPICS + 1)]
        make_topics(task, numbers)
        make_qrels(task, {number: {f"d{place}": place % 3 for place in range(0, 200, 7)} for number in numbers}, olga)
    judging = make_task(campaign, "judged")
    [topic] = make_topics(judging, ["1"])
    assignment = assign(make_pool(judging, {topic: JUDGED_DOCNOS}, olga), topic, assia, olga)
    until = timezone.now() + timedelta(days=1)
    _, token = token_create(actor=mona, name="faults", scope="submit", expires_at=until)
    return {"token": token, "assessor": assia.pk, "assignment": assignment.pk}


def score(name: str) -> dict[str, object]:
    from django.core.files.base import ContentFile

    from campaign.models import Task, Team, User
    from campaign.queue.jobs import inline
    from campaign.runs.services.submission import run_submit
    from evaluation.services.scoring import scores_request
    from tests.faults.workload import DEPTHS, run_text

    about = {
        "task": Task.objects.get(slug=name),
        "team": Team.objects.get(),
        "actor": User.objects.get(username="mona"),
    }
    with inline():
        for number, depth in enumerate(DEPTHS):
            tag = f"run-{number}"
            run_submit(**about, tag=tag, file=ContentFile(run_text(number, depth, tag)), file_name=f"{tag}.txt")
        scores_request(actor=None, task=about["task"])
    return tell(name)


def tell(name: str) -> dict[str, object]:
    from campaign.models import DamagedFile, Job, Mail, Run
    from evaluation.models import Evaluation
    from judging.models import Judgment

    runs = list(Run.objects.filter(task__slug=name).values("pk", "tag", "attempt", "state", "sha256", "table"))
    scores = Evaluation.objects.filter(run__task__slug=name).order_by("pk")
    return {
        "runs": runs,
        "scores": [[score.run.tag, bytes(score.values).hex()] for score in scores.select_related("run")],
        "receipts": [mail.body for mail in Mail.objects.filter(body__contains="SHA-256") if f"/{name}/" in mail.body],
        "unsent": Mail.objects.filter(sent_at=None).count(),
        "judgments": [str(uuid) for uuid in Judgment.objects.values_list("uuid", flat=True)],
        "failed": [f"{job.name}: {job.message}" for job in Job.objects.filter(state=Job.FAILED)],
        "damaged": list(DamagedFile.objects.filter(restored_at=None).values_list("name", flat=True)),
    }


if __name__ == "__main__":
    django.setup()
    from django.db import connection

    for line in sys.stdin:
        command, *arguments = json.loads(line)
        told = {"make": make, "score": score, "tell": tell}[command](*arguments)
        connection.close()  # the server may be away before the next line comes
        print(json.dumps(told, default=str), flush=True)
