"""The report for a reader at a terminal."""

from collections.abc import Iterator
from typing import Any, Final

from campaign.text.plurals import listed, number_of

BUDGET: Final = {"groups": "over groups", "assessors": "SD by assessors", "draws": "SD by the draw"}


def lines(data: dict[str, Any]) -> Iterator[str]:
    """One paragraph for each part: the figures, and a sentence on what they mean."""
    runs, teams = number_of(len(data["runs"]), "run"), number_of(len(data["teams"]), "team")
    topics = number_of(data["topics"], "topic")
    yield f"{data['measure']}: {runs}, {teams}, {topics}; {_depth(data)}\n"
    for part in (_judged, _teams, _kinds, _topics, _halves, _measures, _saturation, _assessors, _budget, _few):
        yield "\n"
        yield from (f"{line}\n" for line in part(data))


def _depth(data: dict[str, Any]) -> str:
    if data["depth_from"] is None:
        return "depth of the pool: not known"
    reach = "whole runs" if data["depth"] is None else f"to rank {data['depth']:,}"
    return f"found: {reach}, {'as given' if data['depth_from'] == 'pool' else 'as far as all are judged'}"


def _judged(data: dict[str, Any]) -> Iterator[str]:
    yield "Judged. Documents without a judgment count as not relevant: compare runs with a low share with care."
    for row in data["judged"]:
        yield f"  {row['run']}: first 10 {_percent(row['first_10'])}, first 100 {_percent(row['first_100'])}"


def _teams(data: dict[str, Any]) -> Iterator[str]:
    yield "Without the relevant documents that only one team found. Low tau: a team left out of the pool would be misjudged."
    yield from _left_out(data, "without_unique_documents", "team")
    yield "  In brackets: where tau would lie with as many other topics, in 9 of 10 cases or more; a tau of 1 has no such range."


def _kinds(data: dict[str, Any]) -> Iterator[str]:
    yield "Without the relevant documents that only one kind of system found. Low tau: a pool without this kind misjudges it."
    yield from _left_out(data, "without_unique_documents_by_kind", "kind")


def _left_out(data: dict[str, Any], part: str, what: str) -> Iterator[str]:
    if data[part] is None:
        yield f"  {data['reasons'][part]}"
        return
    for row in data[part]:
        fall = f", {row['falling_run']} falls {number_of(row['largest_fall'], 'rank')}" if row["largest_fall"] else ""
        found = number_of(row["unique"], "document")
        change = f"{row['change_of_best_run']:+.4f}"
        yield f"  {row[what]}: {found} of its own, tau {_tau(row)}{fall}, its best run {change}"


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


def _halves(data: dict[str, Any]) -> Iterator[str]:
    yield "Halves of the topics. Tau between the orders by two halves: how far as many other topics would order the runs alike."
    found = data["split_half"]
    if found is None:
        yield f"  {data['reasons']['split_half']}"
        return
    drawn = f"{number_of(found['draws'], 'draw')} of twice {number_of(found['topics'], 'topic')}"
    yield f"  tau {found['mean']:.3f} in the mean, 95 % of draws from {found['low']:.3f} to {found['high']:.3f}; {drawn}"
    if found["interval"] is not None:
        low, high = found["interval"]
        new = f"between two new sets of {number_of(found['topics'], 'topic')}"
        yield f"  {new}, which share less: from {low:.3f} to {high:.3f} in about 9 of 10 cases"
        yield "  (7 to 8 of 10 where runs differ on few topics, or a few values lie far from all others)"


def _measures(data: dict[str, Any]) -> Iterator[str]:
    yield "Discriminative power. Pairs that the step-down max-T test shows to differ (p < .05); topics that would tell"
    yield "a difference of means with a power of .8: for nine of ten pairs, each by itself (paired t-test); for a pair among all"
    yield "runs (Tukey HSD, if all runs vary alike; the max-T test then needs more: in simulations it showed the difference on"
    yield "49 to 80 % of boards with so many topics); for any of all runs (F test). In brackets the range in which they may be in"
    yield "truth, in about 9 of 10 cases (6 to 8 of 10 where a few values lie far from all others)."
    for row in data["measures"]:
        if row["shown"] is None:
            reason = "no two runs have two topics in common" if row["pairs"] else "one run only, nothing to compare"
            yield f"  {row['measure']}: {reason}"
            continue
        smallest = (
            "" if row["smallest_shown"] is None else f", the smallest difference shown {row['smallest_shown']:.4f}"
        )
        design = row["design"] or {}
        of_board = [_needed(design, name) for name in ("topics_for_a_pair", "topics_for_any")] if design else []
        needed = "; ".join([_needed(row, "topics_needed"), *of_board])
        shown = f"{_percent(row['shown'])} of {number_of(row['pairs'], 'pair')}{smallest}"
        shown = shown if row["can_show"] else "too few topics of all runs to show a difference"
        yield f"  {row['measure']}: {shown}; for a difference of {row['difference']:g}: {needed}"


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


def _assessors(data: dict[str, Any]) -> Iterator[str]:
    yield "Assessors. The order of the runs under each set of judgments of the same documents, and under their union."
    found = data["assessor_effect"]
    if found is None:
        yield f"  {data['reasons']['assessor_effect']}"
        return
    sets = listed([f"{one['set']} {one['file']}" for one in found["assessors"]])
    overlap = "no relevant one" if found["overlap"] is None else f"overlap of the relevant ones {found['overlap']:.3f}"
    documents, topics = number_of(found["documents"], "document"), number_of(found["topics"], "topic")
    yield f"  {sets}: {documents} of {topics}, {overlap}"
    for row in found["pairs"]:
        fall = f", {row['falling_run']} falls {number_of(row['largest_fall'], 'rank')}" if row["largest_fall"] else ""
        yield f"  {row['first']} and {row['second']}: tau {_tau(row)}, tau-AP {_number(row['tau_ap'])}{fall}"


def _budget(data: dict[str, Any]) -> Iterator[str]:
    yield "Uncertainty. ±: half of the 95 % interval over topics, and over groups of topics that share no assessor. SD: with"
    yield "these topics, if each were judged by another assessor of its own, and if other documents of the sample had been drawn."
    found = data["error_budget"]
    if found is None:
        yield f"  {data['reasons']['error_budget']}"
        return
    yield from (f"  not known, {BUDGET[part]}: {why}" for part, why in found["missing"].items())
    for row in found["means"]:
        yield f"  {row['run']}: {row['mean']:.4f}{_parts(row)}"
    for row in found["differences"]:
        yield f"  {row['run']} and {row['next']}: {row['difference']:+.4f}{_parts(row)}"
    if found["strata_of_one"]:
        yield f"  At least, by the draw: {number_of(found['strata_of_one'], 'stratum,strata')} with one judged document."


def _parts(row: dict[str, Any]) -> str:
    named = (
        ("; over topics ± {:.4f}", "half_width"),
        (", over groups ± {:.4f}", "half_width_over_groups"),
        (", by assessors SD {:.4f}", "deviation_by_assessors"),
        (", by the draw SD {:.4f}", "deviation_by_draws"),
    )
    return "".join(words.format(row[name]) for words, name in named if row[name] is not None)


def _few(data: dict[str, Any]) -> Iterator[str]:
    yield "Topics with few relevant documents tell runs apart by chance; those where nearly all are, by what is not."
    found = data["topics_with_few_relevant"]
    for name, words in (("none", "none"), ("one_or_two", "1 or 2"), ("below_five", "3 or 4")):
        yield f"  {words}: {listed(found[name]) if found[name] else 'no topic'}"
    nearly_all = [row["topic"] for row in data["topics_nearly_all_relevant"]]
    yield f"  more than nine of ten judged: {listed(nearly_all) if nearly_all else 'no topic'}"


def _needed(row: dict[str, Any], name: str) -> str:
    topics, bounds = row[name], row[f"{name}_interval"]
    needed = "more than 100,000 topics" if topics is None else number_of(topics, "topic")
    if bounds is None:
        return needed
    low, high = ("over 100,000" if bound is None else f"{bound:,}" for bound in bounds)
    return f"{needed} ({low} to {high})"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _tau(row: dict[str, Any]) -> str:
    if row["tau_interval"] is None:
        return _number(row["tau"])
    low, high = row["tau_interval"]
    return f"{_number(row['tau'])} ({low:.3f} to {high:.3f})"


def _number(number: float | None) -> str:
    return "not defined" if number is None else f"{number:.3f}"
