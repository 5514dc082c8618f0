"""What archives keep of campaigns, and which models they leave out."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import uuid4

import yaml
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from campaign.collection.exports import topic_records
from campaign.collection.selectors.documents import STAGING
from campaign.formats.picture_heads import SUFFIXES
from campaign.formats.topics.write import FILES
from campaign.models import (
    Acceptance,
    Agreement,
    Allowance,
    ApiToken,
    Archive,
    ArchivedName,
    AuditEvent,
    Campaign,
    Collection,
    Correction,
    DamagedFile,
    DataExport,
    DigestEntry,
    Document,
    FormerName,
    Grade,
    Import,
    Invitation,
    Job,
    JudgedBefore,
    LastSeen,
    Mail,
    MailChoice,
    Membership,
    Milestone,
    Notice,
    OrganiserAnswer,
    OrganiserQuestion,
    Registration,
    RenderedText,
    Restoration,
    Role,
    RoleInvitation,
    RowState,
    Run,
    RunProblem,
    Seal,
    SearchIndex,
    SiteFigures,
    SlowRequest,
    Subtopic,
    Task,
    Team,
    Topic,
    User,
    Verification,
    VerificationFinding,
    WorkerHeartbeat,
)
from campaign.models.fields import no_white_space
from campaign.models.team import new_invitation_key
from campaign.setup.services.setting_checks import require_readable_settings
from campaign.text.plurals import number_of
from runpool.archive.table import (
    Check,
    JsonRow,
    Others,
    Place,
    ReadFile,
    Scope,
    StoredColumn,
    Table,
)

NOT_KEPT_EVENTS = ("archive", "restoration", "import", "job")
"""Types of objects whose events are about files on their way: two archives of the same campaign have the same content."""
LEFT_OUT = {
    ApiToken: "opens an account of this site",
    Archive: "tells of archives, not of the campaign",
    ArchivedName: "its names stand in the rows; its facts in people.jsonl and teams.jsonl",
    DataExport: "what the site holds of one person, for that person",
    DamagedFile: "tells of the disk of this site",
    DigestEntry: "waits for a mail of this site",
    Document: "kept as collections/<name>/docnos.txt or documents.jsonl, by runpool/archive/documents.py",
    FormerName: "tells of accounts of this site that are deleted",
    Import: "a file on its way in; what it brought is kept",
    Invitation: "waits for an answer to a mail of this site",
    Job: "work of this site",
    LastSeen: "tells of the workers of this site",
    Mail: "was sent by this site to addresses of people",
    MailChoice: "what somebody of this site wants by mail",
    RenderedText: "is made anew from its text",
    Restoration: "tells of archives, not of the campaign",
    RoleInvitation: "waits for an answer of somebody of this site",
    RowState: "tells of the rows of this site; restored ones have states of their own",
    Seal: "tells of the rows of this site; restored ones are sealed anew",
    SearchIndex: "is made anew from the texts",
    SiteFigures: "tells of this site",
    SlowRequest: "tells of this site",
    Verification: "tells of this site",
    VerificationFinding: "tells of this site",
    WorkerHeartbeat: "tells of the workers of this site",
    User: "kept as people.jsonl, by runpool/archive/names.py",
}


def _of_campaigns() -> Iterator[Table]:
    logo = StoredColumn(
        "logo", "logos", "", lambda row: ("logo",), "", suffixes=frozenset(SUFFIXES.values()), is_whole=False
    )
    yield Table(Campaign, "campaign", rows=_campaign, anew={"slug": str}, files=(logo,))
    yield Table(Team, "teams", key=("slug",), rows=_teams, anew={"invitation_key": new_invitation_key})
    yield Table(Membership, "memberships", rows=lambda scope: Membership.objects.filter(team__in=_teams(scope)))
    yield Table(Role, "roles", rows=_roles)
    yield Table(Agreement, "agreements")
    yield Table(Registration, "registrations")
    yield Table(
        Acceptance, "acceptances", rows=lambda scope: Acceptance.objects.filter(agreement__campaign=scope.campaign)
    )
    yield Table(
        Collection, "collections", key=("slug",), rows=collections_of, anew={"document_count": int, "text_count": int}
    )
    in_scope: Callable[[Scope], QuerySet[Task]] = lambda scope: Task.objects.filter(pk__in=scope.task_keys)  # noqa: E731
    yield Table(Task, "tasks", key=("slug",), rows=in_scope, check=_check_settings)


def _of_tasks() -> Iterator[Table]:
    yield Table(Grade, "grades", "task")
    yield Table(Topic, "topics/topics", "task", key=("number",))
    yield Table(Subtopic, "topics/subtopics", "topic__task")
    yield Table(Allowance, "allowances", "task")
    sent = StoredColumn("file", "runs", "", _run_place, ".run", "sha256", may_be_gzip=True, is_whole=False)
    yield Table(
        Run, "runs/runs", "task", key=("tag", "attempt"), anew={"table": str}, files=(sent,), against=_run_check
    )
    yield Table(RunProblem, "runs/problems", "run__task", referred=False)
    yield Table(OrganiserQuestion, "questions/questions", "task")
    yield Table(OrganiserAnswer, "questions/answers", "question__task", referred=False)
    yield Table(Correction, "errata", "task", key=("number",), referred=False, check=_check_erratum)
    left_out = StoredColumn(
        "file", "judged-before", ".parquet", lambda row: ("rounds", "judged-before"), ".parquet", "sha256"
    )
    yield Table(
        JudgedBefore, "rounds/judged_before", "task", referred=False, files=(left_out,), check=_check_judged_before
    )


def _news() -> Iterator[Table]:
    yield Table(Milestone, "milestones", referred=False)
    yield Table(Notice, "notices", rows=_notices, anew={"batch": uuid4})
    teams = Notice.teams.through
    yield Table(
        teams, "notice_teams", rows=lambda scope: teams.objects.filter(notice__in=_notices(scope)), referred=False
    )


def _check_settings(values: JsonRow, read: ReadFile) -> None:
    names = ("rule_severities", "questions", "docno_pattern", "tag_pattern")
    require_readable_settings(Task(**{name: values[name] for name in names if name in values}))


def _run_check(others: Others) -> Check:
    def check(values: JsonRow, read: ReadFile) -> None:
        size = others.size_of(values["file"])
        if values["size"] != size:
            raise ValidationError(f"“size” is {values['size']}: its file has {number_of(size, 'byte')}.")

    return check


def _check_judged_before(values: JsonRow, read: ReadFile) -> None:
    import polars as pl  # costs every process a part of its start

    from campaign.formats.parquet import read_parquet_table

    try:
        pairs = read_parquet_table(read("file"), pl.Schema({"topic": pl.String, "docno": pl.String}))
    except ValueError as problem:
        raise ValidationError(f"The pairs that were judged before cannot be read. {problem}") from problem
    if pairs.height != values["pairs"]:
        raise ValidationError("Its file holds another number of pairs.")


def _check_erratum(values: JsonRow, read: ReadFile) -> None:
    """The same parts stand before and after, each as the same kind of text."""
    before, after = (
        {name: sorted(part) if isinstance(part, dict) else type(part) for name, part in values[side].items()}
        for side in ("before", "after")
    )
    is_of_scoring = values["kind"] == Correction.SCORING
    if before != after or (before == {"scored": bool}) != is_of_scoring or (bool in before.values()) != is_of_scoring:
        raise ValidationError("Its texts before and after are not those of one change.")
    if values["kind"] in (Correction.TOPIC, Correction.SCORING):
        no_white_space(values["key"])
    elif values["kind"] != Correction.GUIDELINES and not values["key"]:
        raise ValidationError("It does not say what was corrected.")


def _notices(scope: Scope) -> "QuerySet[Notice]":
    return Notice.objects.filter(Q(task=None) | Q(task__in=scope.task_keys), campaign=scope.campaign)


def _campaign(scope: Scope) -> "QuerySet[Campaign]":
    return Campaign.objects.filter(pk=scope.campaign.pk)


def _events(scope: Scope) -> "QuerySet[AuditEvent]":
    return AuditEvent.objects.filter(campaign=scope.campaign).exclude(object_type__in=NOT_KEPT_EVENTS)


AUDIT = Table(AuditEvent, "audit", rows=_events, referred=False)


def _teams(scope: Scope) -> "QuerySet[Team]":
    of_campaign = Q(registrations__campaign=scope.campaign) | Q(runs__task__campaign=scope.campaign)
    return Team.objects.filter(pk__in=Team.objects.filter(of_campaign).order_by().values("pk"))


def _roles(scope: Scope) -> "QuerySet[Role]":
    """All but those of people who restored the campaign here, and have done nothing else in it."""
    named = ArchivedName.objects.filter(campaign=scope.campaign, user__isnull=False)
    restored = Restoration.objects.filter(campaign=scope.campaign).exclude(created_by__in=named.values("user"))
    of_them = Q(user__in=restored.values("created_by"), role=Role.ORGANISER)
    return Role.objects.filter(campaign=scope.campaign).exclude(of_them)


def collections_of(scope: Scope) -> "QuerySet[Collection]":
    found = Collection.objects.filter(campaign=scope.campaign).exclude(slug__startswith=STAGING)
    return found.filter(tasks__in=scope.task_keys) if scope.is_task else found


def _run_place(row: JsonRow) -> Place:
    tag = row["tag"] if row["attempt"] == 1 else f"{row['tag']}.{row['attempt']}"
    return ("runs", str(row["team"]), tag)


def topic_files(task: Task) -> Iterator[tuple[Place, Iterable[bytes]]]:
    """The topics in every format that is read here, and the guidelines."""
    for file in FILES.values():
        name = "topics-as-imported" if file.name == "jsonl" else "topics"
        yield ("topics", f"{name}.{file.ending}"), (line.encode() for line in file.lines(topic_records(task)))
    if task.guidelines:
        yield ("guidelines.md",), [task.guidelines.encode()]


def run_headers(task: Task) -> Iterator[tuple[Place, Iterable[bytes]]]:
    """The ir_metadata of each run as a file of its own, as other tools keep it."""
    for run in task.runs.exclude(metadata={}).select_related("team").order_by("pk").iterator(chunk_size=100):
        yield _header_place(run), [_yaml(run.metadata)]


def _header_place(run: Run) -> Place:
    tag = run.tag if run.attempt == 1 else f"{run.tag}.{run.attempt}"
    return ("ir_metadata", f"{tag}.yaml")


def _yaml(metadata: Any) -> bytes:
    return yaml.safe_dump(metadata, allow_unicode=True, sort_keys=True).encode()


TABLES = (*_of_campaigns(), *_of_tasks(), *_news(), AUDIT)
EXTRAS = (topic_files, run_headers)
