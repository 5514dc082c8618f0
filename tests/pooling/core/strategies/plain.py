"""Every strategy once more, in plain Python: lists and dicts, one document after another."""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from itertools import count

from pooling.core.strategies.declaration import PooledRun

Lists = dict[str, list[list[str]]]
"""For each topic the document lists of the runs that answer it."""
UNIT = 2**48


def lists(runs: list[PooledRun], depth: int) -> Lists:
    held: Lists = defaultdict(list)
    for run in runs:
        ranked: dict[str, dict[int, str]] = defaultdict(dict)
        for topic, docno, position in run.ranking.select("topic", "docno", "position").iter_rows():
            ranked[topic][position] = docno
        for topic, by_position in ranked.items():
            held[topic].append([by_position[position] for position in sorted(by_position)][:depth])
    return held


def shares(runs: list[PooledRun], depth: int) -> dict[tuple[str, str], list[float]]:
    """The shares of each topic's documents in the runs that hold them within the depth."""
    held: dict[tuple[str, str], list[float]] = defaultdict(list)
    for run in runs:
        rows = list(run.ranking.select("topic", "docno", "position", "score").iter_rows())
        for topic, docno, position, score in rows:
            of_topic = [other for name, *_, other in rows if name == topic]
            low, high = min(of_topic), max(of_topic)
            share = (score / 2 - low / 2) / (high / 2 - low / 2) if high > low else 1.0
            if position <= depth:
                held[topic, docno].append(share)
    return held


def positions(of_topic: list[list[str]]) -> dict[str, list[int]]:
    held: dict[str, list[int]] = defaultdict(list)
    for ranked in of_topic:
        for position, docno in enumerate(ranked, start=1):
            held[docno].append(position)
    return held


def number(seed: int, topic: str, docno: str) -> int:
    """What the generator draws for a document."""
    return int.from_bytes(blake2b(f"{seed} select {topic} {docno}".encode(), digest_size=8).digest(), "big") >> 11


def rbp_terms(p: float) -> Iterator[int]:
    term = 1 - p
    for _ in count():
        yield round(term * UNIT)
        term *= p


def rbp_weight(held: list[int], p: float) -> int:
    terms = [term for term, _ in zip(rbp_terms(p), range(max(held)), strict=False)]
    return sum(terms[position - 1] for position in held)


def weight(name: str, held: list[int], of_shares: list[float], values: dict) -> tuple[float, ...]:
    """What the strategy ranks a document by, the largest first, from its positions in the runs."""
    match name:
        case "rrf":
            return (sum(round(UNIT / (values["kappa"] + position)) for position in held),)
        case "borda":
            return (sum(values["depth"] - position + 1 for position in held),)
        case "combmnz":
            return (len(of_shares) * sum(round(share * UNIT) for share in of_shares),)
        case "rbp":
            return (rbp_weight(held, values["p"]),)
        case "ntcir":
            return (len(held), -sum(held))
    raise ValueError(name)


def best_first(name: str, runs: list[PooledRun], values: dict, seed: int) -> dict[str, list[str]]:
    """The pool of a strategy that takes a topic's best documents, by topic, the best first."""
    taken, of_shares = {}, shares(runs, values["depth"])
    for topic, of_topic in lists(runs, values["depth"]).items():
        held = positions(of_topic)
        keys = {
            docno: (
                tuple(-part for part in weight(name, held[docno], of_shares[topic, docno], values)),
                min(held[docno]),
                number(seed, topic, docno),
                docno.encode(),
            )
            for docno in held
        }
        taken[topic] = sorted(held, key=keys.__getitem__)[: values["size"]]
    return taken


def budget(runs: list[PooledRun], values: dict, topics: list[str], seed: int) -> dict[str, list[str]]:
    """The pool of a fixed budget, by topic, in its own order."""
    held = {topic: positions(of_topic) for topic, of_topic in lists(runs, values["depth"]).items() if topic in topics}
    depth = values["depth"]
    while sum(min(values["size"], in_depth(found, depth)) for found in held.values()) > values["total"] and depth:
        depth -= 1
    ordered, firsts, left = {}, set(), []
    for topic, found in held.items():
        ties = {docno: (min(found[docno]), number(seed, topic, docno), docno.encode()) for docno in found}
        weights = {docno: rbp_weight(found[docno], values["p"]) for docno in found}
        base = [docno for docno in found if min(found[docno]) <= depth]
        base.sort(key=lambda docno: (min(found[docno]), -weights[docno], ties[docno]))
        rest = sorted(set(found) - set(base), key=lambda docno: (-weights[docno], ties[docno]))
        ordered[topic] = (base + rest)[: values["size"]]
        first = ordered[topic][: len(base) or 1]
        firsts |= {(topic, docno) for docno in first}
        left += [
            ((-weights[docno], ties[docno], topics.index(topic)), (topic, docno))
            for docno in ordered[topic]
            if docno not in first
        ]
    taken = firsts | {pair for _, pair in sorted(left)[: values["total"] - len(firsts)]}
    return {topic: [docno for docno in docnos if (topic, docno) in taken] for topic, docnos in ordered.items()}


def in_depth(found: dict[str, list[int]], depth: int) -> int:
    return sum(min(held) <= depth for held in found.values())
