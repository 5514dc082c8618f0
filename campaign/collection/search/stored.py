"""A text index as bytes: a line of JSON that says where each array lies, then the arrays, read without copying them."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import BinaryIO

import numpy as np

from campaign.collection.search.indexing import TextIndex

FORMAT = "text index 2"
"""Goes up when an index is laid out otherwise or texts are cut into other terms: stored ones are then made anew."""
ALIGNED = 8
DTYPES = {
    "keys": "<i8",
    "lengths": "<u4",
    "terms": "<u1",
    "term_ends": "<i8",
    "offsets": "<i8",
    "documents": "<u4",
    "counts": "<u2",
}


class UnreadableIndexError(ValueError):
    """These bytes are no index of this version."""


def write_index(index: TextIndex, out: BinaryIO) -> None:
    """Write the index; equal indexes give equal bytes.

    >>> from io import BytesIO
    >>> from campaign.collection.search.indexing import build_text_index
    >>> write_index(build_text_index([(7, "a cat")], str.split), out := BytesIO())
    >>> read_index(out.getvalue()).keys.tolist()
    [7]
    """
    arrays = {one.name: np.ascontiguousarray(getattr(index, one.name), DTYPES[one.name]) for one in fields(index)}
    sizes = {name: len(array) for name, array in arrays.items()}
    head = json.dumps({"format": FORMAT, "sizes": sizes}, sort_keys=True).encode()
    out.write(head + b" " * (-(len(head) + 1) % ALIGNED) + b"\n")
    for array in arrays.values():
        out.write(array.data)
        out.write(b"\0" * (-array.nbytes % ALIGNED))


def read_index(content: bytes | memoryview) -> TextIndex:
    """Return the index whose arrays lie in `content`, such as a mapped file; UnreadableIndexError if it is none.

    >>> read_index(b"something else")
    Traceback (most recent call last):
    campaign.collection.search.stored.UnreadableIndexError: This is no text index 2.
    """
    view = memoryview(content)
    head, end = _head(view)
    arrays = {}
    for name, dtype in DTYPES.items():
        size = head["sizes"][name]
        arrays[name] = np.frombuffer(view, dtype, count=size, offset=end) if size else np.empty(0, dtype)
        end += -(-arrays[name].nbytes // ALIGNED) * ALIGNED
    return TextIndex(**arrays)


def _head(view: memoryview) -> tuple[dict[str, dict[str, int]], int]:
    start = bytes(view[:1000])
    line, _, _ = start.partition(b"\n")
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UnreadableIndexError(f"This is no {FORMAT}.")
    return head, len(line) + 1
