"""Which fields of a JSON object become docno, title and text of a document.

The names are those of BEIR, MS MARCO (documents, passages and segments), TREC RAG, CORD-19, the Washington Post, S2ORC, PubMed,
clinical trials, args.me, CheckThat!, arXiv, ir_datasets and pyserini. Of names of one kind the first here counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from campaign.formats.document_notes import DocumentNotes
from campaign.formats.jsonlines import FieldError, text_field
from campaign.formats.markup import one_line
from campaign.formats.names import folded

DOCNOS = (
    "docno",
    "docid",
    "id",
    "_id",
    "doc_id",
    "document_id",
    "documentid",
    "cord_uid",
    "paper_id",
    "nct_id",
    "pmid",
    "corpus_id",
    "article_id",
    "vclaim_id",
    "product_id",
    "asin",
)
PASSAGE_DOCNOS = ("pid", "passage_id", "psg_id", "id", "_id", "segment_id", "chunk_id")
"""Numbers of passages: beside them the number of the document names several. The last two often count within a document."""
OF_DOCUMENTS = frozenset(
    {"docid", "documentid", "corpusid", "articleid", "passage", "segment"}  # as `folded`
)
OFTEN_OTHERS = ("image_id", "identifier")
"""Names of a number that is often none of the collection, such as a DOI or that of a picture: the last resort."""
ALL_DOCNOS = tuple(dict.fromkeys((*DOCNOS, *PASSAGE_DOCNOS, *OFTEN_OTHERS)))
TITLES = ("title", "headline", "brieftitle", "officialtitle", "documenttitle", "producttitle", "pagetitle", "ti", "bti")
TITLES_OF_ARGUMENTS = (*TITLES, "conclusion")
"""Beside premises, a conclusion is the title of an argument; elsewhere it is a text, which a title would cut."""
FULL_TEXTS = (
    *("fulltext", "text", "contents", "content", "body", "bodytext", "segment", "passage", "passages", "segments"),
    *("maincontent", "maintext", "documenttext", "doctext", "articletext", "article", "paragraph", "paragraphs"),
    *("sections", "document", "chunk", "rawtext", "plaintext", "defaulttext", "html"),
    *("premises", "vclaim", "imagetext", "imagecaption"),
)
TEXTS = (
    ("abstract", "summary", "briefsummary", "ab"),
    FULL_TEXTS,
    ("description", "detaileddescription", "productdescription"),
    ("eligibility", "eligibilitycriteria", "criteria"),
)
"""Kinds of text. A document may have one of each; they stand in this order."""
NAMES_OF_TEXTS = frozenset(name for names in TEXTS for name in names)
INNER_HEADINGS = frozenset({"title", "heading", "section", "headline", "label"})
INNER_TEXTS = NAMES_OF_TEXTS | {"caption", "fullcaption", "sentences", "sentence"}
MOST_FIELDS = 10_000
"""A document has at most so many fields: each takes 300 bytes, whatever stands in it."""
NOTHING: tuple[Any, ...] = (None, "", [], {})


def document_parts(value: Mapping[str, Any], notes: DocumentNotes) -> tuple[str, str, str]:
    """Docno, title and text of the object; FieldError where one of them is no text.

    The text is that of the fields `notes.wanted`, where it names some, and each that is there stands below its name where
    there are several.

    >>> notes = DocumentNotes()
    >>> document_parts({"pid": "p1", "docid": "d1", "passage": "Boil it.", "spans": "(0,8)"}, notes)
    ('p1', '', 'Boil it.')
    >>> notes.left_out
    Counter({'docid': 1, 'spans': 1})
    """
    if len(value) > MOST_FIELDS:
        raise FieldError(f"A document has {len(value):,} fields, and {MOST_FIELDS:,} is the most.")
    there = [key for key, item in value.items() if item not in NOTHING]
    lowered = {key.lower(): key for key in reversed(there)}
    plain = {folded(key): key for key in reversed(there)}
    docno = _docno(lowered, plain)
    title = _first(plain, TITLES_OF_ARGUMENTS if "premises" in plain else TITLES)
    used = {docno, title}
    texts = _wanted_texts(value, notes, used) if notes.wanted else _usual_texts(value, plain, notes, used)
    for part, key in (("docno", docno), ("title", title)):
        if key is not None:
            notes.became(part, key)
    text = _joined(texts)
    shown = {key for name, key in plain.items() if name in NAMES_OF_TEXTS and _is_within(value[key], text)}
    for key in there:
        if key not in used and key not in shown:
            notes.leave_out(key)
    docno_text = "" if docno is None else text_field(value, docno)
    return docno_text.strip(), "" if title is None else one_line(text_field(value, title)), text


def _is_within(item: Any, text: str) -> bool:
    return isinstance(item, str) and item.strip() in text


def _first(names: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((names[name] for name in wanted if name in names), None)


def _docno(lowered: Mapping[str, str], plain: Mapping[str, str]) -> str | None:
    order = ALL_DOCNOS if OF_DOCUMENTS.isdisjoint(plain) else (DOCNOS[0], *PASSAGE_DOCNOS, *DOCNOS[1:], *OFTEN_OTHERS)
    return next((key for name in order if (key := lowered.get(name) or plain.get(folded(name)))), None)


def _usual_texts(
    value: Mapping[str, Any], plain: Mapping[str, str], notes: DocumentNotes, used: set[str | None]
) -> dict[str, str]:
    keys = [key for names in TEXTS if (key := _first(plain, names)) is not None and key not in used]
    texts = {key: _text(key, value[key], notes) for key in keys}
    for key in keys:
        used.add(key)
        if not texts[key]:
            continue
        if any(texts[key] in text for other, text in texts.items() if other != key):
            del texts[key]  # such as an abstract that opens the full text
        else:
            notes.became("text", key)
    return {key: text for key, text in texts.items() if text}


def _wanted_texts(value: Mapping[str, Any], notes: DocumentNotes, used: set[str | None]) -> dict[str, str]:
    texts = {}
    named = frozenset(used)
    wanted = frozenset(map(folded, notes.wanted))
    for name in notes.wanted:
        found = _at(value, name)
        if found in NOTHING:
            continue
        notes.became("text", name)
        whole = _key(value, name)
        if whole not in named or whole is None:
            texts[name] = _whole_text(name, found).strip()
        part = _key(value, name.partition(".")[0]) if whole is None else None
        if part is not None and part not in used:
            for path in set(_beside(value[part], part, wanted)):
                notes.leave_out(path)
        used.add(whole or part)
    return {name: text for name, text in texts.items() if text}


def _at(value: Any, path: str) -> Any:
    """What stands at the path, as in `meta.abstract`; of a list, what stands there in each of its objects."""
    if isinstance(value, list):
        return [found for one in value if (found := _at(one, path)) not in NOTHING]
    if not isinstance(value, Mapping):
        return None
    if (key := _key(value, path)) is not None:
        return value[key]
    head, dot, rest = path.partition(".")
    key = _key(value, head) if dot else None
    return None if key is None else _at(value[key], rest)


def _key(value: Mapping[str, Any], name: str) -> str | None:
    """The key of this name; where there is none, that which differs in case, hyphens and underscores only."""
    if name in value:
        return name
    plain = folded(name)
    return next((key for key in value if folded(key) == plain), None)


def _beside(item: Any, path: str, wanted: frozenset[str]) -> Iterator[str]:
    """The paths of what stands in the field beside the wanted ones."""
    if isinstance(item, list):
        for one in item:
            yield from _beside(one, path, wanted)
    elif folded(path) in wanted or item in NOTHING:
        return
    elif isinstance(item, Mapping) and any(one.startswith(f"{folded(path)}.") for one in wanted):
        for key, inner in item.items():
            yield from _beside(inner, f"{path}.{key}", wanted)
    else:
        yield path


def _joined(texts: Mapping[str, str]) -> str:
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n".join(f"{name}\n{text}" for name, text in texts.items())


def _text(name: str, item: Any, notes: DocumentNotes) -> str:
    """The text of a field of a usual name. Of an object in it, its headings and texts, or all where neither is there."""
    if isinstance(item, list):
        return "\n\n".join(filter(None, (_text(name, one, notes) for one in item if one not in NOTHING)))
    if not isinstance(item, Mapping):
        return text_field({name: item}, name).strip()
    return "\n\n".join(filter(None, _inner_texts(name, item, notes)))


def _inner_texts(name: str, item: Mapping[str, Any], notes: DocumentNotes) -> Iterator[str]:
    headings = [key for key in item if folded(key) in INNER_HEADINGS]
    texts = [key for key in item if folded(key) in INNER_TEXTS]
    if not texts:
        yield _whole_text(name, item)
        return
    for key in (*headings, *texts):
        if not isinstance(item[key], int | float) and item[key] not in NOTHING:
            yield _text(f"{name}.{key}", item[key], notes)
    for key, inner in item.items():
        if inner not in NOTHING and (key not in (*headings, *texts) or isinstance(inner, int | float)):
            notes.leave_out(f"{name}.{key}")


def _whole_text(name: str, item: Any) -> str:
    """All that stands in the field, each text of an object below its name."""
    if isinstance(item, list):
        return "\n\n".join(_whole_text(name, one) for one in item if one not in NOTHING)
    if isinstance(item, Mapping):
        entries = {key: _whole_text(key, inner) for key, inner in item.items() if inner not in NOTHING}
        return "\n\n".join(f"{text_field({name: key}, name)}\n{text}" for key, text in entries.items())
    return text_field({name: json.dumps(item) if isinstance(item, float | bool) else item}, name)


def fields_named(text: str) -> list[str]:
    """The names in a list of fields with commas between them, each once.

    >>> fields_named(" title, abstract,,title,full text ")
    ['title', 'abstract', 'full text']
    """
    return list(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
