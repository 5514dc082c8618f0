from django.db import models
from django.db.models import Q

from campaign.models.campaign import Campaign, slug_validator
from campaign.models.fields import BytewiseField, LimitedTextField, Sha256Field, no_white_space
from campaign.text import limits


class Collection(models.Model):
    """The documents of one or several tasks of a campaign; texts may come later than the document numbers."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="collections")
    slug = models.CharField("address", max_length=50, validators=[slug_validator])
    title = models.CharField(max_length=120)
    source = models.CharField(max_length=300, blank=True, help_text="Where the documents come from, and their terms.")
    created_at = models.DateTimeField(auto_now_add=True)
    documents_version = models.PositiveIntegerField(
        default=0, editable=False, help_text="Counts the times that documents came or went: names the index of docnos."
    )
    document_count = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="Stored by whoever adds documents: pages never count rows."
    )
    text_count = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="How many of the documents have a text."
    )
    texts_sha256 = Sha256Field(
        "SHA-256 of the texts", max_length=64, blank=True, editable=False, help_text="Of all texts as JSON Lines."
    )
    texts_version = models.PositiveIntegerField(
        null=True, editable=False, help_text="Of the documents of which `texts_sha256` is."
    )

    class Meta:
        ordering = ["campaign", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "slug"], name="collection_slug_unique_in_campaign"),
        ]

    def __str__(self) -> str:
        return self.title


class Document(models.Model):
    # The index of the constraint below begins with it: one of its own would only slow imports down.
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="documents", db_index=False)
    docno = BytewiseField(max_length=200, validators=[no_white_space])
    title = LimitedTextField(limit=limits.TITLE_OF_DOCUMENT, blank=True)
    text = LimitedTextField(limit=limits.DOCUMENT, blank=True)
    has_text = models.BooleanField(default=True, help_text="False: only the document number is known so far.")

    class Meta:
        ordering = ["collection", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "docno"], name="docno_once_per_collection"),
            models.CheckConstraint(condition=~Q(docno=""), name="docno_not_empty"),
        ]

    def __str__(self) -> str:
        return self.docno


class SearchIndex(models.Model):
    """The index in which a collection's texts are searched, as they were at a version of its documents."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="search_index")
    version = models.PositiveIntegerField(help_text="Of the collection's documents.")
    documents = models.PositiveIntegerField(help_text="Documents with a text.")
    file = models.FileField(max_length=200)
    sha256 = Sha256Field("SHA-256", max_length=64)
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "search indexes"
        ordering = ["collection"]

    def __str__(self) -> str:
        return f"search index of {self.collection}"
