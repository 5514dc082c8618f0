from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from campaign import lengths
from campaign.models import Campaign, Run, Task, Visitor
from campaign.models.fields import LimitedTextField
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.ordering import Ordering
from evaluation.boards.audiences import AUDIENCES, LICENCES, PARTICIPANTS, PUBLIC
from judging.models import Qrels


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
    measures = models.JSONField()
    rows = models.JSONField(
        default=list,
        blank=True,
        help_text="Of boards before there were columns. One object a run: tag, team, scores, intervals, tests.",
    )
    tests = models.JSONField(help_text="Method, correction, family, level; seed and resamples where used.")
    board = models.FileField(max_length=200, blank=True, help_text="JSON: runs, topics, columns, choice of tests.")
    values = models.FileField(
        max_length=200,
        help_text="float64: runs by measures by topics. Where there is no board: JSON, run tag to measure to values per topic.",
    )
    p_of_pairs = models.FileField(max_length=200, blank=True, help_text="float64: measures by pairs of runs.")
    run_ids = models.JSONField(default=list, blank=True, help_text="Of the board's runs, in its order.")
    as_json = models.FileField(max_length=200, blank=True, help_text="The whole snapshot as it is served.")
    as_csv = models.FileField(max_length=200, blank=True)
    note = LimitedTextField(limit=lengths.BOARD_NOTE, blank=True)
    licence = models.CharField(max_length=20, choices=LICENCES, blank=True, help_text="Its SPDX name.")
    terms = LimitedTextField("terms of use", limit=lengths.BOARD_TERMS, blank=True)
    sha256 = models.CharField(max_length=64)
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
