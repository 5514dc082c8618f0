"""What is held of a person, table by table; what is in the way of deleting the account; and the copies that were asked for."""

from collections.abc import Callable, Iterator

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from campaign.database import clock
from campaign.models import DataExport, Job, User
from campaign.web.daily_limits import DAY
from runpool.account_data import campaign, judging
from runpool.account_data.parts import Hindrance, Part

MAKE_EXPORT = "make a copy of a person's data"
"""Done by runpool/jobs.py."""
HINDRANCES: tuple[Callable[[User], Iterator[Hindrance]], ...] = (
    campaign.roles_left_alone,
    campaign.teams_left_alone,
    judging.open_topics_of,
)
PARTS: tuple[Callable[[User], Iterator[Part]], ...] = (campaign.parts_of, judging.judgments_of)


def hindrances(user: User) -> list[Hindrance]:
    return [one for hindrances_of in HINDRANCES for one in hindrances_of(user)]


def parts(user: User) -> list[Part]:
    return [part for parts_of in PARTS for part in parts_of(user)]


def exports_of(user: User) -> "QuerySet[DataExport]":
    return DataExport.objects.filter(user=user)


def export_under_way(user: User) -> bool:
    """Whether a job that makes a copy waits or works; one that failed may be asked for again."""
    keys = [str(pk) for pk in exports_of(user).filter(made_at=None).values_list("pk", flat=True)]
    jobs = Job.objects.filter(name=MAKE_EXPORT, state__in=[Job.QUEUED, Job.WORKING])
    return any(str(arguments.get("export_id")) in keys for arguments in jobs.values_list("arguments", flat=True))


def asked_today(user: User) -> int:
    return exports_of(user).filter(clock.within("requested_at", DAY, timezone.now())).count()


def available_days() -> int:
    return int(settings.KEEP_EXPORTS_DAYS)
