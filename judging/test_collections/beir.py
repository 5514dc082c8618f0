"""The layout of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` in one folder."""

import csv
import io
import json
from collections.abc import Iterable, Iterator

from campaign.formats.document_files import DocumentText
from campaign.formats.topics.drafts import TopicRecord

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels/test.tsv"
HEAD = ["query-id", "corpus-id", "score"]
AT_ONCE = 5000


def corpus_lines(documents: Iterable[DocumentText]) -> Iterator[str]:
    """One document a line.

    >>> "".join(corpus_lines([DocumentText("d1", "Eggs", "Boil.")]))
    '{"_id": "d1", "title": "Eggs", "text": "Boil.", "metadata": {}}\\n'
    """
    for document in documents:
        entry = {"_id": document.docno, "title": document.title, "text": document.text, "metadata": {}}
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def query_lines(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """The title is the text of the query; the other parts of the topic, where it has them, are its metadata.

    >>> "".join(query_lines([TopicRecord("401", "eggs", "How long?", "", (), 1)]))
    '{"_id": "401", "text": "eggs", "metadata": {"description": "How long?"}}\\n'
    """
    for topic in topics:
        metadata: dict[str, object] = {
            name: text for name in ("description", "narrative") if (text := getattr(topic, name))
        }
        if topic.subtopics:
            metadata["subtopics"] = [{"number": one.number, "text": one.text} for one in topic.subtopics]
        yield json.dumps({"_id": topic.number, "text": topic.title, "metadata": metadata}, ensure_ascii=False) + "\n"


def qrels_lines(grades: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Topic, docno and grade; negative grades are left out, for they say that there is none.

    Quoted as the csv module reads it, which is how BEIR reads this file: a docno may begin with a quotation mark.

    >>> "".join(qrels_lines([("1", "d1", 2), ("1", '"d2', 0), ("1", "d3", -1)]))
    'query-id\\tcorpus-id\\tscore\\n1\\td1\\t2\\n1\\t\"\"\"d2\"\\t0\\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(HEAD)
    for count, row in enumerate((row for row in grades if row[2] >= 0), start=1):
        writer.writerow(row)
        if count % AT_ONCE == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()
