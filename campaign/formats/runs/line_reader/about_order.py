"""What messages say of ties and of ranks against scores, for both readers. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from campaign.formats.runs.findings import Told
from campaign.formats.runs.line_reader.order import Line, Ties
from campaign.formats.runs.rules import OFF, RunRules

TIED_FROM, TIED_SHARE = 10, 10
"""Ties are reported from so many lines on, if they are a tenth of all lines or of the first places of the topics."""


ONLY_SINGLE = (
    "differ in the file; this task compares them in single precision, as trec_eval 9 does, and there they are equal"
)
ALL_DIGITS = Told("write scores with all their digits.")
THAT_RANK = Told("write the scores that rank them.")
APART = Told(
    "scale them so that they differ in their first 7 digits. Subtract the lowest score of each topic from its scores, or write "
    "scores by rank such as 1000, 999, 998; to divide them does not help where these digits are equal. Organisers can have the "
    "task compare scores in double precision, as trec_eval 10 does."
)


def tells_of_ties(ties: Ties, *, has_constant: bool, rules: RunRules) -> bool:
    """Whether ties are reported as a finding of their own: many, and not told beside topics of one score already."""
    many = ties.tied * TIED_SHARE >= ties.lines or ties.first_tied * TIED_SHARE >= ties.first
    told = has_constant and rules.severity("score_constant") != OFF
    return ties.tied >= TIED_FROM and many and not told


def tie_values(ties: Ties) -> dict[str, object]:
    """The values by which messages say how much of the order is decided by docno, and why.

    >>> tie_values(Ties(lines=2000, tied=1500, first=20, first_tied=3, topics=2))["share"]
    75
    """
    some = "These scores" if ties.single == ties.tied else f"{ties.single:,} of these scores"
    return {
        "tied": ties.tied,
        "lines": ties.lines,
        "share": 100 * ties.tied // max(ties.lines, 1),
        "topics": "1 topic" if ties.topics == 1 else f"{ties.topics:,} topics",
        "first_tied": ties.first_tied,
        "first": ties.first,
        "cause": Told(f" {some} {ONLY_SINGLE}." if ties.single else ""),
        "advice": APART if ties.single else ALL_DIGITS,
    }


def constant_values(documents: int, score: float | None, *, are_equal: bool) -> dict[str, object]:
    """The values of `score_constant` that are the topic's own; `are_equal`: in the file as well."""
    return {"documents": documents, "score": _same(score, are_equal), "advice": THAT_RANK if are_equal else APART}


def cut_values(limit: int, last_in: float | None, first_out: float | None) -> dict[str, object]:
    """The values of `tie_at_cut`: the scores at the last place within the maximum and at the first one beyond."""
    are_equal = last_in == first_out
    advice = Told("give different scores") if are_equal else Told("give scores that differ in their first 7 digits")
    return {"limit": limit, "next": limit + 1, "score": _same(first_out, are_equal), "advice": advice}


def _same(score: float | None, are_equal: bool) -> Told:
    return Told(f"{score!r}" if are_equal else f"{score!r} in single precision. The scores {ONLY_SINGLE}")


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
