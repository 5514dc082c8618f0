from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from campaign.formats.runs.order_setting import REFERENCES, RUN_ORDERS, Ordering
from campaign.formats.shapes import ANYTHING, FLAG, TEXT, WHOLE, choice_of, list_of, object_of, or_null, record
from campaign.models import Campaign, Run, Task, Visitor
from campaign.models.fields import LimitedJSONField, LimitedTextField, Sha256Field
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.text import limits
from evaluation.boards.audiences import AUDIENCES, LICENCES, PARTICIPANTS, PUBLIC
from evaluation.boards.stored import CHOICE, MARGIN
from judging.models import Qrels

TESTS_SAID = record(
    {
        **CHOICE,
        "in_words": TEXT,
        "topics": WHOLE,
        "run_order": choice_of(RUN_ORDERS),
        "reference": choice_of(REFERENCES),
        "runs_ordered_by": TEXT,
        "lowest_relevant_grade": WHOLE,
        "topics_not_scored": list_of(TEXT),
        "changed_after_scores": list_of(record({"at": TEXT, "changes": list_of(TEXT)})),
    },
    {
        **MARGIN,
        "resamples_by_measure": object_of(WHOLE),
        "topics_removed": list_of(record({"topic": TEXT, "reason": TEXT, "after_scores": FLAG})),
        "topics_for_feedback": list_of(TEXT),
        "runs_not_ranked": list_of(record({"tag": TEXT, "team": TEXT, "why": TEXT})),
    },
    others=True,
)


class LeaderboardQuerySet(WrittenOnceQuerySet["Leaderboard"]):
    def visible_to(self, user: Visitor) -> Self:
        """Whoever sees the task sees its boards; those for participants are for teams with runs in it, and its organisers."""
        visible = self.filter(task__in=Task.objects.visible_to(user).values("pk"))
        organises = Q(task__campaign__in=Campaign.objects.organised_by(user).values("pk"))
        return visible.filter(self._for(user) | organises)

    def of_visible_task(self, task: Task, user: Visitor, *, organises: bool) -> Self:
        """The same for a task that the user sees."""
        boards = self.filter(task=task)
        return boards if organises else boards.filter(self._for(user))

    @staticmethod
    def _for(user: Visitor) -> Q:
        public = ~Q(audience=PARTICIPANTS)
        return public | Q(task__in=Run.objects.of_teams_of(user).values("task")) if user.is_authenticated else public


class Leaderboard(WrittenOnce):
    """A published snapshot of the scores: numbered, immutable, with its own address.

    One for everybody without names is stored without them: only `run_ids` says which runs its pseudonyms stand for.
    """

    instead = "Publish a new one."

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="leaderboards")
    number = models.PositiveIntegerField()
    audience = models.CharField(max_length=12, choices=AUDIENCES, default=PUBLIC)
    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="leaderboards")
    measures = LimitedJSONField(shape=list_of(TEXT))
    rows = LimitedJSONField(
        shape=list_of(object_of(ANYTHING)),
        default=list,
        blank=True,
        help_text="Of boards before there were columns. One object a run: tag, team, scores, intervals, tests.",
    )
    tests = LimitedJSONField(
        shape=TESTS_SAID, help_text="Method, correction, family, level; seed and resamples where used."
    )
    board = models.FileField(max_length=200, blank=True, help_text="JSON: runs, topics, columns, choice of tests.")
    values = models.FileField(
        max_length=200,
        help_text="float64: runs by measures by topics. Where there is no board: JSON, run tag to measure to values per topic.",
    )
    p_of_pairs = models.FileField(max_length=200, blank=True, help_text="float64: measures by pairs of runs.")
    run_ids = LimitedJSONField(
        shape=list_of(or_null(WHOLE)), default=list, blank=True, help_text="Of the board's runs, in its order."
    )
    as_json = models.FileField(max_length=200, blank=True, help_text="The whole snapshot as it is served.")
    as_csv = models.FileField(max_length=200, blank=True)
    note = LimitedTextField(limit=limits.BOARD_NOTE, blank=True)
    licence = models.CharField(max_length=20, choices=LICENCES, blank=True, help_text="Its SPDX name.")
    terms = LimitedTextField("terms of use", limit=limits.BOARD_TERMS, blank=True)
    sha256 = Sha256Field(max_length=64)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = LeaderboardQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["task", "-number"]
        constraints = [models.UniqueConstraint(fields=["task", "number"], name="leaderboard_number_once_per_task")]

    def __str__(self) -> str:
        return f"leaderboard {self.number} of {self.task}"

    @property
    def is_public(self) -> bool:
        """Whether it is for everybody, with names."""
        return self.audience == PUBLIC

    @property
    def ordering(self) -> Ordering:
        """By what the documents of runs were ordered."""
        return Ordering(self.tests["run_order"], self.tests["reference"])

    def get_absolute_url(self) -> str:
        return reverse("leaderboard_detail", kwargs={**self.task.address, "number": self.number})


class WorkingBoard(models.Model):
    """The board of a task as it was computed last, replaced whole by the next one. Organisers see it; others a live board only.

    `mark`: of everything that it was computed from; another mark now means that it is not up to date.
    """

    COUNTING, FEEDBACK = "", "feedback"
    SCOPES = {COUNTING: "topics that count", FEEDBACK: "topics for feedback"}

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="working_boards")
    set_name = models.CharField("set of qrels", max_length=40, blank=True)
    scope = models.CharField("over which topics", max_length=8, choices=SCOPES, default=COUNTING, blank=True)
    qrels = models.ForeignKey(Qrels, on_delete=models.CASCADE, related_name="+")
    mark = models.CharField(max_length=64)
    board = models.FileField(max_length=200, help_text="JSON: runs, topics, columns, choice of tests.")
    values = models.FileField(max_length=200, help_text="float64, little-endian: runs by measures by topics.")
    p_of_pairs = models.FileField(max_length=200, blank=True, help_text="float64: measures by pairs of runs.")
    run_ids = models.JSONField(help_text="Of the board's runs, in its order.")
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "set_name", "scope"], name="working_board_once_per_set_and_scope")
        ]

    def __str__(self) -> str:
        return f"working board of {self.task}"


class WorkingTrust(models.Model):
    """How far the order of a task's working board can be trusted, as it was computed last. Organisers see it, nobody else.

    `mark`: of the working board that it was computed from; another mark now means that it is not up to date.
    """

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="working_trust")
    mark = models.CharField(max_length=64)
    report = models.FileField(max_length=200, help_text="JSON, under its SHA-256.")
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "reports on working boards"

    def __str__(self) -> str:
        return f"report on the working board of {self.task}"


class PublishedTrust(WrittenOnce):
    """How far the order of a published leaderboard can be trusted: computed once, from exactly its runs and qrels."""

    instead = "It belongs to a leaderboard, which never changes either."

    leaderboard = models.OneToOneField(Leaderboard, on_delete=models.PROTECT, related_name="trust")
    report = models.FileField(max_length=200, help_text="JSON, under its SHA-256.")
    computed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "reports on leaderboards"

    def __str__(self) -> str:
        return f"report on {self.leaderboard}"
