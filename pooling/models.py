from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property

from campaign.models import Run, Task, Topic
from campaign.models.written_once import WrittenOnce
from campaign.ordering import Ordering
from pooling.strategies.parameters import PoolSpecError
from pooling.strategies.spec import PoolSpec


class FrozenPool(WrittenOnce):
    """A pool is evidence: what assessors judged, and what it was drawn from."""

    instead = "Freeze a new version."

    class Meta:
        abstract = True


class Pool(FrozenPool):
    """The documents that a task has judged, per topic: frozen when made, never changed; a late run makes a new version."""

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="pools")
    version = models.PositiveIntegerField()
    strategy = models.CharField(max_length=40)
    spec = models.JSONField(default=dict, help_text="How it was drawn, as PoolSpec.to_json gives it.")
    order = models.CharField("judging order", max_length=20, default="random")
    seed = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(help_text="Topic-document pairs.")
    sha256 = models.CharField("SHA-256 of the pool file", max_length=64)
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
    def ordering(self) -> Ordering | None:
        """By what the documents of runs were ordered; None where this version cannot read the spec."""
        return None if self.drawn_with is None else self.drawn_with.ordering

    @property
    def drawn_by(self) -> str:
        """The strategy with its parameters, in words."""
        if self.drawn_with is not None:
            return self.drawn_with.drawn_by
        parameters = sorted(self.spec.get("parameters", {}).items())
        return ", ".join([self.strategy, *(f"{name} = {value}" for name, value in parameters)])

    def get_absolute_url(self) -> str:
        return reverse("pool_detail", kwargs={**self.task.address, "version": self.version})


class PoolRun(FrozenPool):
    """A run that the pool was drawn from, with the bytes it had then."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="pool_runs")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="pool_runs")
    sha256 = models.CharField(max_length=64)
    contributed = models.PositiveIntegerField(help_text="Pooled pairs that this run brings in.")
    unique = models.PositiveIntegerField(help_text="Pooled pairs that only this run's team brings in.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "run"], name="run_once_per_pool")]

    def __str__(self) -> str:
        return f"{self.run} in {self.pool}"


class PoolEntry(FrozenPool):
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="entries")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_entries")
    docno = models.CharField(max_length=200)
    position = models.PositiveIntegerField(help_text="Judging order within the topic, from 1.")
    best_position = models.PositiveIntegerField(help_text="The best position that any pooled run gives the document.")
    run_count = models.PositiveIntegerField(help_text="Pooled runs that bring the document in.")
    inclusion_probability = models.FloatField(
        null=True, blank=True, help_text="In (0, 1], with which the document was drawn; null where nothing was sampled."
    )

    class Meta:
        verbose_name_plural = "pool entries"
        ordering = ["pool", "topic", "position"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "docno"], name="document_once_per_pool_and_topic"),
            models.UniqueConstraint(fields=["pool", "topic", "position"], name="position_once_per_pool_and_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.topic.number} {self.docno}"
