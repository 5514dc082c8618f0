from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property

from campaign.models import Run, Task, Topic
from pooling.strategies.parameters import PoolSpecError
from pooling.strategies.spec import PoolSpec

M = TypeVar("M", bound=models.Model)


class FrozenError(TypeError):
    """A frozen pool is evidence: it is written once and never changed."""


class FrozenQuerySet(models.QuerySet[M]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise FrozenError("A frozen pool cannot be changed. Freeze a new version.")

    def delete(self) -> NoReturn:
        raise FrozenError("A frozen pool cannot be deleted.")

    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        if kwargs.get("update_conflicts") or True in args:
            raise FrozenError("A frozen pool cannot be changed. Freeze a new version.")
        return super().bulk_create(objs, *args, **kwargs)


class FrozenModel(models.Model):
    objects = FrozenQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise FrozenError("A frozen pool cannot be changed. Freeze a new version.")
        # Without this, a new object with the key of an old one would overwrite it.
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise FrozenError("A frozen pool cannot be deleted.")


class Pool(FrozenModel):
    """The documents that a task has judged, per topic: frozen when made, never changed; a late run makes a new version."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="pools")
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
    def drawn_by(self) -> str:
        """The strategy with its parameters, in words."""
        if self.drawn_with is not None:
            return self.drawn_with.drawn_by
        parameters = sorted(self.spec.get("parameters", {}).items())
        return ", ".join([self.strategy, *(f"{name} = {value}" for name, value in parameters)])

    def get_absolute_url(self) -> str:
        return reverse("pool_detail", kwargs={**self.task.address, "version": self.version})


class PoolRun(FrozenModel):
    """A run that the pool was drawn from, with the bytes it had then."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="pool_runs")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="pool_runs")
    sha256 = models.CharField(max_length=64)
    contributed = models.PositiveIntegerField(help_text="Pooled pairs that this run brings in.")
    unique = models.PositiveIntegerField(help_text="Pooled pairs that only this run's team brings in.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "run"], name="run_once_per_pool")]

    def __str__(self) -> str:
        return f"{self.run} in {self.pool}"


class PoolEntry(FrozenModel):
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="entries")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_entries")
    docno = models.CharField(max_length=200)
    position = models.PositiveIntegerField(help_text="Judging order within the topic, from 1.")
    best_position = models.PositiveIntegerField(help_text="The best position that any pooled run gives the document.")
    run_count = models.PositiveIntegerField(help_text="Pooled runs that bring the document in.")
    inclusion_probability = models.FloatField(
        null=True, blank=True, help_text="In (0, 1], with which the document was drawn; null where nothing was sampled."
    )

    class Meta:
        ordering = ["pool", "topic", "position"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "docno"], name="document_once_per_pool_and_topic"),
            models.UniqueConstraint(fields=["pool", "topic", "position"], name="position_once_per_pool_and_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.topic.number} {self.docno}"
