from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Max, Q
from django.urls import reverse
from django.utils import timezone

from campaign.database.clock import MadeAtField
from campaign.formats.runs.tags import LONGEST_TAG
from campaign.formats.shapes import ANYTHING, FLAG, NUMBER, TEXT, any_of, object_of
from campaign.formats.web_links import web_link_problem
from campaign.models import tones
from campaign.models.campaign import Campaign
from campaign.models.fields import LimitedJSONField, LimitedTextField, Sha256Field, SkeletonField, validate_web_link
from campaign.models.lookalikes import skeleton
from campaign.models.task import Task
from campaign.models.team import Membership, Team
from campaign.models.tones import Toned
from campaign.models.user import Visitor
from campaign.text import limits

TAG_NOT_FREE = "This tag is not free in this task. Choose another, or replace the run if it is your team's."
"""One answer whoever has it, and whether it is the same or only looks like it."""

LINK: Any = {"blank": True, "default": "", "db_default": "", "validators": [validate_web_link]}

LAST_PRIORITY = 999

CHECK_ALL_RUNS = "check all runs"
"""The job that checks all runs of a task again, after a change of what they are checked by. Done by campaign/runs/jobs.py."""


@dataclass(frozen=True, slots=True)
class RunLink:
    """`host`: what a page says beside the name, so that it is known where the link leads."""

    name: str
    url: str
    host: str


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: Visitor) -> Self:
        """Runs are visible to their team and the organisers only."""
        if user.is_superuser:
            return self
        if not user.is_authenticated:
            return self.none()
        organised = Campaign.objects.organised_by(user).values("pk")
        teams = Membership.objects.filter(user=user).values("team")
        return self.filter(Q(team__in=teams) | Q(task__campaign__in=organised))

    def of_teams_of(self, user: Visitor) -> Self:
        """Those of the teams in which the user is; an index finds them, where `visible_to` alone reads all runs of the site."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(team__in=Membership.objects.filter(user=user).values("team"))

    def valid(self) -> Self:
        return self.filter(state=Run.VALID)

    def ranking(self) -> Self:
        """Valid runs that stand on boards: sent before participants could see qrels, and not left out by their team."""
        return self.valid().filter(after_qrels=False, is_ranked=True)

    def looking_like(self, tag: str) -> Self:
        """Runs of this tag, or of one that cannot be told from it."""
        return self.filter(Q(tag=tag) | Q(tag_skeleton=skeleton(tag)))

    def counting(self) -> Self:
        """Runs that use up a team's quota: withdrawn and rejected ones do not."""
        return self.filter(state__in=[Run.RECEIVED, Run.VALID])

    def next_priority(self, task: Task, team: Team) -> int:
        """The priority of a run that is sent without one: the next after those of the team's runs that count in the task."""
        last = self.counting().filter(task=task, team=team).aggregate(last=Max("priority"))["last"] or 0
        return min(last + 1, LAST_PRIORITY)


class Run(Toned, models.Model):
    RECEIVED, VALID, REJECTED, WITHDRAWN = "received", "valid", "rejected", "withdrawn"
    STATES = {RECEIVED: "received", VALID: "valid", REJECTED: "rejected", WITHDRAWN: "withdrawn"}
    TONES = {RECEIVED: tones.WAITING, VALID: tones.GOOD, REJECTED: tones.BAD, WITHDRAWN: tones.OFF}
    AUTOMATIC, MANUAL = "automatic", "manual"
    KINDS = {AUTOMATIC: "automatic", MANUAL: "manual"}

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="runs")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs")
    tag = models.CharField("run tag", max_length=LONGEST_TAG, db_index=True)
    tag_skeleton = SkeletonField(of="tag")
    attempt = models.PositiveSmallIntegerField(default=1, editable=False, help_text="Counts the submissions of a tag.")
    state = models.CharField(max_length=10, choices=STATES, default=RECEIVED, editable=False)
    kind = models.CharField("made by", max_length=10, choices=KINDS, default=AUTOMATIC)
    priority = models.PositiveSmallIntegerField(
        "judging priority", default=1, help_text="1 is pooled first. Give each of your runs another number."
    )
    description = LimitedTextField(
        limit=limits.DESCRIPTION,
        blank=True,
        help_text="How the run was made. Shown with the published results.",
    )
    answers = LimitedJSONField(
        limit=limits.ANSWERS,
        shape=object_of(any_of(TEXT, NUMBER, FLAG)),
        default=dict,
        blank=True,
        help_text="To the task's questions, by their keys.",
    )
    metadata = LimitedJSONField(
        limit=limits.METADATA,
        shape=object_of(ANYTHING),
        default=dict,
        blank=True,
        help_text="The ir_metadata header of the file, if it has one.",
    )
    metadata_problem = models.CharField(max_length=300, blank=True, editable=False)

    replaces = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        help_text="The valid attempt that counts again if this one is rejected by its check.",
    )

    file = models.FileField(max_length=200, editable=False)
    file_name = models.CharField(max_length=200, editable=False)
    size = models.PositiveBigIntegerField(editable=False)
    sha256 = Sha256Field("SHA-256", max_length=64, editable=False)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(
        default=timezone.now, editable=False, help_text="When the last byte of the file had arrived."
    )
    state_changed_at = MadeAtField()

    table = models.FileField("parsed table (Parquet)", max_length=200, blank=True, editable=False)
    lines = models.PositiveIntegerField(null=True, editable=False)
    depth = models.PositiveIntegerField(
        null=True, editable=False, help_text="The task's maximum of documents for a topic by which the run was checked."
    )
    topics_answered = models.PositiveIntegerField(null=True, editable=False)
    ACCEPTED, REJECTED_BY_HAND = "accepted", "rejected"
    DECISIONS = {ACCEPTED: "accepted by hand", REJECTED_BY_HAND: "rejected by hand"}
    decision = models.CharField("organiser's decision", max_length=10, choices=DECISIONS, blank=True, editable=False)
    decision_reason = LimitedTextField(limit=limits.REASON, blank=True, editable=False)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )

    after_qrels = models.BooleanField(
        default=False, editable=False, help_text="Participants could see qrels before it came: it never ranks."
    )

    judged_before = models.PositiveIntegerField(
        default=0, editable=False, help_text="Lines that do not count in a residual round: judged in an earlier one."
    )
    paper_url = models.CharField("paper", max_length=300, **LINK)
    code_url = models.CharField("code", max_length=300, **LINK)
    is_ranked = models.BooleanField(
        default=True, editable=False, help_text="Whether its team wants it ranked: named before publication."
    )

    error_count = models.PositiveIntegerField(default=0, editable=False)
    warning_count = models.PositiveIntegerField(default=0, editable=False)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["task", "team", "tag"]
        constraints = [
            models.UniqueConstraint(fields=["task", "tag", "attempt"], name="run_attempt_once_per_task_and_tag"),
            models.UniqueConstraint(
                fields=["task", "tag"],
                condition=Q(state__in=["received", "valid"]),
                name="run_tag_once_per_task",
                violation_error_message=TAG_NOT_FREE,
            ),
            models.UniqueConstraint(
                fields=["task", "tag_skeleton"],
                condition=Q(state__in=["received", "valid"]),
                name="run_tag_looks_unlike_others_of_its_task",
                violation_error_message=TAG_NOT_FREE,
            ),
            models.CheckConstraint(
                condition=Q(state__in=["received", "valid", "rejected", "withdrawn"]), name="run_state_is_known"
            ),
            models.CheckConstraint(condition=Q(kind__in=["automatic", "manual"]), name="run_kind_is_known"),
        ]

    def __str__(self) -> str:
        return self.tag

    @property
    def problem_count(self) -> int:
        return self.error_count + self.warning_count

    @property
    def counts(self) -> bool:
        """Whether the run uses up the quota and keeps its tag."""
        return self.state in (self.RECEIVED, self.VALID)

    @property
    def links(self) -> list[RunLink]:
        """To paper and code, as far as a page may show them: other ways in than the form might not refuse the others."""
        given = (("Paper", self.paper_url), ("Code", self.code_url))
        return [RunLink(name, url, urlsplit(url).netloc) for name, url in given if url and not web_link_problem(url)]

    def get_absolute_url(self) -> str:
        return reverse("run_detail", kwargs={**self.task.address, "tag": self.tag})

    @property
    def attempt_url(self) -> str:
        """Return the address of this very submission; the tag's address leads to the attempt that counts, or the newest."""
        return f"{self.get_absolute_url()}?attempt={self.attempt}"


class RunProblem(models.Model):
    ERROR, WARNING = "error", "warning"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="problems")
    line = models.PositiveIntegerField(null=True)
    code = models.CharField(max_length=40)
    severity = models.CharField(max_length=10, choices={ERROR: "error", WARNING: "warning"})
    message = LimitedTextField(limit=limits.PROBLEM)
    remedy = LimitedTextField(limit=limits.PROBLEM, blank=True)
    excerpt = LimitedTextField(limit=limits.EXCERPT, blank=True)
    count = models.PositiveIntegerField(default=1, help_text="Lines or topics that the problem stands for.")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.code} at line {self.line}"
