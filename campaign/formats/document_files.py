"""Files of documents in the two formats that are read here. What is written is read back as the same documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from campaign.formats.markup import as_sgml


class DocumentText(NamedTuple):
    docno: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A format of document files; `lines` writes the documents. `loses`: what is not read back as it was."""

    name: str
    title: str
    ending: str
    lines: Callable[[Iterable[DocumentText]], Iterator[str]]
    loses: str = ""


def jsonl_lines(documents: Iterable[DocumentText]) -> Iterator[str]:
    """One object a line.

    >>> "".join(jsonl_lines([DocumentText("d1", "Eggs", "Boil.")]))
    '{"docno": "d1", "title": "Eggs", "text": "Boil."}\\n'
    """
    for document in documents:
        yield json.dumps(document._asdict(), ensure_ascii=False) + "\n"


def trec_lines(documents: Iterable[DocumentText]) -> Iterator[str]:
    for document in documents:
        yield f"<DOC>\n<DOCNO>{as_sgml(document.docno)}</DOCNO>\n"
        if document.title:
            yield f"<TITLE>{as_sgml(document.title)}</TITLE>\n"
        yield f"<TEXT>\n{as_sgml(document.text)}\n</TEXT>\n</DOC>\n"


DOCUMENT_FILES = {
    file.name: file
    for file in (
        DocumentFile("jsonl", "JSON Lines", "jsonl.gz", jsonl_lines),
        DocumentFile("trec", "TREC", "trec.txt.gz", trec_lines, "blanks at line ends or several empty lines in a row"),
    )
}
