"""Files in the shapes of campaigns through the service of imports, and some of each kind by page."""

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaign.collection.services import imports
from campaign.collection.services.imports import COLLECTION_JOBS, ImportJobs, import_receive
from campaign.models import Import, Task
from judging.qrels.services.imports import QRELS_JOBS
from judging.qrels.services.merged_imports import SET
from tests.campaign.formats.published_shapes import (
    DOCUMENTS,
    QRELS,
    TOPICS,
    Shape,
    documents_in,
    judgments_in,
    topics_in,
)
from tests.factories import Cast

pytestmark = pytest.mark.django_db
BY_KIND = {Import.TOPICS: TOPICS, Import.DOCUMENTS: DOCUMENTS, Import.QRELS: QRELS}
READERS: dict[str, Any] = {Import.TOPICS: topics_in, Import.DOCUMENTS: documents_in, Import.QRELS: judgments_in}
NEWEST = (
    "letters as grades, until",
    "six columns: relevance",
    "labels of PubMed",
    "with a document on two lines",
    "SGML with a description alone",
)


def content_of(shape: Shape) -> bytes:
    return shape.text.encode() if isinstance(shape.text, str) else shape.text


def with_topics_of(task: Task, kind: str, shape: Shape) -> None:
    """The topics of a file of judgments, so that what is refused is refused for another cause."""
    task.topics.all().delete()
    if kind == Import.QRELS:
        numbers = dict.fromkeys(str(row[0]) for row in shape.read) or {"1": None}
        for position, number in enumerate(numbers, start=1):
            task.topics.create(number=number, position=position, title="kites")


def jobs_of(kind: str) -> ImportJobs:
    return QRELS_JOBS if kind == Import.QRELS else COLLECTION_JOBS


def name_of(shape: Shape) -> str:
    return f"{shape.campaign}: {shape.shape}"


@pytest.mark.parametrize("kind", BY_KIND)
def test_the_check_of_an_import_says_what_the_reader_says(
    cast: Cast, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(imports, "MOST_WAITING", 1_000)
    wrong = {}
    for shape in BY_KIND[kind]:
        with_topics_of(cast.task, kind, shape)
        with django_capture_on_commit_callbacks(execute=True):
            import_ = import_receive(
                actor=cast.organiser,
                task=cast.task,
                kind=kind,
                file=ContentFile(content_of(shape)),
                file_name="file.txt",
                options={SET: "shapes"} if kind == Import.QRELS else {},
                jobs=jobs_of(kind),
            )
        import_.refresh_from_db()
        said = {problem["message"] for problem in import_.problems["shown"]}
        _, problems = READERS[kind](shape.text)
        missing = set() if kind == Import.QRELS else {problem.message for problem in problems.shown} - said
        if import_.state != (Import.READY if shape.read else Import.BAD) or missing:
            wrong[name_of(shape)] = (import_.state, missing, said)
    assert not wrong


@pytest.mark.parametrize("kind", BY_KIND)
def test_the_page_of_an_import_shows_what_was_read_or_why_it_was_refused(
    cast: Cast, client: Client, django_capture_on_commit_callbacks: Any, kind: str
) -> None:
    client.force_login(cast.organiser)
    url = cast.task.url("qrels_import") if kind == Import.QRELS else cast.task.url("import_create", kind=kind)
    for place, shape in enumerate(BY_KIND[kind]):
        if place % 12 and not any(word in shape.shape for word in NEWEST):
            continue
        with_topics_of(cast.task, kind, shape)
        chosen = {"new_set": "shapes"} if kind == Import.QRELS else {}
        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post(url, {"file": SimpleUploadedFile("file.txt", content_of(shape)), **chosen})
        page = client.get(answer["Location"])
        import_ = Import.objects.latest("created_at")
        assert import_.state == (Import.READY if shape.read else Import.BAD), name_of(shape)
        assert (page.status_code, "Check again" in page.content.decode()) == (200, not shape.read), name_of(shape)
