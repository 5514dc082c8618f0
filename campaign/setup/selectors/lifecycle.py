"""What can become of a campaign and its tasks: what each act means, and what keeps them from being deleted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import PROTECT, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from campaign.models import Acceptance, Campaign, Import, Job, Role, Run, Task, User
from campaign.models.campaign import KEPT_AFTER_DELETION
from campaign.text.plurals import listed, number_of

CLOSE, REOPEN, ARCHIVE, UNARCHIVE, DELETE = "close", "reopen", "archive", "unarchive", "delete"
DAYS = KEPT_AFTER_DELETION.days
KEPT_FOR_RESTORING = (
    f"Organisers can restore it for {DAYS} days, under Deleted on the home page. Then it is removed for good."
)
TASK_DELETED = ["The task disappears for everybody, with its topics, settings and imports.", KEPT_FOR_RESTORING]


@dataclass(frozen=True, slots=True)
class Way:
    """Something that can be done with a campaign. `why_not`: what stands against it; `consequences`: what it means."""

    act: str
    title: str
    verb: str
    consequences: list[str]
    why_not: str = ""

    @property
    def tone(self) -> str:
        return "bad" if self.act == DELETE else ""


def ways_of(campaign: Campaign) -> list[Way]:
    """What can be done with the campaign as it is now."""
    if campaign.archived_at is not None:
        return [_unarchive()]
    ways = []
    if campaign.closed_at is not None:
        ways = [_reopen(campaign), _archive(campaign)]
    elif campaign.opened_at is not None:
        ways = [_close(campaign), _archive(campaign)]
    held = listed(campaign_deletion_blockers(campaign))
    why_not = f"It holds {held}. It can be closed and archived, but not deleted." if held else ""
    return [*ways, Way(DELETE, "Delete", "Delete the campaign", _deleted(campaign), why_not)]


def _close(campaign: Campaign) -> Way:
    consequences = [
        "No team can register, upload, change or withdraw a run, on the pages or with the API.",
        "Assessors cannot judge. What they judged is kept.",
        "All pages, leaderboards and files stay as they are. The pages say that the campaign is closed.",
        "Organisers can still change everything, and can reopen the campaign at any time.",
    ]
    return Way(CLOSE, "Close", "Close the campaign", consequences)


def _reopen(campaign: Campaign) -> Way:
    consequences = [
        "Teams can register again. Each task takes runs as its phase and its deadline say.",
        "Assessors can judge again.",
    ]
    return Way(REOPEN, "Reopen", "Reopen the campaign", consequences)


def _archive(campaign: Campaign) -> Way:
    consequences = [
        "Nobody can change anything in it, organisers included: every form and every writing request of the API is refused.",
        *(["The campaign is closed as well."] if campaign.closed_at is None else []),
        "All pages, leaderboards and files can be read as before, by those who can read them now.",
        "An organiser can take it out of the archive at any time. It is then closed.",
    ]
    return Way(ARCHIVE, "Archive", "Archive the campaign", consequences, work_under_way(campaign))


def _unarchive() -> Way:
    consequences = [
        "Organisers can change the campaign again.",
        "It stays closed: teams and assessors can do nothing until you reopen it.",
    ]
    return Way(UNARCHIVE, "Unarchive", "Unarchive", consequences)


def _deleted(campaign: Campaign) -> list[str]:
    return [
        f"The campaign, {number_of(campaign.tasks.count(), 'task')} with topics, and its documents disappear for everybody.",
        KEPT_FOR_RESTORING,
    ]


def work_under_way(campaign: Campaign) -> str:
    """What a worker still does for the campaign, which would be refused once it is archived."""
    tasks = Task.objects.filter(campaign=campaign)
    of_it = Q(task__in=tasks) | Q(run__task__in=tasks)
    jobs = Job.objects.filter(of_it, state__in=[Job.QUEUED, Job.WORKING]).count()
    jobs += Import.objects.filter(task__in=tasks, state__in=[Import.CHECKING, Import.APPLYING]).count()
    return (
        f"{number_of(jobs, 'job of this campaign still runs,jobs of this campaign still run')}. Try again later."
        if jobs
        else ""
    )


def campaign_deletion_blockers(campaign: Campaign) -> list[str]:
    """The work of others in the campaign, and what is kept for good: either keeps it from being deleted."""
    accepted = Acceptance.objects.filter(agreement__campaign=campaign).count()
    found = {"registered team": campaign.registrations.count(), "accepted agreement": accepted}
    here = Task.everything.filter(campaign=campaign)
    later = Task.objects.filter(follows__in=here).exclude(campaign=campaign).count()
    return [*_counted(found), *_held(list(here)), *_counted({"later round elsewhere,later rounds elsewhere": later})]


def task_deletion_blockers(task: Task) -> list[str]:
    later = Task.objects.filter(follows=task).count()
    phase = [] if task.phase == Task.SETUP else [f"the phase {task.get_phase_display()}, past its set-up"]
    return [*phase, *_held([task]), *_counted({"later round": later})]


def _held(tasks: Sequence[Task]) -> Iterator[str]:
    """Runs, and the rows of all apps that no task may lose: frozen pools, qrels, leaderboards."""
    for relation in Task._meta.related_objects:
        model = relation.related_model
        if model is Run or (relation.on_delete is PROTECT and model is not Task):
            count = model._base_manager.filter(**{f"{relation.field.name}__in": tasks}).count()
            yield from _counted({f"{model._meta.verbose_name},{model._meta.verbose_name_plural}": count})


def _counted(found: dict[str, int]) -> list[str]:
    return [number_of(count, noun) for noun, count in found.items() if count]


@dataclass(frozen=True, slots=True)
class Deleted:
    """A campaign or a task that its organisers can still restore."""

    kind: str
    pk: int
    title: str
    address: str
    deleted_at: datetime

    @property
    def until(self) -> datetime:
        return self.deleted_at + KEPT_AFTER_DELETION


def deleted_campaigns(user: User) -> "QuerySet[Campaign]":
    found = Campaign.everything.filter(deleted_at__gt=timezone.now() - KEPT_AFTER_DELETION, emptied_at=None)
    if user.is_superuser:
        return found
    return found.filter(pk__in=Role.objects.filter(user=user, role=Role.ORGANISER).values("campaign"))


def deleted_tasks(user: User) -> "QuerySet[Task]":
    """Those that were deleted alone; the tasks of a deleted campaign are restored with it."""
    found = Task.everything.filter(deleted_at__gt=timezone.now() - KEPT_AFTER_DELETION)
    return found.filter(campaign__in=Campaign.objects.organised_by(user)).select_related("campaign")


def has_deleted(user: User) -> bool:
    """Whether there is something to restore; asked on every home page."""
    since = timezone.now() - KEPT_AFTER_DELETION
    organised = Role.objects.filter(user=user, role=Role.ORGANISER, campaign__emptied_at=None)
    lost = Task.everything.filter(campaign=OuterRef("campaign"), deleted_at__gt=since)
    return organised.filter(Q(campaign__deleted_at__gt=since) | Exists(lost)).exists()


def deleted_by_kind(user: User) -> list[Deleted]:
    campaigns = [Deleted("campaign", one.pk, one.title, f"/c/{one.slug}/", _at(one)) for one in deleted_campaigns(user)]
    tasks = [
        Deleted("task", one.pk, f"{one.campaign} · {one}", f"/c/{one.campaign.slug}/{one.slug}/", _at(one))
        for one in deleted_tasks(user)
    ]
    return sorted([*campaigns, *tasks], key=lambda row: row.deleted_at, reverse=True)


def _at(row: Campaign | Task) -> datetime:
    assert row.deleted_at is not None  # noqa: S101 - by the query
    return row.deleted_at
