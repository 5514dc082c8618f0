"""A version of the qrels with the topics and documents that it judges, made from the database."""

import hashlib
from collections.abc import Iterator

import polars as pl
from django.utils.text import slugify

from campaign.collection.exports import topic_records
from campaign.collection.selectors.texts import document_texts, has_texts, texts_checksum
from campaign.collection.services.texts_checksum import texts_checksum_request
from campaign.formats.topics.write import FILES
from campaign.models import Job, Task
from campaign.storage.streamed_zip import StreamedZip
from campaign.web.links import absolute
from judging.models import Qrels
from judging.qrels.exports import qrels_file_name
from judging.qrels.selectors.releases import released_table
from judging.test_collections.beir import CORPUS, QRELS, QUERIES, corpus_lines, qrels_lines, query_lines
from judging.test_collections.irds import CollectionFacts, FileFacts, dataset_name, irds_module, module_name

README = """{task}, {campaign}: qrels v{version}

corpus.jsonl      the documents that have a text: _id, title, text
queries.jsonl     the topics: _id, text (the title), and the other parts as metadata
qrels/test.tsv    the judgments; what was not judged, or could not be, is not in it
SHA256SUMS        check it all by: sha256sum -c SHA256SUMS

The layout is that of BEIR, whose GenericDataLoader reads this folder with split="test".
{source}
{page}
"""


def dataset_of(qrels: Qrels) -> str:
    task = qrels.task
    set_name = slugify(qrels.set_name) or (f"qrels-v{qrels.version}" if qrels.set_name else "")
    return dataset_name(task.campaign.slug, task.slug, set_name)


def module_file_name(qrels: Qrels) -> str:
    return f"{module_name(dataset_of(qrels))}.py"


def texts_job(task: Task) -> Job | None:
    """The job that computes the SHA-256 of all texts, which a module holds; None where it is known, or there are no texts."""
    if task.collection is None or not has_texts(task) or texts_checksum(task.collection):
        return None
    job = texts_checksum_request(task.collection)
    task.collection.refresh_from_db()
    return None if texts_checksum(task.collection) else job


def said_of_texts(job: Job) -> str:
    """What a reader is told who asks for a module before the checksum of the texts is known."""
    if job.state == Job.FAILED:
        return "The checksum of the documents could not be computed. The first download after an hour tries it again."
    return "The checksum of the documents is being computed. Ask again in a moment."


class BeirArchive:
    """Iterate once for the bytes of the zip; everything in it lies in the folder `name`."""

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        self.name = qrels_file_name(qrels, "beir", "zip").removesuffix(".zip")

    def __iter__(self) -> Iterator[bytes]:
        archive, task, folder = StreamedZip(), self._qrels.task, f"{self.name}/"
        grades = released_table(self._qrels, "overall").select("topic", "docno", "grade")
        yield from archive.text(f"{folder}README.txt", [self._readme()])
        if task.collection_id is not None:
            yield from archive.text(f"{folder}{CORPUS}", corpus_lines(document_texts(task.collection_id)))
        yield from archive.text(f"{folder}{QUERIES}", query_lines(topic_records(task)))
        yield from archive.text(f"{folder}{QRELS}", qrels_lines(grades.iter_rows()))
        yield from archive.end(folder)

    def _readme(self) -> str:
        task = self._qrels.task
        source = task.collection.source if task.collection else ""
        return README.format(
            task=task.title,
            campaign=task.campaign.title,
            version=self._qrels.version,
            source=f"\nDocuments: {source}\n" if source else "",
            page=absolute(self._qrels.get_absolute_url()),
        )


def module_source(qrels: Qrels) -> str:
    """The file for ir_datasets. Of documents it has the checksum, which must be computed by now if there are texts."""
    task = qrels.task
    stem = f"{task.campaign.slug}-{task.slug}"
    api = absolute(f"/api/v1/campaigns/{task.campaign.slug}/tasks/{task.slug}")
    topics = "".join(FILES["jsonl"].lines(topic_records(task)))
    files = {
        "topics": FileFacts(
            f"{stem}-topics.jsonl",
            f"{api}/topic-files/jsonl",
            hashlib.sha256(topics.encode()).hexdigest(),
            topics.count("\n"),
        ),
        "qrels": FileFacts(
            qrels_file_name(qrels, "qrels", "txt"),
            f"{api}/qrels/{qrels.version}/file",
            qrels.sha256,
            released_table(qrels, "overall").filter(pl.col("grade") >= 0).height,
        ),
    }
    checksum = texts_checksum(task.collection) if task.collection else ""
    if checksum:
        count = task.collection.text_count if task.collection else 0
        name = f"{stem}-documents.jsonl.gz"
        files["documents"] = FileFacts(name, f"{api}/document-files/jsonl", checksum, count)
    return irds_module(
        CollectionFacts(
            dataset=dataset_of(qrels),
            title=task.title,
            campaign=task.campaign.title,
            page=absolute(qrels.get_absolute_url()),
            qrels_version=qrels.version,
            grades=dict(task.grades.values_list("value", "label")),
            files=files,
            topics_not_counted=_not_counted(qrels),
        )
    )


def _not_counted(qrels: Qrels) -> tuple[str, ...]:
    counting = set(qrels.task.topics.counting().values_list("number", flat=True))
    return tuple(sorted({*qrels.topics, *qrels.topics_not_scored} - (counting - set(qrels.topics_not_scored))))
