from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property

from campaign import lengths
from campaign.models import Run, Task, Topic
from campaign.models.fields import LimitedTextField
from campaign.models.written_once import WrittenOnce
from campaign.ordering import Ordering
from pooling.strategies.parameters import PoolSpecError
from pooling.strategies.spec import PoolSpec
from pooling.words import runs_taken


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
    spec = models.JSONField(default=dict, help_text="How it was drawn, as PoolSpec.to_json gives it.")
    order = models.CharField("judging order", max_length=20, default="random")
    seed = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(help_text="Topic-document pairs.")
    sha256 = models.CharField("SHA-256 of the pool file", max_length=64)
    frame = models.FileField(
        "documents not drawn",
        max_length=200,
        blank=True,
        help_text="Parquet: topic, docno, stratum of those that could have been drawn; empty where nothing was sampled.",
    )
    frame_sha256 = models.CharField("SHA-256 of the documents not drawn", max_length=64, blank=True)
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
    sha256 = models.CharField(max_length=64)
    contributed = models.PositiveIntegerField(help_text="Pooled pairs that this run brings in.")
    unique = models.PositiveIntegerField(help_text="Pooled pairs that only this run's team brings in.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "run"], name="run_once_per_pool")]

    def __str__(self) -> str:
        return f"{self.run} in {self.pool}"


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


class PoolChoice(FrozenPool):
    """A step of a pool that grows: the document that was chosen, and what was known of the others then.

    With the seed and the pooled runs, the steps of a topic come out again: `manage.py replay_pool`.
    """

    instead = "A step is logged once."

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="choices")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_choices")
    step = models.PositiveIntegerField(help_text="From 1 in each topic.")
    docno = models.CharField(max_length=200)
    run = models.CharField("run tag", max_length=60, blank=True, help_text="Of the run that was followed, if one was.")
    policy = models.CharField(max_length=40)
    seed = models.BigIntegerField()
    learned = models.JSONField(
        default=dict,
        help_text="By docno, what was known and was not at the step before: relevant or not, null for no longer known.",
    )
    pending = models.JSONField(default=list, help_text="Docnos of the base and of chosen documents not judged then.")
    chosen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pool", "topic__position", "step"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "step"], name="step_once_per_pool_and_topic"),
            models.UniqueConstraint(fields=["pool", "topic", "docno"], name="document_chosen_once_per_topic"),
        ]

    def __str__(self) -> str:
        return f"step {self.step} of topic {self.topic.number}: {self.docno}"


class TopicStop(FrozenPool):
    """That a topic of a growing pool stopped, or went on: the last row of a topic holds."""

    instead = "The next decision is a new row."

    RULE, EXHAUSTED, HAND, ON = "rule", "exhausted", "hand", "on"
    KINDS = {
        RULE: "stopped by the rule",
        EXHAUSTED: "no candidate left",
        HAND: "stopped by hand",
        ON: "goes on",
    }

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="stops")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_stops")
    kind = models.CharField(max_length=9, choices=KINDS)
    until = models.PositiveIntegerField(
        null=True, blank=True, help_text="Where it goes on past the rule: the judgments at which it stops."
    )
    reason = LimitedTextField(limit=lengths.REASON)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["pool", "topic"], name="stop_by_topic")]

    def __str__(self) -> str:
        return f"topic {self.topic.number} {self.get_kind_display()}"


class DuplicateSearch(models.Model):
    """That near-identical texts of a pool were looked for, and what the organiser makes of them."""

    OFF, TOGETHER, ONE = "off", "together", "one"
    HANDLINGS = {
        OFF: "judged each in its place",
        TOGETHER: "judged one after another",
        ONE: "judged by one that stands for all",
    }

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, related_name="duplicate_search")
    handling = models.CharField(max_length=8, choices=HANDLINGS, default=OFF)
    threshold = models.FloatField(help_text="From which similarity on texts are near-identical.")
    documents = models.PositiveIntegerField(help_text="Pooled documents with a text, which were compared.")
    found_at = models.DateTimeField()
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "duplicate searches"

    def __str__(self) -> str:
        return f"near-duplicates of {self.pool}"


class Twin(models.Model):
    """A document of a class of near-identical ones of a topic; the one that stands for the class has a row too."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="twins")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="twins")
    docno = models.CharField(max_length=200)
    representative = models.CharField("docno that stands for the class", max_length=200)
    place = models.PositiveIntegerField(help_text="Position of the representative: where the class is judged.")
    similarity = models.FloatField(help_text="Jaccard's coefficient with the document of the class that is most alike.")

    class Meta:
        ordering = ["pool", "topic__position", "place", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "docno"], name="twin_once_per_pool_and_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.docno} like {self.representative}"


class Search(FrozenPool):
    """What somebody searched for a topic: with the documents found by hand, the record of how hard they were looked for."""

    LONGEST_QUERY = 300
    instead = "A search is logged once."

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="searches")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="searches")
    query = models.CharField(max_length=LONGEST_QUERY)
    results = models.PositiveIntegerField(help_text="Documents with at least one word of the query.")
    searched_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    searched_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "searches"
        ordering = ["pk"]
        indexes = [models.Index(fields=["pool", "topic"], name="search_by_topic")]

    def __str__(self) -> str:
        return f"search for topic {self.topic.number}"
