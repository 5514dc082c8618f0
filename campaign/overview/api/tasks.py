from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.addresses import absolute, page_step
from campaign.api.auth import PUBLIC
from campaign.api.fields import one_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import CAMPAIGN, TASK, CampaignPath, TaskPath
from campaign.formats.runs.rules import ERROR, OFF, RULES, WARNING, RunRules
from campaign.models import Task, Visitor
from campaign.permissions import get_campaign_or_404, get_task_or_404
from campaign.setup.questions import KINDS, read_questions
from campaign.setup.selectors.schedule import run_window
from campaign.teams.selectors.quotas import Quota, own_quotas

router = Router(tags=["Tasks"])


class TaskOut(Schema):
    campaign: str
    slug: str
    title: str
    phase: str = one_of(Task.PHASES)
    opens_at: datetime | None
    closes_at: datetime | None = Field(description="The deadline for runs; your team may have a later one, see quotas.")
    zone: str = Field(description="The time zone in which the deadline was set.")
    why_no_runs: str = Field(description="What keeps it from taking runs now; empty: it takes them.")
    url: str = Field(description="Its page.")


class GradeOut(Schema):
    value: int
    label: str
    definition: str


class QuestionOut(Schema):
    key: str = Field(description="The name of the answer in `answers`.")
    label: str
    kind: str = one_of(KINDS)
    required: bool
    help: str
    choices: list[str]


class RuleOut(Schema):
    code: str
    severity: str = one_of((ERROR, WARNING, OFF), "error: rejects the run.")
    title: str


class QuotaOut(Schema):
    team: str
    used: int
    most: int
    left: int
    closes_at: datetime | None = Field(description="The deadline for this team.")
    why_no_runs: str


class TaskDetail(TaskOut):
    guidelines: str = Field(description="Markdown.")
    judging_mode: str
    grades: list[GradeOut]
    lowest_relevant_grade: int = Field(description="Documents of this grade or above are relevant.")
    measures: list[str] = Field(description="Of the leaderboard; the first ranks it.")
    topics: int
    max_runs_per_team: int
    max_documents_per_topic: int
    run_order: str = Field(description="By what the documents of a run are ordered: score, rank or line.")
    reference: str = Field(
        description="Whose precision compares scores: 9 (single) or 10 (double), releases of trec_eval."
    )
    tag_pattern: str = Field(description="A regular expression (RE2) for the whole tag.")
    docno_pattern: str
    docno_policy: str = one_of(Task.DOCNO_POLICIES, "known: docnos must be in the collection.")
    documents_shown_as: str = one_of(Task.DISPLAYS, "How documents are shown at the desk.")
    document_link: str = Field(description="Where documents can be read elsewhere: an address with {docno} in it.")
    assessors_add_documents: bool = Field(description="Whether assessors may add documents that they find to the pool.")
    rules: list[RuleOut] = Field(description="What the check looks at.")
    questions: list[QuestionOut] = Field(description="What is asked about each run.")
    check_script: str | None = Field(description="The address of a Python file that checks a run on your machine.")
    quotas: list[QuotaOut] = Field(description="Of your teams that take part.")


@router.get(f"{CAMPAIGN}/tasks", response=Page[TaskOut], summary="List a campaign's tasks", **PUBLIC)
def list_tasks(request: HttpRequest, path: Path[CampaignPath], paging: Query[Paging]) -> Page[TaskOut]:
    """All tasks that you may see, the oldest first."""
    campaign = get_campaign_or_404(request.user, path.campaign)
    visible = Task.objects.visible_to(request.user).filter(campaign=campaign).select_related("campaign").order_by("pk")
    return page_of(request, visible, paging, task_out)


@router.get(TASK, response=TaskDetail, summary="Read a task", **PUBLIC)
def read_task(request: HttpRequest, path: Path[TaskPath]) -> TaskDetail:
    """Guidelines, deadline, rules, questions, and what each of your teams may still submit."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    return TaskDetail(**task_out(task).model_dump(), **_rules(task), **_asked(request.user, task))


def task_out(task: Task) -> TaskOut:
    window = run_window(task)
    return TaskOut(
        campaign=task.campaign.slug,
        slug=task.slug,
        title=task.title,
        phase=task.phase,
        opens_at=window.opens_at,
        closes_at=window.deadline,
        zone=task.campaign.time_zone,
        why_no_runs=window.why_closed,
        url=absolute(task.get_absolute_url()),
    )


def _rules(task: Task) -> Mapping[str, Any]:
    rules = RunRules(severities=task.rule_severities, ordering=task.ordering)
    return {
        "judging_mode": task.judging_mode,
        "lowest_relevant_grade": task.lowest_relevant_grade,
        "measures": task.measures or list(task.mode.measures),
        "max_runs_per_team": task.max_runs_per_team,
        "max_documents_per_topic": task.max_documents_per_topic,
        "run_order": task.run_order,
        "reference": task.reference,
        "tag_pattern": task.tag_pattern,
        "docno_pattern": task.docno_pattern,
        "docno_policy": task.docno_policy,
        "documents_shown_as": task.documents_shown_as,
        "document_link": task.document_link,
        "assessors_add_documents": task.assessors_add_documents,
        "rules": [RuleOut(code=code, severity=rules.severity(code), title=rule.title) for code, rule in RULES.items()],
        "grades": [GradeOut(value=g.value, label=g.label, definition=g.definition) for g in task.grades.all()],
    }


def _asked(user: Visitor, task: Task) -> Mapping[str, Any]:
    script = page_step("Check script", "check_script", task)
    return {
        "guidelines": task.guidelines,
        "topics": task.topics.count(),
        "questions": [QuestionOut(**question.to_json()) for question in read_questions(task.questions)],
        "check_script": absolute(script.url) if script else None,
        "quotas": [_quota(quota) for quota in own_quotas(user, task)],
    }


def _quota(quota: Quota) -> QuotaOut:
    return QuotaOut(
        team=quota.team.slug,
        used=quota.used,
        most=quota.most,
        left=quota.left,
        closes_at=quota.window.deadline,
        why_no_runs=quota.window.why_closed,
    )
