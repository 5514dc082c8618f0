"""Jobs of the judging app."""

from django.core.exceptions import ValidationError

from campaign.collection.import_jobs import register_import_jobs
from campaign.collection.services.joint_imports import queue_together
from campaign.models import Import, Task, Topic, User
from campaign.permissions import get_or_404
from campaign.queue.jobs import SOFT_LIMIT_SECONDS, JobFailed, Progress, job
from campaign.queues import MAIL
from judging.assigning.services.reminders import REMIND_ASSESSORS, reminders_send
from judging.checkouts.services import topic_advance
from judging.judgment_imports.services import JUDGMENTS_JOBS, judgments_apply, judgments_check
from judging.qrels.services.earlier_rounds import FIX_JUDGED_BEFORE, judged_before_fix
from judging.qrels.services.imports import QRELS_JOBS, qrels_apply, qrels_check
from pooling.models import Pool
from pooling.selectors.growth import CHOOSE_DOCUMENTS, UnusablePoolError


@job(CHOOSE_DOCUMENTS)
def choose_documents(progress: Progress, *, pool_id: int, topic_id: int) -> None:
    pool = get_or_404(Pool.objects.select_related("task__campaign"), pk=pool_id)
    try:
        topic_advance(pool=pool, topic=get_or_404(Topic.objects.all(), pk=topic_id))
    except UnusablePoolError as problem:
        raise JobFailed(str(problem)) from problem


@job(REMIND_ASSESSORS, queue=MAIL)
def remind_assessors(progress: Progress, *, task_id: int) -> None:
    reminders_send(get_or_404(Task.objects.select_related("campaign"), pk=task_id))


@job(FIX_JUDGED_BEFORE)
def fix_judged_before(progress: Progress, *, task_id: int, actor_id: int) -> None:
    task = get_or_404(Task.objects.select_related("campaign", "follows"), pk=task_id)
    try:
        judged_before_fix(actor=User.objects.get(pk=actor_id), task=task)
    except ValidationError as problem:
        raise JobFailed(" ".join(problem.messages)) from problem


register_import_jobs(
    JUDGMENTS_JOBS,
    Import.JUDGMENTS,
    check=judgments_check,
    apply=lambda import_, report: judgments_apply(import_),
    applying="importing",
)
register_import_jobs(
    QRELS_JOBS,
    Import.QRELS,
    check=qrels_check,
    apply=qrels_apply,
    applying="importing",
    queue=queue_together,
    limit_seconds=2 * SOFT_LIMIT_SECONDS,  # documents sent with them have as long by themselves
)
