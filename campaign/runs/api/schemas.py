"""Runs as the API shows them and takes them."""

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Slug, Text, one_of
from campaign.api.paging import Paging
from campaign.formats.runs.tags import LONGEST_TAG
from campaign.models import Job, Run, RunProblem
from campaign.runs.selectors.progress import RunProgress, finding_counts
from campaign.web.links import absolute

Kind = Literal["automatic", "manual"]
State = Literal["received", "valid", "rejected", "withdrawn"]


class RunOut(Schema):
    tag: str
    attempt: int = Field(description="Counts the submissions under this tag.")
    state: State
    team: str
    kind: Kind
    priority: int
    description: str
    answers: dict[str, Any] = Field(description="To the task's questions, by their keys.")
    file_name: str
    size: int
    sha256: str = Field(description="Of the bytes that arrived: the receipt.")
    submitted_by: str
    submitted_at: datetime = Field(description="When the last byte of the file had arrived; counts for the deadline.")
    state_changed_at: datetime
    lines: int | None = Field(description="null until the check is over.")
    topics_answered: int | None
    error_findings: int = Field(description="How many rules are broken whose violation is an error.")
    warning_findings: int = Field(description="How many rules are broken whose violation is a warning.")
    error_count: int = Field(
        description="The places of the errors: lines, or topics, once for each rule that they break."
    )
    warning_count: int = Field(description="The places of the warnings.")
    after_qrels: bool = Field(description="Whether participants could see qrels before it came: it then never ranks.")
    judged_before: int = Field(description="Lines left out in a residual round: judged in an earlier one.")
    is_ranked: bool = Field(description="false: its team left it out; it is listed below boards.")
    paper_url: str
    code_url: str
    url: str = Field(description="Its page.")


class QueueOut(Schema):
    state: Literal["waiting", "working", "stuck"] = Field(
        description="stuck: its check failed; the organisers have to start it again."
    )
    place: int | None = Field(description="1: next; null when it is not in the queue.")
    since: datetime = Field(description="When it got there.")
    no_worker: str = Field(description="In words, where nobody works on the queue; else empty.")


class RunDetail(RunOut):
    metadata: dict[str, Any] = Field(description="The ir_metadata header of the file, if it has one.")
    metadata_problem: str
    decision: str = one_of(["", *Run.DECISIONS], "Where an organiser decided by hand; else empty.")
    decision_reason: str
    queue: QueueOut | None = Field(description="null once the check is over.")


class ProblemOut(Schema):
    code: str
    severity: str = one_of((RunProblem.ERROR, RunProblem.WARNING))
    line: int | None
    count: int = Field(description="How many lines or topics it stands for.")
    message: str
    remedy: str
    excerpt: str


class RunFilter(Paging):
    state: State | None = None
    team: Text | None = Field(None, description="The address of a team.")
    tag: Text | None = None
    kind: Kind | None = None
    decision: Literal["any", "accepted", "rejected"] | None = Field(None, description="By hand of an organiser.")
    problems: Text | None = Field(
        None, max_length=60, description="none, errors, warnings, or the code of a rule that some run breaks."
    )
    priority: int | None = Field(None, ge=1, le=999)
    search: Text | None = Field(None, max_length=200, description="A piece of tag or description.")


class Attempt(Schema):
    attempt: int | None = Field(None, ge=1, le=LARGEST, description="An earlier submission under this tag.")


class RunLinks(Body):
    paper_url: Text | None = Field(
        None, max_length=300, description="An address that begins with https://; empty: none. Left out: it stays."
    )
    code_url: Text | None = Field(None, max_length=300, description="The same, of the code.")


class RunAbout(Body):
    kind: Kind = Field("automatic", description="manual: a person took part, for some topic at least.")
    priority: int | None = Field(
        None, ge=1, le=LARGEST, description="1 is pooled first. Left out: the next after your team's other runs."
    )
    description: Text = Field("", description="How the run was made.")


class RunIn(RunAbout):
    team: Slug = Field(description="The address of your team.")
    tag: Text = Field(
        "",
        max_length=LONGEST_TAG,
        description="The same as in the last column of the file. Left out: taken from the file's first line, else from its name.",
    )
    replace: bool = Field(False, description="Take the place of your run of this tag.")
    answers: Text = Field("", description="A JSON object: the answers to the task's questions, by their keys.")


class RunEdit(Body):
    kind: Kind | None = None
    priority: int | None = Field(None, ge=1, le=LARGEST)
    description: Text | None = None
    answers: dict[str, Any] | None = Field(None, description="All answers anew, by the keys of the questions.")


def run_out(run: Run) -> RunOut:
    return RunOut(**_facts(run))


def run_detail(run: Run, progress: RunProgress) -> RunDetail:
    return RunDetail(
        **_facts(run),
        metadata=run.metadata,
        metadata_problem=run.metadata_problem,
        decision=run.decision,
        decision_reason=run.decision_reason,
        queue=_queue(run, progress),
    )


def problem_out(problem: RunProblem) -> ProblemOut:
    return ProblemOut(
        code=problem.code,
        severity=problem.severity,
        line=problem.line,
        count=problem.count,
        message=problem.message,
        remedy=problem.remedy,
        excerpt=problem.excerpt,
    )


def _facts(run: Run) -> dict[str, Any]:
    same = (
        "tag",
        "attempt",
        "state",
        "kind",
        "priority",
        "description",
        "answers",
        "file_name",
        "size",
        "sha256",
        "judged_before",
    )
    counted = ("submitted_at", "state_changed_at", "lines", "topics_answered", "error_count", "warning_count")
    ranked = ("is_ranked", "after_qrels", "paper_url", "code_url")
    return {
        **{name: getattr(run, name) for name in (*same, *counted, *ranked)},
        **finding_counts(run),
        "team": run.team.slug,
        "submitted_by": str(run.submitted_by),
        "url": absolute(f"{run.get_absolute_url()}?attempt={run.attempt}"),
    }


def _queue(run: Run, progress: RunProgress) -> QueueOut | None:
    if run.state != Run.RECEIVED:
        return None
    job = progress.job
    if job is None or not progress.is_unfinished:
        return QueueOut(state="stuck", place=None, since=run.state_changed_at, no_worker="")
    state: Literal["waiting", "working"] = "working" if job.state == Job.WORKING else "waiting"
    return QueueOut(state=state, place=progress.place or None, since=job.created_at, no_worker=progress.no_worker)
