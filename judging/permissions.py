"""Who may open what: a desk exists for its assessor only, not even for organisers."""

from django.core.exceptions import PermissionDenied

from campaign.models import Task, User, Visitor
from campaign.permissions import get_or_404, get_task_or_404, is_assessor, is_organiser
from judging.models import Assignment, Qrels
from judging.selectors.desk import assignments_of, why_not_judging

LONGEST_KEY = 18


def key_of(sent: object) -> int:
    """Return the primary key that was sent, or 0, which no row has."""
    text = str(sent)
    return int(text) if text.isdecimal() and len(text) <= LONGEST_KEY else 0


def get_own_assignment_or_404(
    user: Visitor, campaign_slug: str, task_slug: str, topic_number: str, assignment: str | int | None = None
) -> Assignment:
    """The assignment with this primary key; without one the first unfinished assignment, or else the newest."""
    if not isinstance(user, User):
        return get_or_404(Assignment.objects.none())
    own = assignments_of(user).filter(
        pool__task__campaign__slug=campaign_slug, pool__task__slug=task_slug, topic__number=topic_number
    )
    if assignment not in (None, ""):
        return get_or_404(own, pk=key_of(assignment))
    unfinished = own.filter(finished_at=None).order_by("pool__version", "pass_number").first()
    return unfinished or get_or_404(own.order_by("-pool__version", "-pass_number"))


def require_assessor(assignment: Assignment) -> None:
    """Whoever had the role may still see that there was an assignment, but not judge: a 403 with the reason."""
    if problem := why_not_judging(assignment):
        raise PermissionDenied(problem)


def get_judged_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    """For pages about one's own judging: assessors and organisers. Others who see the task get a 403 with the reason."""
    task = get_task_or_404(user, campaign_slug, task_slug)
    is_allowed = is_assessor(user, task.campaign) or is_organiser(user, task.campaign)
    if not is_allowed and not (isinstance(user, User) and assignments_of(user, task).exists()):
        raise PermissionDenied("Only assessors of this campaign have topics to judge.")
    return task


def get_qrels_or_404(user: Visitor, task: Task, version: int) -> Qrels:
    visible = Qrels.objects.visible_to(user).select_related("task__campaign", "pool", "released_by")
    return get_or_404(visible, task=task, version=version)
