"""Find the violations in a run's columns: the same findings as those of `RunLines`, which reads line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.problems import MORE_PLACES
from campaign.formats.runs.column_reader.batches import Mask
from campaign.formats.runs.column_reader.line_rules import LineRules, too_long
from campaign.formats.runs.column_reader.orders import count_single, count_ties, repeated_ranks, rises
from campaign.formats.runs.column_reader.repeated_docnos import Places, first_of
from campaign.formats.runs.column_reader.topics import Scores, TiesAtCut, TopicLines, best
from campaign.formats.runs.findings import Findings, Told
from campaign.formats.runs.line_reader.about_order import (
    constant_values,
    cut_values,
    reversed_values,
    tells_of_ties,
    tie_values,
)
from campaign.formats.runs.line_reader.order import Line
from campaign.formats.runs.line_reader.reader import CONSTANT_FROM, RunLines, told_topics
from campaign.formats.runs.rules import OFF, RunRules
from campaign.text.natural_order import natural_order

SHOWN = 1 + MORE_PLACES


class ColumnFindings:
    """Collects the findings of all rules, and which places do not count. `line_of` gives a line's text by its number."""

    def __init__(self, rules: RunRules, of_lines: LineRules, line_of: Callable[[int], bytes]) -> None:
        self.findings = Findings()
        self._rules = rules
        self._tag = of_lines.tag
        self._line_of = line_of
        for code, count in of_lines.broken.counts.items():
            numbers = of_lines.broken.first[code]
            self._put_as_line_reader(code, numbers, count, [str(number) for number in numbers[1:]])

    def check_topics(self, lines: TopicLines) -> Mask | None:
        """Check the rules about topics and the whole file; return which places count, None if all do."""
        is_known = self.known(lines.names)
        is_long = too_long(lines.docno) if "docno_long" in self.findings else None
        chosen = best(lines, is_known, is_long, self._rules.max_documents_per_topic)
        self._check_names(lines, is_known)
        self._check_repeated(lines)
        self._check_depths(lines, is_known, chosen.ties)
        self._check_ranks(lines)
        self._check_ties(lines)
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
            numbers = lines.numbers(lines.starts[unknown[:SHOWN]]).tolist()
            self._put_as_line_reader("topic_unknown", numbers, len(unknown), names)
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

    def _check_depths(self, lines: TopicLines, is_known: Mask, ties: TiesAtCut) -> None:
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
            ties.first_out,
            lambda place: cut_values(limit, lines.score[ties.last_in_of(place)], lines.score[place]),
        )

    def _depth(self, lines: TopicLines, place: int) -> dict[str, object]:
        documents = int(lines.documents[lines.topic[place]])
        return {"documents": documents, "limit": self._rules.max_documents_per_topic}

    def _check_ranks(self, lines: TopicLines) -> None:
        ranks = lines.rank
        if not ranks.null_count() and ranks.min() == ranks.max() and (lines.documents > 1).any():
            self._put("rank_constant", lines.number_in_file(0), 1, [], rank=str(ranks[0]))
        if self._rules.severity("rank_duplicate") != OFF:
            self._put_topics("rank_duplicate", lines, repeated_ranks(lines), lambda place: {"rank": str(ranks[place])})

    def _check_ties(self, lines: TopicLines) -> None:
        is_scored = self._scored(lines.names)
        ties = count_ties(lines, is_scored)
        if not ties.tied:
            return
        has_score = ~np.isnan(lines.compared)
        scored = np.add.reduceat(has_score, lines.starts, dtype=np.int64)
        lowest, highest = _extremes(lines.compared, lines)
        constant = np.flatnonzero(is_scored & (scored >= CONSTANT_FROM) & (lowest == highest))
        tells = tells_of_ties(ties, has_constant=bool(len(constant)), rules=self._rules)
        if not len(constant) and not tells:
            return
        told = tie_values(replace(ties, single=count_single(lines, is_scored, ties)))
        with_score = np.flatnonzero(has_score)
        places = with_score[np.searchsorted(with_score, lines.starts[constant])]
        self._put_topics("score_constant", lines, places, lambda place: {**told, **self._constant(lines, place)})
        if tells:
            self.findings.put("score_ties", None, "", 1, (), **told)

    def _constant(self, lines: TopicLines, place: int) -> dict[str, object]:
        topic = int(lines.topic[place])
        scores = lines.score[int(lines.starts[topic]) : int(lines.ends[topic])].drop_nulls()
        return constant_values(len(scores), lines.score[place], are_equal=scores.min() == scores.max())

    def _scored(self, names: pl.Series) -> Mask:
        """Return a mask of the names that enter scores."""
        unscored = names.is_in(pl.Series([sorted(self._rules.unscored)], dtype=pl.List(pl.String))).to_numpy()
        is_scored: Mask = self.known(names) & ~unscored
        return is_scored

    def _check_rises(self, lines: TopicLines) -> None:
        found = rises(lines)
        if found.ends is not None:
            first, last = (self._line_at(lines, place) for place in found.ends)
            topic = slice(*(int(lines_of[lines.topic[found.ends[0]]]) for lines_of in (lines.starts, lines.ends)))
            is_best = pl.Series(lines.compared[topic] == last.compared) & lines.rank[topic].is_not_null()
            top = str(lines.docno[topic].filter(is_best).max())
            self.findings.put("score_reversed", None, "", 1, (), **reversed_values(first, last, top))
        else:
            counts = {"rising": found.rising, "lines": found.lines}
            self._put_topics("score_rises", lines, found.places, lambda _: counts)

    def _line_at(self, lines: TopicLines, place: int) -> Line:
        number = lines.number(place)
        return Line(
            number=number,
            text=self._line_of(number),
            topic=self._topic(lines, place),
            docno=lines.docno[place],
            rank=lines.rank[place],
            score=lines.score[place],
            compared=float(lines.compared[place]),
        )

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

    def _put_as_line_reader(self, code: str, numbers: Sequence[int], count: int, more: Sequence[str]) -> None:
        """Record a finding with the values that the line reader finds in its first lines, of these numbers."""
        # Near keys are looked up where they are asked for only.
        topics = self._rules.topics if code in ("topic_unknown", "comment_line") else None
        docnos = self._rules.docnos if code == "docno_unknown" else None
        reader = RunLines(replace(self._rules, topics=topics, docnos=docnos), tag=self._tag)
        # The blank keeps a line from looking like the head of a file.
        reader.read((number, b" " + self._line_of(number)) for number in numbers)
        values = next(finding.values for finding in reader.findings if finding.code == code)
        values = {name: Told(value) for name, value in values.items()}
        self._put(code, numbers[0], count, more, **values)


def _extremes(scores: Scores, lines: TopicLines) -> tuple[Scores, Scores]:
    """Return the lowest and the highest score of each topic."""
    return np.fmin.reduceat(scores, lines.starts), np.fmax.reduceat(scores, lines.starts)


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
