"""The audit log of a campaign, filtered, newest first, in pages by key."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.apps import apps
from django.db.models import CharField, Model, Q, QuerySet, UUIDField
from django.db.models.functions import Cast

from campaign.accounts.selectors import user_by_name
from campaign.log.redaction import FormerNames
from campaign.models import AuditEvent, Campaign, Run, Task, Team

ON_A_PAGE = 50
SYSTEM = "system:"
"""No user name holds a colon."""
VIA = ("task", "pool__task", "qrels__task", "assignment__pool__task")
"""How the objects of a task refer to it."""


NAMED: dict[str, tuple[type[Model], str]] = {
    "task": (Task, "title"),
    "run": (Run, "tag"),
    "team": (Team, "name"),
    "campaign": (Campaign, "title"),
}
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Empty filters have no effect. `who`: a user name, or SYSTEM for what nobody did by hand."""

    who: str = ""
    verb: str = ""
    kind: str = ""
    task: Task | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def narrows(self) -> bool:
        return self != LogFilter()


def events_of(campaign: Campaign, wanted: LogFilter | None) -> "QuerySet[AuditEvent]":
    events = AuditEvent.objects.filter(campaign=campaign).select_related("actor")
    wanted = wanted or LogFilter()
    if wanted.who:
        actor = None if wanted.who == SYSTEM else user_by_name(wanted.who)
        events = events.filter(actor=actor) if actor or wanted.who == SYSTEM else events.none()
    if wanted.verb:
        events = events.filter(verb=wanted.verb)
    if wanted.kind:
        events = events.filter(object_type=wanted.kind)
    if wanted.task:
        events = events.filter(_about(wanted.task, kinds_in(campaign)))
    if wanted.since:
        events = events.filter(happened_at__gte=wanted.since)
    if wanted.until:
        events = events.filter(happened_at__lt=wanted.until)
    return events.order_by("-pk")


def page_before(events: "QuerySet[AuditEvent]", before: int | None) -> tuple[list[AuditEvent], int | None]:
    """The newest events older than one of this key, and the key to go on with; None where there are no more."""
    found = list((events if before is None else events.filter(pk__lt=before))[: ON_A_PAGE + 1])
    more = len(found) > ON_A_PAGE
    return found[:ON_A_PAGE], found[ON_A_PAGE - 1].pk if more else None


def with_names(events: Iterable[AuditEvent]) -> Iterator[tuple[AuditEvent, str]]:
    """Each event with the name of its object as it is now; empty for what is gone. A few queries for many.

    The data of an event names no account that was deleted: these rows are for showing, not for saving.
    """
    rest, former = iter(events), FormerNames()
    while some := list(islice(rest, AT_ONCE)):
        names = {
            (kind, str(pk)): name
            for kind, (model, column) in NAMED.items()
            for pk, name in model._base_manager.filter(
                pk__in=[event.object_id for event in some if event.object_type == kind]
            ).values_list("pk", column)
        }
        for event in some:
            event.data = former.left_out_of(event.data, event.happened_at)
        yield from ((event, names.get((event.object_type, event.object_id), "")) for event in some)


def people_in(campaign: Campaign) -> list[str]:
    names = AuditEvent.objects.filter(campaign=campaign, actor__isnull=False).order_by("actor__username")
    return list(names.values_list("actor__username", flat=True).distinct())


def verbs_in(campaign: Campaign) -> list[str]:
    return list(AuditEvent.objects.filter(campaign=campaign).order_by("verb").values_list("verb", flat=True).distinct())


def kinds_in(campaign: Campaign) -> list[str]:
    kinds = AuditEvent.objects.filter(campaign=campaign).order_by("object_type")
    return list(kinds.values_list("object_type", flat=True).distinct())


def _about(task: Task, kinds: list[str]) -> Q:
    """The task itself, and every object of these kinds that belongs to it and is still there."""
    found = Q(object_type="task", object_id=str(task.pk))
    for model in apps.get_models():
        name = str(model._meta.model_name)
        path = _path_to_task(model) if name in kinds else ""
        if path:
            rows = model._base_manager.filter(**{path: task})
            keys: Any = rows.annotate(key=Cast("pk", CharField())).values("key")
            if isinstance(model._meta.pk, UUIDField):  # of which databases make other texts
                keys = [str(key) for key in rows.values_list("pk", flat=True)]
            found |= Q(object_type=name, object_id__in=keys)
    return found


def _path_to_task(model: type[Model]) -> str:
    return next((path for path in VIA if _leads_to_task(model, path.split("__"))), "")


def _leads_to_task(model: Any, steps: list[str]) -> bool:
    for step in steps:
        fields = {field.name: field for field in model._meta.concrete_fields}
        if step not in fields or fields[step].related_model is None:
            return False
        model = fields[step].related_model
    return model is Task
