"""Which version of this code draws pools: kept with each frozen pool, and named by the command that draws it again."""

from __future__ import annotations

from typing import Final

ENGINE: Final = "1"
"""Raised whenever a change may give the same runs, settings and seed another pool, or another choice while it is judged.

`tests/pooling/core/strategies/test_engine.py` holds pools of every strategy by their checksums, and fails where one changes.
"""


def drawn_otherwise(engine: str) -> str:
    """A warning where a pool was drawn by another version than this one; "" where it was drawn by this one.

    >>> drawn_otherwise(ENGINE), drawn_otherwise("0")
    ('', 'The pool was drawn by engine version 0, this is version 1: what is drawn here can differ from it.')
    """
    if engine == ENGINE:
        return ""
    return f"The pool was drawn by engine version {engine}, this is version {ENGINE}: what is drawn here can differ from it."
