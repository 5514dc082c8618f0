"""The report for a reader at a terminal."""

from collections.abc import Iterator
from typing import Any

from campaign.words import listed, number_of


def lines(data: dict[str, Any]) -> Iterator[str]:
    """One paragraph for each part: the figures, and a sentence on what they mean."""
    runs, teams = number_of(len(data["runs"]), "run"), number_of(len(data["teams"]), "team")
    topics = number_of(data["topics"], "topic")
    yield f"{data['measure']}: {runs}, {teams}, {topics}; found: to rank {data['depth']}\n"
    for part in (_judged, _unique, _topics, _measures, _saturation, _few):
        yield "\n"
        yield from (f"{line}\n" for line in part(data))


def _judged(data: dict[str, Any]) -> Iterator[str]:
    yield "Judged. Documents without a judgment count as not relevant: compare runs with a low share with care."
    for row in data["judged"]:
        yield f"  {row['run']}: first 10 {_percent(row['first_10'])}, first 100 {_percent(row['first_100'])}"


def _unique(data: dict[str, Any]) -> Iterator[str]:
    yield "Without the relevant documents that only one team found. Low tau: a team left out of the pool would be misjudged."
    if data["without_unique_documents"] is None:
        yield f"  {data['reasons']['without_unique_documents']}"
        return
    for row in data["without_unique_documents"]:
        fall = f", {row['falling_run']} falls {number_of(row['largest_fall'], 'rank')}" if row["largest_fall"] else ""
        found = number_of(row["unique"], "document")
        change = f"{row['change_of_best_run']:+.4f}"
        yield f"  {row['team']}: {found} of its own, tau {_number(row['tau'])}{fall}, its best run {change}"


def _topics(data: dict[str, Any]) -> Iterator[str]:
    yield "Without one topic. A topic whose absence changes the order decides more than one topic should."
    rows = data["without_a_topic"]
    if rows is None:
        yield f"  {data['reasons']['without_a_topic']}"
        return
    moving = sorted((row for row in rows if row["largest_fall"]), key=lambda row: -row["largest_fall"])
    if not moving:
        yield "  No run loses a rank whichever topic is left out."
    for row in moving[:5]:
        fall = number_of(row["largest_fall"], "rank")
        yield f"  without {row['topic']}: tau {_number(row['tau'])}, {row['falling_run']} falls {fall}"


def _measures(data: dict[str, Any]) -> Iterator[str]:
    yield "Told apart. Pairs of runs that randomised Tukey HSD shows to differ (p < .05); topics that would tell a difference"
    yield "of means for nine of ten pairs, each by itself, with a power of .8."
    for row in data["measures"]:
        if row["shown"] is None:
            yield f"  {row['measure']}: one run only, nothing to compare"
            continue
        smallest = (
            "" if row["smallest_shown"] is None else f", the smallest difference shown {row['smallest_shown']:.4f}"
        )
        needed = (
            "more than 100,000 topics" if row["topics_needed"] is None else number_of(row["topics_needed"], "topic")
        )
        shown = f"{_percent(row['shown'])} of {number_of(row['pairs'], 'pair')}{smallest}"
        yield f"  {row['measure']}: {shown}; {needed} for a difference of {row['difference']:g}"


def _saturation(data: dict[str, Any]) -> Iterator[str]:
    yield "Found. What fewer runs or teams would have found, of the judged relevant documents; unfound ones are not known."
    found = data["saturation"]
    if found is None:
        yield f"  {data['reasons']['saturation']}"
        return
    for what in ("runs", "teams"):
        shares = found[what]["shares"]
        half = shares[(len(shares) - 1) // 2]
        last = f"the last of them adds {found[what]['last_adds']:.1f}"
        yield f"  {what}: half of them {_percent(half)}, all {_percent(shares[-1])} of {found['relevant']:,}; {last}"


def _few(data: dict[str, Any]) -> Iterator[str]:
    yield "Topics with few relevant documents tell runs apart by chance."
    found = data["topics_with_few_relevant"]
    for name, words in (("none", "none"), ("one_or_two", "1 or 2"), ("below_five", "3 or 4")):
        yield f"  {words}: {listed(found[name]) if found[name] else 'no topic'}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _number(number: float | None) -> str:
    return "not defined" if number is None else f"{number:.3f}"
