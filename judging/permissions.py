"""Who may open what: a desk exists for its assessor only, not even for organisers."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from campaign.models import Task, User, Visitor
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_assessor, is_organiser
from judging.judgments.selectors.own_documents import assignments_of, why_no_assessor, why_not_judging
from judging.models import Assignment, ModelAssessor, PreferenceAssignment, PreferenceOrder, Qrels
from judging.preferences.selectors import preference_assignments_of

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
    own = _assignments_at(user, campaign_slug, task_slug).filter(topic__number=topic_number)
    if assignment not in (None, ""):
        return get_or_404(own, pk=key_of(assignment))
    unfinished = own.filter(finished_at=None).order_by("pool__version", "pass_number").first()
    return unfinished or get_or_404(own.order_by("-pool__version", "-pass_number"))


def get_assignment_or_404(user: Visitor, campaign_slug: str, task_slug: str, assignment: int) -> Assignment:
    """One's own assignment by its primary key, whatever its topic."""
    if not isinstance(user, User):
        return get_or_404(Assignment.objects.none())
    return get_or_404(_assignments_at(user, campaign_slug, task_slug), pk=assignment)


def _assignments_at(user: User, campaign_slug: str, task_slug: str) -> "QuerySet[Assignment]":
    """The user's assignments in the task with this address; none where it was deleted, by itself or with its campaign."""
    own = assignments_of(user).filter(pool__task__campaign__slug=campaign_slug, pool__task__slug=task_slug)
    return own.filter(pool__task__deleted_at=None)


def require_assessor(assignment: Assignment, *, reads: bool = False) -> None:
    """Whoever had the role may still see that there was an assignment, but not judge: a 403 with the reason.

    `reads`: the page only shows what they judged, which a closed campaign does not prevent.
    """
    if problem := why_no_assessor(assignment) if reads else why_not_judging(assignment):
        raise PermissionDenied(problem)


def get_judged_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    """For pages about one's own judging: assessors and organisers. Others who see the task get a 403 with the reason."""
    task = get_task_or_404(user, campaign_slug, task_slug)
    is_allowed = is_assessor(user, task.campaign) or is_organiser(user, task.campaign)
    if not is_allowed and not (isinstance(user, User) and _judges(user, task)):
        raise PermissionDenied("Only assessors of this campaign have topics to judge.")
    return task


def get_practised_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    """For practice: assessors, and organisers who try it. Others who see the task get a 403 with the reason."""
    task = get_task_or_404(user, campaign_slug, task_slug)
    if not (is_assessor(user, task.campaign) or is_organiser(user, task.campaign)):
        raise PermissionDenied("Only assessors of this campaign practise judging.")
    return task


def get_model_graded_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    """For pages about grades of model assessors: organisers who judge or compare nothing in the task, whom they would sway."""
    task = get_organised_task_or_404(user, campaign_slug, task_slug)
    if isinstance(user, User) and _judges(user, task):
        raise PermissionDenied("You judge topics of this task: grades of model assessors are hidden from you.")
    return task


def _judges(user: User, task: Task) -> bool:
    return assignments_of(user, task).exists() or preference_assignments_of(user, task).exists()


def get_model_assessor_or_404(user: Visitor, campaign_slug: str, task_slug: str, key: int) -> ModelAssessor:
    task = get_model_graded_task_or_404(user, campaign_slug, task_slug)
    return get_or_404(task.model_assessors.select_related("task__campaign", "created_by"), pk=key)


def get_qrels_or_404(user: Visitor, task: Task, version: int) -> Qrels:
    visible = Qrels.objects.visible_to(user).select_related("task__campaign", "pool", "released_by")
    return get_or_404(visible, task=task, version=version)


def get_own_preferences_or_404(
    user: Visitor, campaign_slug: str, task_slug: str, topic_number: str, assignment: str | int | None = None
) -> PreferenceAssignment:
    """The user's own comparisons with this primary key; without one those of the newest qrels."""
    if not isinstance(user, User):
        return get_or_404(PreferenceAssignment.objects.none())
    own = _preferences_at(user, campaign_slug, task_slug).filter(topic__number=topic_number)
    if assignment not in (None, ""):
        return get_or_404(own, pk=key_of(assignment))
    return get_or_404(own.order_by("-qrels__version"))


def get_preferences_or_404(user: Visitor, campaign_slug: str, task_slug: str, key: int) -> PreferenceAssignment:
    """One's own comparisons by their primary key, whatever their topic."""
    if not isinstance(user, User):
        return get_or_404(PreferenceAssignment.objects.none())
    return get_or_404(_preferences_at(user, campaign_slug, task_slug), pk=key)


def _preferences_at(user: User, campaign_slug: str, task_slug: str) -> "QuerySet[PreferenceAssignment]":
    own = preference_assignments_of(user).filter(qrels__task__campaign__slug=campaign_slug)
    return own.filter(qrels__task__slug=task_slug, qrels__task__deleted_at=None)


def get_preference_order_or_404(user: Visitor, task: Task, version: int) -> PreferenceOrder:
    visible = PreferenceOrder.objects.visible_to(user).select_related("task__campaign", "qrels", "released_by")
    return get_or_404(visible, task=task, version=version)
