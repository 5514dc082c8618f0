"""Find the violations in a run's columns: the same findings as those of `RunLines`, which reads line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.natural_order import natural_order
from campaign.formats.runs.by_column.batches import Mask
from campaign.formats.runs.by_column.line_rules import LineRules, too_long
from campaign.formats.runs.by_column.orders import rises
from campaign.formats.runs.by_column.repeated_docnos import Places, first_of
from campaign.formats.runs.by_column.topics import TopicLines, best
from campaign.formats.runs.by_line.reader import CONSTANT_FROM, RunLines, told_topics
from campaign.formats.runs.findings import MORE_PLACES, Findings
from campaign.formats.runs.rules import RunRules

SHOWN = 1 + MORE_PLACES


class ColumnFindings:
    """Collects the findings of all rules, and which places do not count. `line_of` gives a line's text by its number."""

    def __init__(self, rules: RunRules, of_lines: LineRules, line_of: Callable[[int], bytes]) -> None:
        self.findings = Findings()
        self._rules = rules
        self._tag = of_lines.tag
        self._line_of = line_of
        for code, count in of_lines.broken.counts.items():
            first, *more = of_lines.broken.first[code]
            self._put_as_line_reader(code, first, count, [str(number) for number in more])

    def check_topics(self, lines: TopicLines) -> Mask | None:
        """Check the rules about topics and the whole file; return which places count, None if all do."""
        is_known = self.known(lines.names)
        is_long = too_long(lines.docno) if "docno_long" in self.findings else None
        chosen = best(lines, is_known, is_long, self._rules.max_documents_per_topic)
        self._check_names(lines, is_known)
        self._check_repeated(lines)
        self._check_depths(lines, is_known, chosen.ties)
        self._check_ranks(lines)
        self._check_constant_scores(lines)
        self._check_rises(lines)
        self._check_answered(lines.names)
        return _counting(lines, is_known, is_long, chosen.surplus)

    def known(self, names: pl.Series) -> Mask:
        """Return a mask of the names that are topics of the task."""
        if self._rules.topics is None:
            return np.ones(len(names), bool)
        return names.is_in(pl.Series([sorted(self._rules.topics)], dtype=pl.List(pl.String))).to_numpy()

    def _check_names(self, lines: TopicLines, is_known: Mask) -> None:
        unknown = np.flatnonzero(~is_known)
        if len(unknown):
            names = lines.names.gather(unknown[1:SHOWN]).to_list()
            self._put_as_line_reader("topic_unknown", lines.number(lines.starts[unknown[0]]), len(unknown), names)
        if not lines.is_grouped:
            again = _second_blocks(lines)
            names = lines.names.gather(lines.blocks.topic[again[:SHOWN]]).to_list()
            number = lines.number_in_file(int(lines.blocks.start[again[0]]))
            self._put("topic_ungrouped", number, len(again), names[1:], topic=names[0])

    def _check_repeated(self, lines: TopicLines) -> None:
        if len(lines.repeated):
            places = lines.repeated[np.argsort(lines.numbers(lines.repeated), kind="stable")]
            first, *more = lines.numbers(places[:SHOWN]).tolist()
            place = int(places[0])
            earlier = lines.number(first_of(lines.docno, lines.ends, place))
            values = {"docno": lines.docno[place], "topic": self._topic(lines, place)}
            self._put(
                "docno_duplicate", first, len(places), [str(number) for number in more], **values, first=str(earlier)
            )

    def _check_depths(self, lines: TopicLines, is_known: Mask, ties: Places) -> None:
        limit = self._rules.max_documents_per_topic
        short = np.flatnonzero(is_known & (lines.documents < limit))
        self._put_topics("topic_short", lines, lines.starts[short], lambda place: self._depth(lines, place))
        deep = np.flatnonzero(is_known & (lines.documents > limit))
        beyond = (lines.document_ends - lines.documents)[deep] + limit
        places = beyond if lines.distinct is None else lines.distinct[beyond]
        self._put_topics("topic_too_deep", lines, places, lambda place: self._depth(lines, place))
        self._put_topics(
            "tie_at_cut",
            lines,
            ties,
            lambda place: {"limit": limit, "next": limit + 1, "score": repr(lines.score[place])},
        )

    def _depth(self, lines: TopicLines, place: int) -> dict[str, object]:
        documents = int(lines.documents[lines.topic[place]])
        return {"documents": documents, "limit": self._rules.max_documents_per_topic}

    def _check_ranks(self, lines: TopicLines) -> None:
        ranks = lines.rank
        if not ranks.null_count() and ranks.min() == ranks.max() and (lines.documents > 1).any():
            self._put("rank_constant", lines.number_in_file(0), 1, [], rank=str(ranks[0]))

    def _check_constant_scores(self, lines: TopicLines) -> None:
        scores, starts, ends = lines.score.drop_nulls().to_numpy(), lines.starts, lines.ends
        if lines.score.null_count():
            with_score = lines.score.is_not_null().to_numpy()
            before = np.concatenate([[0], np.cumsum(with_score)])
            starts, ends = before[starts], before[ends]
        sizes = ends - starts
        asked = np.flatnonzero(sizes >= CONSTANT_FROM)
        if not len(asked):
            return
        bounds = np.stack([starts[asked], ends[asked]], axis=1).ravel()
        bounds = bounds[:-1] if bounds[-1] == len(scores) else bounds
        lowest, highest = (extreme.reduceat(scores, bounds)[::2] for extreme in (np.minimum, np.maximum))
        constant = asked[lowest == highest]
        places = lines.starts[constant]
        if lines.score.null_count():
            places = np.flatnonzero(with_score)[starts[constant]]
        self._put_topics(
            "score_constant",
            lines,
            places,
            lambda place: {"documents": int(sizes[lines.topic[place]]), "score": repr(lines.score[place])},
        )

    def _check_rises(self, lines: TopicLines) -> None:
        rising = rises(lines)
        if rising.is_reversed:
            self.findings.put("score_reversed", None, "", 1, ())
        else:
            self._put_topics("score_rises", lines, rising.places, lambda _: {})

    def _check_answered(self, names: pl.Series) -> None:
        topics = self._rules.topics or frozenset()
        missing = sorted(topics.difference(names.to_list()), key=natural_order) if topics else []
        if topics and len(missing) == len(topics):
            self.findings.put("no_known_topic", None, "", 1, (), topic=min(topics, key=natural_order))
        elif missing:
            values = {"missing": len(missing), "topics": len(topics), "numbers": told_topics(missing)}
            self.findings.put("topic_missing", None, "", len(missing), (), **values)

    def _put_topics(
        self, code: str, lines: TopicLines, places: Places, values: Callable[[int], Mapping[str, object]]
    ) -> None:
        """Record one violation per topic; `places` index the lines that show them."""
        if len(places):
            numbers = lines.numbers(places)
            shown = places[np.argsort(numbers, kind="stable")[:SHOWN]]
            names = lines.names.gather(lines.topic[shown]).to_list()
            first = int(shown[0])
            self._put(code, lines.number(first), len(places), names[1:], topic=names[0], **values(first))

    def _topic(self, lines: TopicLines, place: int) -> str:
        return str(lines.names[int(lines.topic[place])])

    def _put(self, code: str, number: int, count: int, more: Sequence[str], **values: object) -> None:
        self.findings.put(code, number, self._line_of(number), count, more, **values)

    def _put_as_line_reader(self, code: str, number: int, count: int, more: Sequence[str]) -> None:
        """Record a finding with the values that the line reader finds for the first line."""
        text = self._line_of(number)
        reader = RunLines(self._rules, tag=self._tag)
        reader.read([(number, b" " + text)])  # the blank keeps a # from looking like the head of a file
        values = next(finding.values for finding in reader.findings if finding.code == code)
        self._put(code, number, count, more, **values)


def _second_blocks(lines: TopicLines) -> NDArray[np.int64]:
    """Return the index of the second block of each topic that has several, in file order."""
    topic = lines.blocks.topic
    by_topic = np.argsort(topic, kind="stable")
    is_later = np.diff(topic[by_topic], prepend=-1) == 0
    is_second = is_later & ~np.append(False, is_later[:-1])
    return np.sort(by_topic[is_second])


def _counting(lines: TopicLines, is_known: Mask, is_long: Mask | None, surplus: Places) -> Mask | None:
    is_complete = is_long is None and not lines.score.null_count()
    if is_complete and is_known.all() and not len(lines.repeated) and not len(surplus):
        return None
    counts = np.repeat(is_known, lines.ends - lines.starts)
    counts[lines.repeated] = False
    counts[surplus] = False
    if is_long is not None:
        counts &= ~is_long
    if lines.score.null_count():
        counts &= lines.score.is_not_null().to_numpy()
    return counts


def file_order(lines: TopicLines, counts: Mask) -> Mask:
    """Convert a mask over places to file order."""
    if lines.order is None:
        return counts
    in_file = np.empty_like(counts)
    in_file[lines.order] = counts
    return in_file
