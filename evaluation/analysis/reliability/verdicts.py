"""PURE: how far the order of a board can be trusted, in four lines: a word, its figure, and the limits of the word."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from campaign.text.plurals import listed, number_of
from evaluation.analysis.reliability.words import ALL_EQUAL, ONLY_RELEVANT
from evaluation.boards.table import WELL_JUDGED

Data = Mapping[str, Any]
GOOD, CARE, WEAK, NOT_KNOWN = "good", "care", "weak", "not known"
TONES: Final = {GOOD: "good", CARE: "warning", WEAK: "bad", NOT_KNOWN: "waiting"}
FEWEST_TOPICS: Final = 10
"""With fewer, neither half of the topics, nor all but one of them, tells much."""
FEWEST_RUNS: Final = 5
"""With fewer there are less than ten pairs: τ takes few values, and of two runs it is 1 or -1."""
VERSION_1_0: Final = "Version 1.0 computed this figure to rank 100, whatever the depth of the pool."


@dataclass(frozen=True, slots=True)
class Limits:
    """A figure of `good` or more is good, one below `weak` is weak; between them it needs care."""

    good: float
    weak: float


JUDGED: Final = Limits(WELL_JUDGED, 0.5)
LEFT_OUT: Final = Limits(0.9, 0.8)
HALVES: Final = Limits(0.8, 0.6)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`part`: the id of its part of the page. `limits`: what the word goes by; empty where the figure is not known."""

    part: str
    title: str
    word: str
    said: str
    limits: str = ""

    @property
    def tone(self) -> str:
        return TONES[self.word]


class _NotKnownError(Exception):
    """Why a figure is not known."""


@dataclass(frozen=True, slots=True)
class _Figure:
    """`doubts`: what keeps the figure from being good, in sentences."""

    value: float
    said: str
    doubts: tuple[str, ...] = ()


def verdicts(data: Data) -> list[Verdict]:
    """The four lines of a report, in the order of its parts; a figure that is not known says why.

    >>> missing = {"reasons": {"split_half": "One topic."}, "split_half": None, "without_a_topic": [], "topics": 1}
    >>> rows = [{"run": "bm25", "first_10": 0.62}]
    >>> found = verdicts({**missing, "judged": rows, "without_unique_documents": [], "depth_from": "pool"})
    >>> [one.word for one in found]
    ['care', 'not known', 'not known', 'not known']
    >>> print(found[0].said, found[0].limits)
    Least: 62.0 % of the first 10 documents of bm25. Good from 80 %, weak below 50 %.
    >>> found[3].said
    'One topic.'
    """
    return [_verdict(data, *line) for line in LINES]


def _verdict(data: Data, part: str, title: str, key: str, of: Limits, figure: Callable[[Data], _Figure]) -> Verdict:
    try:
        if data[key] is None:
            raise _NotKnownError(data["reasons"][key])
        found = figure(data)
    except _NotKnownError as why:
        return Verdict(part, title, NOT_KNOWN, str(why))
    word = GOOD if found.value >= of.good else CARE if found.value >= of.weak else WEAK
    if word == GOOD and found.doubts:
        word = CARE
    written = _percent if of is JUDGED else _tau
    limits = f"Good from {written(of.good)}, weak below {written(of.weak)}."
    return Verdict(part, title, word, " ".join((found.said, *found.doubts)), limits)


def in_short(lines: Sequence[Verdict]) -> str:
    """The word of the lines that need most care, and which these are.

    >>> titles = ("Judged share", "Leave-one-team-out", "Split-half")
    >>> in_short([Verdict("", title, word, "") for title, word in zip(titles, ("care", "good", "weak"), strict=True)])
    'weak in “split-half”'
    >>> in_short([Verdict("", title, word, "") for title, word in zip(titles, ("care", "good", "care"), strict=True)])
    'care in “judged share” and “split-half”'
    >>> in_short([Verdict("", "", "good", "")] * 4), in_short([Verdict("", "", "weak", "")] * 4)
    ('good', 'weak in all 4 lines')
    """
    found = {line.word for line in lines}
    worst = next(word for word in (WEAK, CARE, NOT_KNOWN, GOOD) if word in found)
    if worst == GOOD:
        return worst
    of_worst = [f"“{line.title.lower()}”" for line in lines if line.word == worst]
    return f"{worst} in " + (f"all {len(lines)} lines" if len(of_worst) == len(lines) else listed(of_worst))


def on_new_systems(data: Data) -> Verdict:
    """Say whether a system that was not in the pool may be scored with these qrels, as far as the first two lines tell.

    It is told of systems like those that were left out, and of no others.

    >>> rows = [{"team": "north", "tau": 0.95, "largest_fall": 1}, {"team": "south", "tau": 1.0, "largest_fall": 0}]
    >>> data = {"judged": [{"run": "bm25", "first_10": 0.9}], "without_unique_documents": rows, "topics": 50, "runs": [1] * 5}
    >>> found = on_new_systems({**data, "depth_from": "pool", "is_exact": True, "reasons": {}})
    >>> print(found.word, found.said[:48])
    good Yes, if it is like the systems that were left ou
    """
    judged, teams = (_verdict(data, *line) for line in LINES[:2])
    if teams.word == NOT_KNOWN:
        return _answer(NOT_KNOWN, f"Not known: {_within(teams.said)}")
    rows = data["without_unique_documents"]
    of_teams, doubts = _lowest(rows)[0], _teams(data).doubts
    fall = number_of(max(row["largest_fall"] for row in rows), "rank")
    of_order = f"without the documents of one team τ is {of_teams:.3f} at worst, and a run falls {fall} at most"
    never_judged = any(row.get("never_judged") for row in rows)
    open_ = [*doubts, *([judged.said] if judged.word == NOT_KNOWN else [])]
    not_shown = _answer(CARE, f"This report does not show that it may: {_within(' '.join(open_))}")
    if _too_few(data):
        return not_shown
    if teams.word == WEAK and not never_judged:
        return _answer(WEAK, f"Not without further judgments: {of_order}.")
    if judged.word == WEAK:
        return _answer(WEAK, f"Not without further judgments: even of a run of this board {_share(data)} are judged.")
    if open_:
        return not_shown
    is_good = judged.word == teams.word == GOOD
    answer = "Yes, if it is" if is_good else "With care, and only if it is"
    figures = f"{of_order}; of each run {_least(data)} are judged"
    nothing = "of systems unlike all of these the report tells nothing"
    return _answer(GOOD if is_good else CARE, f"{answer} like the systems that were left out: {figures}; {nothing}.")


def _answer(word: str, said: str) -> Verdict:
    return Verdict("", "May a system that was not in the pool be scored with these qrels?", word, said)


def _least_share(data: Data) -> float:
    return float(min(row["first_10"] for row in data["judged"] if row["first_10"] is not None))


def _share(data: Data) -> str:
    return f"{100 * round(_least_share(data), 3):.1f} % of the first 10 documents"


def _least(data: Data) -> str:
    """Of a share below 1 that is written as 100.0 %, nearly all."""
    least = _least_share(data)
    if least == 1:
        return "all of the first 10 documents"
    return "nearly all of the first 10 documents" if round(least, 3) == 1 else f"{_share(data)} or more"


def _within(sentences: str) -> str:
    """Put sentences behind a colon."""
    return sentences[:1].lower() + sentences[1:]


def _judged(data: Data) -> _Figure:
    if data.get("only_relevant"):
        raise _NotKnownError(ONLY_RELEVANT)
    known = [row for row in data["judged"] if row["first_10"] is not None]
    if not known:
        raise _NotKnownError("No run answers a topic of the qrels.")
    least = min(known, key=lambda row: row["first_10"])
    share = round(least["first_10"], 3)  # as it is written
    return _Figure(share, f"Least: {100 * share:.1f} % of the first 10 documents of {least['run']}.")


def _teams(data: Data) -> _Figure:
    if "depth_from" not in data:
        raise _NotKnownError(VERSION_1_0)
    rows = data["without_unique_documents"]
    value, row = _lowest(rows)
    return _Figure(value, f"Lowest τ {value:.3f}, without team {row['team']}.", (*_too_few(data), *_doubts(data, rows)))


def _doubts(data: Data, rows: list[dict[str, Any]]) -> Iterator[str]:
    never_judged = max(row.get("never_judged", 0) for row in rows)
    if never_judged:
        unknown = number_of(never_judged, "document")
        yield f"A pool without one team has up to {unknown} that nobody judged: a high τ is no evidence."
    elif not (data["is_exact"] or data.get("is_redrawn")):
        yield "Without the team more documents than these would be missing: a high τ is no evidence."
    if data.get("not_pooled"):
        yield f"{number_of(len(data['not_pooled']), 'run was,runs were')} not pooled: nothing is known of these."


def _topics(data: Data) -> _Figure:
    value, row = _lowest(data["without_a_topic"])
    return _Figure(value, f"Lowest τ {value:.3f}, without topic {row['topic']}.", _too_few(data))


def _halves(data: Data) -> _Figure:
    value = round(data["split_half"]["mean"], 3)
    return _Figure(value, f"Mean τ {value:.3f} between two halves of the topics.", _too_few(data))


def _too_few(data: Data) -> tuple[str, ...]:
    counts = ((data["topics"], "topic", FEWEST_TOPICS), (len(data["runs"]), "run", FEWEST_RUNS))
    return tuple(
        f"{number_of(count, what)} can show little: {fewest} or more are needed."
        for count, what, fewest in counts
        if count < fewest
    )


def _lowest(rows: list[dict[str, Any]]) -> tuple[float, dict[str, Any]]:
    known = [row for row in rows if row["tau"] is not None]
    if not known:
        raise _NotKnownError(ALL_EQUAL)
    row = min(known, key=lambda row: row["tau"])
    return round(row["tau"], 3), row


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _tau(value: float) -> str:
    return f"τ {value:.1f}"


LINES: Final = (
    ("judged", "Judged share", "judged", JUDGED, _judged),
    ("teams", "Leave-one-team-out", "without_unique_documents", LEFT_OUT, _teams),
    ("topics", "Leave-one-topic-out", "without_a_topic", LEFT_OUT, _topics),
    ("halves", "Split-half", "split_half", HALVES, _halves),
)
