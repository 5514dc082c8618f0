"""What a line is that has other than six columns. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from campaign.formats.runs.header import is_json
from campaign.formats.source import separator_hint

INTEGER = re.compile(rb"[+-]?[0-9]{1,18}")
NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NO_BREAK_SPACE = "\u00a0".encode()
SAYS_NOTHING = frozenset({b"Q0", b"q0", b"0"})
NAMES = re.compile(
    rb"(?:topic|query|q|doc|document|corpus|passage|p|run|tag|system)[-_.]?(?:id|no|num|number|name|tag)?|"
    rb"q0|iter|iteration|rank|score|sim|similarity|query[-_]?text",
    re.IGNORECASE,
)
OF_NAMES = " The line names columns: write the six in this order, and no line of names."
OF_QRELS = " This looks like qrels (topic, 0, docno, grade), and not like a run."
OF_MS_MARCO = (
    " Runs of MS MARCO have the three columns topic, docno and rank: "
    """awk '{print $1, "Q0", $2, $3, -$3, "TAG"}' FILE > NEW_FILE writes six. Qrels of three columns are no run."""
)
OF_JSON = " A run is no JSON: write a line for each document."
SCORES = re.compile(rb'\{\s*(?:"[^"]*"\s*:\s*\{\s*(?:"[^"]*"\s*:\s*[-+0-9].*)?)?', re.DOTALL)
OF_SCORES = (
    OF_JSON + " Scores by topic and docno, as pytrec_eval, BEIR and ranx have them, become a run by: "
    """python3 -c 'import json, sys; [print(t, "Q0", d, r, s, "TAG") for t, scores in json.load(sys.stdin).items() """
    """for r, (d, s) in enumerate(sorted(scores.items(), key=lambda pair: -pair[1]), 1)]' < FILE > NEW_FILE."""
)
OF_SERVICE = (
    OF_JSON + " The answer of a search service to one topic becomes lines by: "
    """python3 -c 'import json, sys; [print("TOPIC", "Q0", hit["_id"], r, hit["_score"], "TAG") """
    """for r, hit in enumerate(json.load(sys.stdin)["hits"]["hits"], 1)]' < FILE >> NEW_FILE."""
)


def column_values(text: bytes, count: int) -> dict[str, str]:
    """The values of the message of `column_count`.

    >>> column_values(b"1,Q0,d1,1,2.5,bm25", 1)
    {'found': 'There is 1 column instead of 6.', 'hint': ' Commas do not separate columns.'}
    """
    found = f"There {'is 1 column' if count == 1 else f'are {count} columns'} instead of 6."
    if is_json(text.lstrip()):
        found = "This is JSON, and not six columns."
    return {"found": found, "hint": _hint(text.strip(), count)}


def _hint(text: bytes, count: int) -> str:
    if is_json(text):
        is_of_service = b'"hits"' in text or b'"_score"' in text
        return OF_SERVICE if is_of_service else OF_SCORES if SCORES.fullmatch(text) else OF_JSON
    hint = " No-break spaces do not separate columns." if NO_BREAK_SPACE in text else ""
    return separator_hint(text, count, 6) or hint or _hint_of_fields(text.split())


def _hint_of_fields(fields: Sequence[bytes]) -> str:
    if len(fields) > 1 and all(map(NAMES.fullmatch, fields)):
        return OF_NAMES
    if len(fields) > 6:
        return _with_blanks(fields)
    if len(fields) == 4 and fields[1] in SAYS_NOTHING and INTEGER.fullmatch(fields[3]):
        return OF_QRELS
    if len(fields) == 3 and INTEGER.fullmatch(fields[2]):
        return OF_MS_MARCO
    missing = _missing(fields)
    return f" {missing} seem{'' if ' and ' in missing else 's'} to be missing." if missing else ""


def _missing(fields: Sequence[bytes]) -> str:
    """What a line of three to five columns lacks.

    >>> _missing([b"1", b"Q0", b"d1", b"1", b"2.5"]), _missing([b"1", b"d1", b"1", b"2.5", b"bm25"])
    ('The tag', 'Q0')
    """
    kinds = "".join(map(_kind, fields))
    shapes = (
        ("Q0, rank and tag", "..[in]"),
        ("The rank and the tag", ".0.[in]"),
        ("Q0 and the tag", "..[0i][0in]"),
        ("The tag", ".0.[0i][0in]"),
        ("The docno or the rank", ".0[i0]n."),
        ("The rank", ".0.n."),
        ("The rank or the score", ".0.[0i]."),
        ("The topic", "0.[0i][0in]."),
        ("Q0", "..[0i][0in]."),
    )
    return next((missing for missing, shape in shapes if re.fullmatch(shape, kinds)), "")


def _with_blanks(fields: Sequence[bytes]) -> str:
    kinds = "".join(map(_kind, fields))
    shapes = (
        ("docno", ".0.{2,}[0i][0in]."),
        ("tag", ".0.[0i][0in].{2,}"),
        ("topic", ".{2,}0.[0i][0in]."),
    )
    column = next((column for column, shape in shapes if re.fullmatch(shape, kinds)), "")
    return f" The {column} seems to hold blanks: write it without." if column else ""


def _kind(field: bytes) -> str:
    """0 for what the second column holds, i for an integer, n for another number, x for words."""
    if field in SAYS_NOTHING:
        return "0"
    return "i" if INTEGER.fullmatch(field) else "n" if NUMBER.fullmatch(field) else "x"
