"""What is found of a pool's documents once it is frozen: near-identical ones, and what was searched for."""

from django.conf import settings
from django.db import models

from campaign.models import Topic
from pooling.models.pools import FrozenPool, Pool


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
