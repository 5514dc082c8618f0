"""What messages say of ties and of ranks against scores, for both readers. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from campaign.formats.runs.by_line.order import Line, Ties
from campaign.formats.runs.rules import OFF, RunRules

TIED_FROM, TIED_SHARE = 10, 10
"""Ties are reported from so many lines on, if they are a tenth of all lines or of the first places of the topics."""


def tells_of_ties(ties: Ties, *, has_constant: bool, rules: RunRules) -> bool:
    """Whether ties are reported as a finding of their own: many, and not told beside topics of one score already."""
    many = ties.tied * TIED_SHARE >= ties.lines or ties.first_tied * TIED_SHARE >= ties.first
    told = has_constant and rules.severity("score_constant") != OFF
    return ties.tied >= TIED_FROM and many and not told


def tie_values(ties: Ties) -> dict[str, object]:
    """The values by which messages say how much of the order is decided by docno.

    >>> tie_values(Ties(lines=2000, tied=1500, first=20, first_tied=3, topics=2))["share"]
    75
    """
    return {
        "tied": ties.tied,
        "lines": ties.lines,
        "share": 100 * ties.tied // max(ties.lines, 1),
        "topics": "1 topic" if ties.topics == 1 else f"{ties.topics:,} topics",
        "first_tied": ties.first_tied,
        "first": ties.first,
    }


def reversed_values(first: Line, last: Line, top: str) -> dict[str, object]:
    """The values of the message of `score_reversed`: the lines of the best and the worst rank, the top document by score."""
    return {
        "topic": first.topic,
        "first": first.number,
        "first_line": first.text.strip(),
        "first_docno": first.docno,
        "last": last.number,
        "last_line": last.text.strip(),
        "top": top,
    }
