from typing import cast

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.shapes import ANYTHING, TEXT, WHOLE, list_of, object_of, or_null, record
from campaign.models import Run, Task, Topic
from campaign.models.fields import LimitedJSONField, Sha256Field
from campaign.models.written_once import WrittenOnce
from pooling.core.labels import runs_taken
from pooling.core.preview.exactness import PoolReach
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec

SPEC = record(
    {},
    {
        "parameters": object_of(ANYTHING),
        "runs": or_null(list_of(TEXT)),
        "max_priority": or_null(WHOLE),
        "runs_per_team": or_null(WHOLE),
    },
    others=True,
)
"""Also of strategies that this version does not have; `PoolSpec.from_json` says more of those that it has."""


class FrozenPool(WrittenOnce):
    """A pool is evidence: what assessors judged, and what it was drawn from."""

    instead = "Freeze a new version."

    class Meta:
        abstract = True


class Pool(FrozenPool):
    """The documents that a task has judged, per topic: frozen when made, never changed; a late run makes a new version."""

    IMPORTED, FILE_ORDER = "imported", "file"

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="pools")
    version = models.PositiveIntegerField()
    strategy = models.CharField(max_length=40)
    spec = LimitedJSONField(shape=SPEC, default=dict, help_text="How it was drawn, as PoolSpec.to_json gives it.")
    order = models.CharField("judging order", max_length=20, default="random")
    seed = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(help_text="Topic-document pairs.")
    sha256 = Sha256Field("SHA-256 of the pool file", max_length=64)
    frame = models.FileField(
        "documents not drawn",
        max_length=200,
        blank=True,
        help_text="Parquet: topic, docno, stratum of those that could have been drawn; empty where nothing was sampled.",
    )
    frame_sha256 = Sha256Field("SHA-256 of the documents not drawn", max_length=64, blank=True)
    engine = models.CharField(
        "engine version",
        max_length=20,
        blank=True,
        help_text="Of the code that drew it; empty where it was drawn elsewhere, or before versions were recorded.",
    )
    whole = models.PositiveIntegerField(
        "depth held whole",
        null=True,
        blank=True,
        help_text="To this depth it held every run when it was frozen: the pooled ones, of an imported pool the valid ones.",
    )
    sampled_by = models.CharField(
        max_length=11,
        blank=True,
        help_text="By what estimators read it: stratum or probability; empty where it is no sample.",
    )
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["task", "version"]
        constraints = [models.UniqueConstraint(fields=["task", "version"], name="pool_version_once_per_task")]

    def __str__(self) -> str:
        return f"pool {self.version} of {self.task}"

    @cached_property
    def drawn_with(self) -> PoolSpec | None:
        """The stored spec, or None where this version has no such strategy."""
        try:
            return PoolSpec.from_json(self.spec)
        except PoolSpecError:
            return None

    @property
    def is_imported(self) -> bool:
        """Whether the pool was made elsewhere: which runs it was drawn from is then not known."""
        return self.strategy == self.IMPORTED

    @property
    def grows(self) -> bool:
        """Whether further documents are chosen while it is judged."""
        return self.drawn_with is not None and self.drawn_with.method.policy is not None

    @property
    def ordering(self) -> Ordering | None:
        """By what the documents of runs were ordered; None where this version cannot read the spec."""
        return None if self.drawn_with is None else self.drawn_with.ordering

    @property
    def reach(self) -> PoolReach | None:
        """What measures need to know of the pool, as it was drawn; None where it was imported and no runs were valid."""
        return None if self.whole is None else PoolReach(self.whole, self.sampled_by)

    @property
    def drawn_by(self) -> str:
        """The strategy with its parameters, in words."""
        if self.drawn_with is not None:
            return self.drawn_with.drawn_by
        if self.is_imported:
            return f"imported from {self.spec.get('parameters', {}).get('file', 'a file')}"
        parameters = sorted(self.spec.get("parameters", {}).items())
        return ", ".join([self.strategy, *(f"{name} = {value}" for name, value in parameters)])

    @property
    def runs_taken(self) -> str:
        """Which of the valid runs were pooled, in words; "" for all of them."""
        return ", ".join(runs_taken(self.spec))

    def get_absolute_url(self) -> str:
        return reverse("pool_detail", kwargs={**self.task.address, "version": self.version})


class PoolRun(FrozenPool):
    """A run that the pool was drawn from, with the bytes it had then."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="pool_runs")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="pool_runs")
    sha256 = Sha256Field(max_length=64)
    contributed = models.PositiveIntegerField(help_text="Pooled pairs that this run brings in.")
    unique = models.PositiveIntegerField(help_text="Pooled pairs that only this run's team brings in.")
    priority = models.PositiveSmallIntegerField(
        "judging priority", null=True, help_text="That of the run then; null for pools from before it was kept."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "run"], name="run_once_per_pool")]

    def __str__(self) -> str:
        return f"{self.run} in {self.pool}"

    @property
    def priority_then(self) -> int:
        """That of the run when the pool was frozen."""
        return cast(int, self.priority)


class PoolEntry(FrozenPool):
    """A document to be judged for a topic. The drawn ones make the pool's file; others are added while it is judged."""

    DRAWN, CHOSEN, FOUND = "drawn", "chosen", "found"
    CHOSEN_STRATUM, FOUND_STRATUM = 1001, 1002
    SOURCES = {
        DRAWN: "drawn when the pool was frozen",
        CHOSEN: "chosen while the pool was judged",
        FOUND: "found by hand",
    }

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="entries")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_entries")
    docno = models.CharField(max_length=200)
    position = models.PositiveIntegerField(help_text="Judging order within the topic, from 1.")
    best_position = models.PositiveIntegerField(
        help_text="The best position that any pooled run gives the document; 0 where none holds it."
    )
    run_count = models.PositiveIntegerField(help_text="Pooled runs that bring the document in.")
    stratum = models.PositiveIntegerField(
        null=True, blank=True, help_text="In which the document was drawn; null where nothing was sampled."
    )
    inclusion_probability = models.FloatField(
        null=True, blank=True, help_text="In (0, 1], with which the document was drawn; null where nothing was sampled."
    )
    source = models.CharField(max_length=6, choices=SOURCES, default=DRAWN)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True, null=True)

    class Meta:
        verbose_name_plural = "pool entries"
        ordering = ["pool", "topic", "position"]
        indexes = [
            # Drawn entries are many and never change; what was added to them is counted by every page.
            models.Index(
                fields=["pool", "source", "topic"],
                condition=models.Q(source__in=["chosen", "found"]),
                name="entry_added",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "docno"], name="document_once_per_pool_and_topic"),
            models.UniqueConstraint(fields=["pool", "topic", "position"], name="position_once_per_pool_and_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.topic.number} {self.docno}"
