"""PURE: what each part of a report found, in a sentence; a part that is missing says why."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from campaign.text.plurals import listed, number_of

Data = Mapping[str, Any]
MOST_NAMED: Final = 5
ONLY_RELEVANT: Final = (
    "The qrels hold relevant documents only: what was judged and is not relevant cannot be told from "
    "what was not judged."
)
ALL_EQUAL: Final = "All runs have equal means: there is no order."


def findings(data: Data) -> dict[str, str]:
    """By the name of each part of a report what it found, or the reason why it is missing.

    >>> part = {"relevant": 5, "runs": {"shares": [0.6, 1.0], "last_adds": 2.0}, "teams": None}
    >>> findings({"saturation": part, "split_half": None, "reasons": {"split_half": "One topic."}})
    {'split_half': 'One topic.', 'saturation': 'The last of 2 runs adds 2.0 of the 5 judged relevant documents.'}
    """
    return {
        name: data["reasons"][name] if data[name] is None else said(data) for name, said in SAID.items() if name in data
    }


def _judged(data: Data) -> str:
    if data.get("only_relevant"):
        return ONLY_RELEVANT
    known = [row for row in data["judged"] if row["first_10"] is not None]
    if not known:
        return "No run answers a topic of the qrels."
    lowest = min(known, key=lambda row: row["first_10"])
    if lowest["first_10"] >= 1:
        return "All first 10 documents of all runs are judged."
    whole = sum(row["first_10"] >= 1 for row in known)
    least = f"{lowest['run']}, {_percent(lowest['first_10'])} of its first 10 documents judged"
    if not whole:
        return f"Lowest: {least}. No run has all of them judged."
    return f"Lowest: {least}. Of {number_of(len(known), 'run')} {whole} {'has' if whole == 1 else 'have'} all of them judged."


def _by_teams(data: Data) -> str:
    return _left_out(data["without_unique_documents"], "team")


def _by_kinds(data: Data) -> str:
    return _left_out(data["without_unique_documents_by_kind"], "kind")


def _left_out(rows: list[dict[str, Any]], what: str) -> str:
    known = [row for row in rows if row["tau"] is not None]
    if not known:
        return ALL_EQUAL
    lowest = min(known, key=lambda row: row["tau"])
    moved = (
        f"; {lowest['falling_run']} would fall {number_of(lowest['largest_fall'], 'rank')}"
        if lowest["largest_fall"]
        else ""
    )
    return f"Lowest: τ {lowest['tau']:.3f} without the documents of {what} {lowest[what]}{moved}."


def _topics(data: Data) -> str:
    rows = data["without_a_topic"]
    worst = max(rows, key=lambda row: row["largest_fall"])
    if not worst["largest_fall"]:
        return "No run loses a rank, whichever topic is left out."
    moving = sum(row["largest_fall"] > 0 for row in rows)
    fall = f"{worst['falling_run']} falls {number_of(worst['largest_fall'], 'rank')}"
    as_far = sum(row["largest_fall"] == worst["largest_fall"] for row in rows) - 1
    others = f"as far as one does without {number_of(as_far, 'other topic')}" if as_far else "the most of all"
    return f"Without topic {worst['topic']}, {fall}, {others}. {moving} of {number_of(len(rows), 'topic')} move a run."


def _halves(data: Data) -> str:
    found = data["split_half"]
    drawn = f"{found['defined']:,} draws of twice {number_of(found['topics'], 'topic')}"
    return f"τ {found['mean']:.3f} in the mean; 95 % of draws from {found['low']:.3f} to {found['high']:.3f} ({drawn})."


def _measures(data: Data) -> str:
    known = [row for row in data["measures"] if row["shown"] is not None]
    if not known:
        several = any(row["pairs"] for row in data["measures"])
        return "No two runs have two topics in common." if several else "There is one run: nothing to tell apart."
    best = max(known, key=lambda row: row["shown"])
    if not any(row.get("can_show", True) for row in known):
        return "Too few topics have values of all runs: with five or fewer the test shows no difference, however large."
    if not best["shown"]:
        return f"No measure tells two runs apart: 0 of {number_of(best['pairs'], 'pair')}."
    return f"{best['measure']} tells most pairs apart: {_percent(best['shown'])} of {number_of(best['pairs'], 'pair')}."


def _saturation(data: Data) -> str:
    found = data["saturation"]
    what = "runs" if found["teams"] is None else "teams"
    last = f"{found[what]['last_adds']:.1f} of the {found['relevant']:,} judged relevant documents"
    return f"The last of {len(found[what]['shares'])} {what} adds {last}."


def _assessors(data: Data) -> str:
    found = data["assessor_effect"]
    two = found["pairs"][0]
    overlap = (
        "no document is relevant"
        if found["overlap"] is None
        else f"overlap of relevant documents {found['overlap']:.2f}"
    )
    tau = "no order, since runs are equal" if two["tau"] is None else f"τ {two['tau']:.3f}"
    documents = f"{number_of(found['documents'], 'document')} of {number_of(found['topics'], 'topic')} judged by both"
    return f"Between {two['first']} and {two['second']} assessor: {tau}; {overlap}; {documents}."


def _budget(data: Data) -> str:
    return " ".join((_of_groups(data["error_budget"], data["topics"]), *_shares(data["error_budget"])))


def _of_groups(found: Data, topics: int) -> str:
    if found["groups"] == topics:
        return "No two topics share an assessor: the intervals of the board hold what assessors add."
    why = found["missing"].get("groups")
    if why is None:
        groups = f"{found['groups']} groups of topics that share no assessor"
        return f"There are {groups}: the wider interval holds what assessors add to several topics."
    return f"No interval here holds what assessors add to several topics alike. {why}"


def _shares(found: Data) -> Iterator[str]:
    """What other assessors and other draws would move with these topics, as shares of the variance, or why that is not known."""
    of_all = "of the variance of a difference of neighbours (median)."
    for part, what, brings in PARTS_OF_VARIANCE:
        share, why = found[f"share_by_{part}"], found["missing"].get(part)
        if why is not None:
            yield f"What {what} add{'s' * (brings == 'brings')} is not known. {why}"
        elif share is not None:
            least = "at least " if part == "draws" and found["strata_of_one"] else ""
            much = f"{least}{_percent(share)}" if share <= 1.0 else "by this estimate as much as all"
            yield f"{what[0].upper()}{what[1:]} {brings} {much} {of_all}"


def _few(data: Data) -> str:
    found = data["topics_with_few_relevant"]
    counts = [f"{len(found[key])} with {words}" for key, words in FEW if found[key]]
    return (
        f"Of {number_of(data['topics'], 'topic')} {listed(counts)} relevant."
        if counts
        else "Every topic has five or more relevant documents."
    )


def _nearly_all(data: Data) -> str:
    rows = data["topics_nearly_all_relevant"]
    if not rows:
        return "No topic has more than nine of ten judged documents relevant."
    named = [row["topic"] for row in rows[:MOST_NAMED]]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    return f"More than nine of ten judged documents are relevant in {number_of(len(rows), 'topic')}: {', '.join(named)}{more}."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


PARTS_OF_VARIANCE: Final = (
    ("assessors", "judgments by one assessor of its own for each topic", "bring"),
    ("draws", "the draw of the judged documents", "brings"),
)
FEW: Final = (("none", "none"), ("one_or_two", "1 or 2"), ("below_five", "3 or 4"))
SAID: Final[Mapping[str, Callable[[Data], str]]] = {
    "judged": _judged,
    "without_unique_documents": _by_teams,
    "without_unique_documents_by_kind": _by_kinds,
    "without_a_topic": _topics,
    "split_half": _halves,
    "measures": _measures,
    "saturation": _saturation,
    "assessor_effect": _assessors,
    "error_budget": _budget,
    "topics_with_few_relevant": _few,
    "topics_nearly_all_relevant": _nearly_all,
}
