from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import PUBLIC
from campaign.api.fields import one_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import CAMPAIGN, TASK, CampaignPath, TaskPath
from campaign.formats.runs.rules import ERROR, OFF, RULES, WARNING, RunRules
from campaign.models import Campaign, Task, Visitor
from campaign.navigation import page_step
from campaign.permissions import Reader, get_campaign_or_404, get_task_or_404
from campaign.setup.run_questions import KINDS, read_questions
from campaign.setup.selectors.rounds import in_rounds
from campaign.setup.selectors.schedule import run_window
from campaign.setup.selectors.score_visibility_in_words import shown_in_words
from campaign.teams.selectors.quotas import Quota, own_quotas
from campaign.web.links import absolute
from judging.progress.selectors.pool_share import told_share

router = Router(tags=["Tasks"])


class TaskOut(Schema):
    campaign: str
    slug: str
    title: str
    phase: str = one_of(Task.PHASES)
    opens_at: datetime | None
    closes_at: datetime | None = Field(
        description="The deadline for runs, or when a frozen pool or visible qrels closed them; your team may have a later one, "
        "see quotas."
    )
    zone: str = Field(description="The time zone in which the deadline was set.")
    why_no_runs: str = Field(description="What keeps it from taking runs now; empty: it takes them.")
    follows: str = Field(description="The round before, where you may see it; empty: none.")
    round_kind: str = one_of(Task.ROUND_KINDS)
    takes_runs_after_pool: bool = Field(description="false: freezing a pool closes the uploads.")
    runs_closed_at: datetime | None = Field(description="When a pool or qrels closed the uploads before the deadline.")
    qrels_known_at: datetime | None = Field(description="Since when participants can see qrels: later runs never rank.")
    url: str = Field(description="Its page.")


class RoundsOut(Schema):
    rounds: list[TaskOut] = Field(description="One follows the other; the first one first. Often just one task.")


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
    scores_shown: str = one_of(Task.SCORES_SHOWN, "Which scores are shown before a leaderboard is published.")
    scores_shown_in_words: list[str] = Field(description="Who sees which scores, until when.")
    topics: int
    pool_judged_percent: int | None = Field(
        description="The share of the latest pool that is judged, rounded down; told to organisers alone until the campaign "
        "is closed. null: no pool, judged by a file alone, or not told."
    )
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
    texts_for: str = one_of(Task.TEXTS_FOR, "Who may download all texts.")
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
    visible, slugs = _tasks(request.user, campaign), _slugs(request.user, campaign)
    return page_of(request, visible, paging, lambda task: task_out(task, slugs))


@router.get(f"{CAMPAIGN}/rounds", response=list[RoundsOut], summary="List a campaign's rounds", **PUBLIC)
def list_rounds(request: HttpRequest, path: Path[CampaignPath]) -> list[RoundsOut]:
    """All tasks that you may see, those together of which one follows another (`follows`)."""
    campaign = get_campaign_or_404(request.user, path.campaign)
    slugs = _slugs(request.user, campaign)
    groups = in_rounds(_tasks(request.user, campaign))
    return [RoundsOut(rounds=[task_out(task, slugs) for task in group]) for group in groups]


@router.get(TASK, response=TaskDetail, summary="Read a task", **PUBLIC)
def read_task(request: HttpRequest, path: Path[TaskPath]) -> TaskDetail:
    """Guidelines, deadline, rules, questions, and what each of your teams may still submit."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    out = task_out(task, _slugs(request.user, task.campaign))
    return TaskDetail(**out.model_dump(), **_rules(request.user, task), **_asked(request.user, task))


def _tasks(user: Visitor, campaign: Campaign) -> QuerySet[Task]:
    return Task.objects.visible_to(user).filter(campaign=campaign).select_related("campaign").order_by("pk")


def _slugs(user: Visitor, campaign: Campaign) -> Mapping[int, str]:
    """Of the rounds that others of the campaign follow, as far as the user sees them."""
    followed = Task.objects.visible_to(user).filter(next_rounds__campaign=campaign)
    return dict(followed.values_list("pk", "slug"))


def task_out(task: Task, slugs: Mapping[int, str]) -> TaskOut:
    """`slugs`: those of the tasks that may be named, by their keys."""
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
        follows=slugs.get(task.follows_id or 0, ""),
        round_kind=task.round_kind,
        takes_runs_after_pool=task.takes_runs_after_pool,
        runs_closed_at=task.runs_closed_at,
        qrels_known_at=task.qrels_known_at,
        url=absolute(task.get_absolute_url()),
    )


def _rules(user: Visitor, task: Task) -> Mapping[str, Any]:
    rules = RunRules(severities=task.rule_severities, ordering=task.ordering)
    share = told_share(Reader.of(user, task.campaign), task)
    return {
        "judging_mode": task.judging_mode,
        "lowest_relevant_grade": task.lowest_relevant_grade,
        "measures": task.measures or list(task.mode.measures),
        "scores_shown": task.scores_shown,
        "scores_shown_in_words": shown_in_words(task),
        "pool_judged_percent": share.percent if share else None,
        "max_runs_per_team": task.max_runs_per_team,
        "max_documents_per_topic": task.max_documents_per_topic,
        "run_order": task.run_order,
        "reference": task.reference,
        "tag_pattern": task.tag_pattern,
        "docno_pattern": task.docno_pattern,
        "docno_policy": task.docno_policy,
        "documents_shown_as": task.documents_shown_as,
        "texts_for": task.texts_for,
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
