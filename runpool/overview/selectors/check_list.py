"""What a task needs before it is open: done, missing or optional. Its next step and its check list are this one list."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from campaign.models import JudgedBefore, Role, RoleInvitation, Run, Task, Topic, tones
from campaign.models.tones import Toned
from campaign.navigation import Step, number_of_rows
from campaign.text.plurals import number_of

DONE, MISSING, OPTIONAL = "done", "missing", "optional"
SETTINGS = "task_edit"


@dataclass(frozen=True, slots=True)
class Check(Toned):
    """`said`: how it stands; `step`: where it is done or changed, None where nothing is left to do."""

    TONES = {DONE: tones.GOOD, MISSING: tones.WARNING, OPTIONAL: tones.WAITING}

    label: str
    state: str
    said: str
    step: Step | None


def with_readiness(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Tasks annotated with what their check lists count, and with the numbers of valid runs and their teams."""
    valid = Q(runs__state=Run.VALID)
    people = Role.objects.filter(role=Role.ASSESSOR, campaign=OuterRef("campaign")).order_by().values("campaign")
    invited = RoleInvitation.objects.waiting().filter(role=Role.ASSESSOR, campaign=OuterRef("campaign"))
    return tasks.select_related("campaign", "collection").annotate(
        topic_count=number_of_rows(Topic.objects.all()),
        assessor_count=Subquery(people.annotate(number=Count("pk")).values("number")),
        has_invited=Exists(invited),
        has_fixed=Exists(JudgedBefore.objects.filter(task=OuterRef("pk"))),
        run_count=Count("runs", filter=valid),
        team_count=Count("runs__team", filter=valid, distinct=True),
    )


def is_being_set_up(task: Task) -> bool:
    """As long as its check list is shown."""
    return task.campaign.opened_at is None or task.phase == Task.SETUP


def check_list(task: Task) -> list[Check]:
    """In the order of the work; `task` must come from `with_readiness`."""
    return [*_collection(task), *_optional(task), *_opening(task)]


def missing(checks: list[Check]) -> Step | None:
    """The step of what is missing first."""
    return next((check.step for check in checks if check.state == MISSING), None)


def in_words(checks: list[Check]) -> str:
    """ "2 of 7 done; missing: documents, the opening of the campaign; optional: guidelines"."""
    by_state = {state: [check.label for check in checks if check.state == state] for state in (MISSING, OPTIONAL)}
    named = [f"{state}: {', '.join(labels)}" for state, labels in by_state.items() if labels]
    done = sum(check.state == DONE for check in checks)
    return "; ".join([f"{done} of {len(checks)} done", *named])


def _collection(task: Any) -> Iterator[Check]:
    topics, collection = task.topic_count or 0, task.collection
    lacking = MISSING if task.phase == Task.SETUP else OPTIONAL
    documents = collection.document_count if collection is not None else 0
    without = OPTIONAL if task.docno_policy != Task.KNOWN else lacking
    both = not topics and collection is None and without == MISSING
    one = Step("Import topics and documents", task.url("files_import"))
    import_topics = one if both else Step("Import topics", task.url("import_create", kind="topics"))
    import_documents = one if both else Step("Import documents", task.url("import_create", kind="documents"))
    if topics:
        yield Check("topics", DONE, number_of(topics, "topic"), None)
    else:
        yield Check("topics", lacking, "none yet", import_topics)
    if collection is not None:
        yield Check("documents", DONE, number_of(documents, "document"), None)
    else:
        said = "none yet; runs may hold any document number" if without == OPTIONAL else "none yet"
        yield Check("documents", without, said, import_documents)
    if task.round_kind == Task.RESIDUAL:
        fix = Step("Fix what was judged before", task.url("judged_before"))
        state, said = (DONE, "fixed") if task.has_fixed else (MISSING, "not fixed yet")
        yield Check("what earlier rounds judged", state, said, None if task.has_fixed else fix)


def _optional(task: Any) -> Iterator[Check]:
    write = Step("Write guidelines", task.url(SETTINGS))
    has_text = bool(task.guidelines)
    yield Check(
        "guidelines", DONE if has_text else OPTIONAL, "written" if has_text else "none", None if has_text else write
    )
    if task.closes_at is not None:
        yield Check("deadline for runs", DONE, "set", None)
    else:
        yield Check(
            "deadline for runs", OPTIONAL, "none: the organisers close it", Step("Set a deadline", task.url(SETTINGS))
        )
    people, campaign = task.assessor_count or 0, {"campaign_slug": task.campaign.slug}
    invite = Step("Invite assessors", reverse("people", kwargs=campaign))
    if people:
        yield Check("assessors", DONE, number_of(people, "assessor"), None)
    else:
        said = "invited, nobody has accepted yet" if task.has_invited else "nobody yet; judging needs them"
        yield Check("assessors", OPTIONAL, said, invite)


def _opening(task: Task) -> Iterator[Check]:
    open_campaign = Step("Open the campaign", reverse("campaign_open", kwargs={"campaign_slug": task.campaign.slug}))
    open_task = Step("Open the task", f"{reverse('task_phase', kwargs=task.address)}?to={Task.RUNS}")
    if task.campaign.opened_at is None:
        yield Check("opening of the campaign", MISSING, "a draft: teams see nothing of it", open_campaign)
    else:
        yield Check("opening of the campaign", DONE, "open", None)
    if task.phase == Task.SETUP:
        said = "in its set-up: teams do not see it"
        yield Check("opening of the task", MISSING, said, open_task)
    else:
        yield Check("opening of the task", DONE, "open", None)
