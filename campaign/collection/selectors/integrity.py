"""What `manage.py verify` compares of collections: texts with their errata, and the stored numbers of documents with the rows."""

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import attrgetter

from django.db.models import F

from campaign.collection.counts import counted
from campaign.collection.selectors.documents import STAGING
from campaign.collection.selectors.texts import digest_of_texts
from campaign.collection.selectors.versions import topic_version
from campaign.integrity import Extent, Finding, each_by_itself
from campaign.models import Collection, Correction, Task, Topic
from campaign.text.plurals import number_of

REMEDY = (
    "A text or an erratum was changed behind the site's back: restore the database from a backup of before the change."
)
BY_CHECKSUM = "collections by the checksum of their texts"
COUNT_REMEDY = (
    "Documents came or went behind the site's back. If they may stay, import a file with one known document number: "
    "that counts them anew."
)


def verify_document_counts(extent: Extent) -> Iterator[Finding]:
    """Collections that an import is still filling are left alone."""

    def compare(collection: Collection) -> Iterator[Finding]:
        there = counted(collection.pk)
        extent.looked["documents"] += there["document_count"]
        if any(getattr(collection, name) != number for name, number in there.items()):
            text = (
                f"Its pages tell of {number_of(collection.document_count, 'document')}, {collection.text_count:,} of them "
                f"with a text; counted were {there['document_count']:,} and {there['text_count']:,}."
            )
            subject = f"collection {collection.slug} of {collection.campaign}"
            yield Finding("documents", subject, text, COUNT_REMEDY)

    rows = Collection.objects.exclude(slug__startswith=STAGING).select_related("campaign")
    return each_by_itself("documents", rows, compare)


def verify_texts(extent: Extent) -> Iterator[Finding]:
    """Of collections whose texts have a checksum, which somebody who took them along has asked for.

    Not in one state of the database, which would be kept for long; documents that come meanwhile are told by the version.
    """

    def compare(collection: Collection) -> Iterator[Finding]:
        name = f"collection {collection.slug} of {collection.campaign}"
        sha256 = digest_of_texts(collection.pk, lambda done: extent.report(f"texts of {name}: {done:,} read"))
        if sha256 == collection.texts_sha256:
            extent.looked[BY_CHECKSUM] += 1
        elif not Collection.objects.filter(pk=collection.pk, documents_version=collection.documents_version).exists():
            extent.notes.append(f"The texts of {name} were not compared: documents came or went meanwhile.")
        else:
            extent.looked[BY_CHECKSUM] += 1
            yield Finding("documents", name, "Its texts are not those of their checksum.", REMEDY)

    known = Collection.objects.exclude(texts_sha256="").filter(texts_version=F("documents_version"))
    return each_by_itself("documents", known.select_related("campaign"), compare)


def verify_errata(extent: Extent) -> Iterator[Finding]:
    """Errata are numbered without a gap; each begins with the text of the last one, and topics have the text of theirs."""

    def compare(task: Task) -> Iterator[Finding]:
        errata = Correction.objects.filter(task=task)
        numbers = list(errata.order_by("number").values_list("number", flat=True))
        extent.looked["errata"] += len(numbers)
        if numbers != list(range(1, len(numbers) + 1)):
            yield Finding("errata", f"errata of {task}", "Their numbers have a gap: one was deleted.", REMEDY)
        of_topics = errata.filter(kind=Correction.TOPIC).order_by("key", "version").defer("before", "after")
        for number, versions in groupby(of_topics, attrgetter("key")):
            if problem := _problem(task, number, list(versions)):
                yield Finding("errata", f"topic {number} of {task}", problem, REMEDY)

    tasks = Task.objects.filter(corrections__isnull=False).select_related("campaign").distinct()
    return each_by_itself("errata", tasks, compare)


def _problem(task: Task, number: str, versions: list[Correction]) -> str:
    if [one.version for one in versions] != list(range(2, len(versions) + 2)):
        return "The versions of its text have a gap."
    for earlier, later in pairwise(versions):
        if earlier.after_sha256 != later.before_sha256:
            return (
                f"Its version {later.version} does not begin with the text that version {earlier.version} ended with."
            )
    topic = Topic.objects.prefetch_related("subtopics").filter(task=task, number=number).first()
    if topic is None:
        return "It has errata and is no longer there."
    if topic_version(topic) != versions[-1].after_sha256:
        return "Its text is not the one of its last erratum."
    return ""
