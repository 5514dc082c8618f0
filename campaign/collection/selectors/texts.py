"""Taking the texts of a collection along: who may, and the texts themselves, read in parts that fit in memory."""

import hashlib
from collections.abc import Callable, Iterator

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Length

from campaign.formats.document_files import DocumentText, jsonl_lines
from campaign.models import Acceptance, Agreement, Campaign, Collection, Document, Task, Team, Visitor
from campaign.permissions import is_organiser, is_participant

AT_ONCE, REPORTED = 500, 1000
CHARACTERS_AT_ONCE = 4 << 20
WHO_MAY = {
    Task.ORGANISERS: "The texts of this task are not given out. Ask its organisers where to get the collection.",
    Task.PARTICIPANTS: "The texts may be downloaded by the teams that take part. Register a team for the campaign.",
    Task.ACCEPTED: "The texts may be downloaded by the teams that take part and have accepted all agreements of the campaign. "
    "Register a team, or accept what is missing on the page of your registration.",
    Task.EVERYBODY: "",
}


def may_download_texts(user: Visitor, task: Task) -> bool:
    """Of a task that the user sees."""
    if task.texts_for == Task.EVERYBODY or is_organiser(user, task.campaign):
        return True
    if task.texts_for == Task.PARTICIPANTS:
        return is_participant(user, task.campaign)
    return task.texts_for == Task.ACCEPTED and _has_accepted_all(user, task.campaign)


def require_texts_downloader(user: Visitor, task: Task) -> None:
    if not may_download_texts(user, task):
        raise PermissionDenied(WHO_MAY[task.texts_for])


def _has_accepted_all(user: Visitor, campaign: Campaign) -> bool:
    accepted = Acceptance.objects.filter(agreement=OuterRef("pk"), team=OuterRef(OuterRef("pk")))
    missing = Agreement.objects.filter(~Exists(accepted), campaign=campaign, retired_at__isnull=True)
    return Team.objects.taking_part(user, campaign).filter(~Exists(missing)).exists()


def has_texts(task: Task) -> bool:
    return task.collection is not None and task.collection.text_count > 0


def document_texts(collection_id: int) -> Iterator[DocumentText]:
    """Yield all texts, in the order in which they were imported.

    No cursor stays open for as long as the reader takes, and giant texts are read one by one.
    """
    texts = Document.objects.filter(collection=collection_id, has_text=True)
    for part in parts_in_memory(texts):
        yield from (DocumentText(*row) for row in list(part.values_list("docno", "title", "text")))


def digest_of_texts(collection_id: int, tell: Callable[[int], None] = lambda done: None) -> str:
    """The SHA-256 of all texts as JSON Lines; `tell` is given how many were read, every now and then."""
    digest = hashlib.sha256()
    for done, line in enumerate(jsonl_lines(document_texts(collection_id)), start=1):
        digest.update(line.encode())
        if done % REPORTED == 0:
            tell(done)
    return digest.hexdigest()


def parts_in_memory(documents: "QuerySet[Document]") -> Iterator["QuerySet[Document]"]:
    """These documents in the order in which they were imported, in parts that hold at most 500 documents and about 4 million
    characters; a longer text is a part by itself."""
    documents = documents.order_by("pk")
    sizes = documents.annotate(size=Length("text")).values_list("pk", "size")
    last = 0
    while batch := list(sizes.filter(pk__gt=last)[:AT_ONCE]):
        for until in _ends(batch):
            yield documents.filter(pk__gt=last, pk__lte=until)
            last = until


def _ends(sizes: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the last key of each part that is read at once."""
    characters = 0
    for place, (key, size) in enumerate(sizes):
        characters += size
        is_last = place == len(sizes) - 1
        if is_last or characters + sizes[place + 1][1] > CHARACTERS_AT_ONCE:
            yield key
            characters = 0


def texts_checksum(collection: Collection) -> str:
    """The SHA-256 of all texts as JSON Lines; empty while it is not computed of the documents as they are now."""
    return collection.texts_sha256 if collection.texts_version == collection.documents_version else ""
