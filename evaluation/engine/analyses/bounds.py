"""How far the documents that nobody judged could move a run's values: [unjudged = 0, unjudged = best].

Two worlds are scored: the one that the measures assume, in which no unjudged document has any worth, and the one in
which every unjudged document that the measure looks at has the highest grade. A measure looks at the documents that the
run retrieves within the cut-off. Unjudged documents elsewhere are left as they are in both worlds. They can be relevant
as well, and then change every measure that has a recall base, that is, that depends on how many relevant documents there
are or on the best ranking of them: for such a measure the two worlds are scenarios, and only for the others bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from evaluation.engine.arrays import NO_CUTOFF, BoolArray, FloatArray, IntArray, group_counts, group_starts, ranges
from evaluation.engine.averaging import Convention, summarise
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures import drawn_by_probability, sampled
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.sets import DOCUMENTS_BY_TOPIC
from evaluation.engine.memo import Memo
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.scoring import Scores, score_ranked

Meaning: TypeAlias = Literal["bounds", "scenarios", "none"]

NOT_RISING = frozenset({"APret", "Accuracy", "BPM", "utility"})
"""Measures without a recall base that a higher grade of a document within the cut-off can make worse."""

UNJUDGED_LEFT_OUT = frozenset(
    {
        *("bpref", "gm_bpref", "infAP", "unj", "rbp_resid", "RBP_residual", "num_nonrel_judged_ret"),
        *(definition.name for definition in (*sampled.MEASURES, *drawn_by_probability.MEASURES)),
    }
)
"""Measures that leave unjudged documents out, estimate their worth or count them: `unjudged = 0` is not their value."""

UNKNOWN = -1
"""The row of a document that the qrels do not name."""


@dataclass(frozen=True, eq=False)
class UnjudgedBounds:
    """The scores of a run in the two worlds, and what the interval between them means for each measure.

    `unjudged_zero`: the scores as published. `unjudged_best`: the scores if every unjudged document that the measure
    looks at had the highest grade. Both over the same topics and measures.

    `meanings`, one for each measure. "bounds": whatever grades the unjudged documents of the collection have, up to the
    highest, the value stays in the interval. "scenarios": the two ends are what the two worlds give, but the value can
    lie outside, mostly because each further relevant document, retrieved or not, raises what the measure is divided by
    (AP, R, nDCG, R-precision, SetF, ...): the interval shows how much hangs on the unjudged documents, no more. "none":
    the measure takes no unjudged document for worthless (bpref, infAP, judged_only, ...); both ends are its value, and
    no interval should be shown.
    """

    unjudged_zero: Scores
    unjudged_best: Scores
    meanings: tuple[Meaning, ...]

    @property
    def lower(self) -> FloatArray:
        """Give the smaller of both values: float64 (n_measures, n_topics)."""
        return np.minimum(self.unjudged_zero.values, self.unjudged_best.values)

    @property
    def upper(self) -> FloatArray:
        """Give the larger of both values: float64 (n_measures, n_topics)."""
        return np.maximum(self.unjudged_zero.values, self.unjudged_best.values)

    def summary(self, over: Convention = "qrels") -> tuple[FloatArray, FloatArray]:
        """Give the smaller and the larger of both worlds' summaries over topics: two float64 (n_measures,)."""
        zero, best = summarise(self.unjudged_zero, over), summarise(self.unjudged_best, over)
        return np.minimum(zero, best), np.maximum(zero, best)


def unjudged_bounds(
    ranked: RankedRun, measures: Sequence[Measure | str], best_grade: int | None = None
) -> UnjudgedBounds:
    """Score one ranked run with its unjudged documents worth nothing, and with all of them of the highest grade.

    Unjudged is a document that is not in the qrels, or there with a negative grade. `best_grade` is the highest grade
    of the scale; without it the highest in the qrels of any topic, but at least 1.
    """
    parsed = [parse_measure(measure) if isinstance(measure, str) else measure for measure in measures]
    meanings = tuple("none" if ranked.only_judged else meaning_of_bounds(measure) for measure in parsed)
    [zero] = score_ranked([ranked], parsed)
    values, weights = zero.values.copy(), dict(zero.weights)
    rows = [row for row, meaning in enumerate(meanings) if meaning != "none"]
    best = unjudged_best(ranked, [parsed[row] for row in rows], best_grade)
    if best is not None:
        values[rows] = best.values
        weights |= best.weights
    return UnjudgedBounds(zero, replace(zero, values=values, weights=weights), meanings)


def unjudged_best(ranked: RankedRun, measures: Sequence[Measure], best_grade: int | None = None) -> Scores | None:
    """Score one ranked run with all unjudged documents that a measure looks at of the highest grade; None without measures.

    For measures whose interval means something: `meaning_of_bounds`. `best_grade` as for `unjudged_bounds`.

    >>> from evaluation.engine.ranking import rank_run
    >>> judged = pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 0]})
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> best = unjudged_best(rank_run(run, Judgments.from_table(judged)), [parse_measure("P@2"), parse_measure("P@1")])
    >>> best.values[:, 0].tolist()
    [1.0, 1.0]
    """
    if not measures:
        return None
    grade = best_grade if best_grade is not None else int(ranked.judgments.grade.max(initial=1))
    depths = np.array([_depth(measure) for measure in measures], dtype=np.int64)
    found: list[tuple[IntArray, Scores]] = []
    for depth in np.unique(depths):
        rows = np.flatnonzero(depths == depth)
        [scores] = score_ranked([best_case(ranked, int(depth), grade)], [measures[row] for row in rows.tolist()])
        found.append((rows, scores))
    _, first = found[0]
    values = np.empty((len(measures), first.values.shape[1]))
    for rows, scores in found:
        values[rows] = scores.values
    weights = {name: weight for _, scores in found for name, weight in scores.weights.items()}
    names = tuple(measure.name for measure in measures)
    return replace(first, measures=names, values=values, weights=weights)


def meaning_of_bounds(measure: Measure) -> Meaning:
    """Say what the interval [unjudged = 0, unjudged = best] is for a measure: see `UnjudgedBounds`.

    >>> [meaning_of_bounds(parse_measure(name)) for name in ("P@10", "AP", "bpref")]
    ['bounds', 'scenarios', 'none']
    """
    values = dict(measure.values)
    if values.get("judged_only") or measure.definition.name in UNJUDGED_LEFT_OUT:
        return "none"
    gain_by_grade = ":" in str(values.get("gain", ""))
    may_leave = measure.definition.recall_base or measure.definition.name in NOT_RISING or gain_by_grade
    return "scenarios" if may_leave else "bounds"


def _depth(measure: Measure) -> int:
    cutoff = dict(measure.values).get("k")
    return NO_CUTOFF if cutoff is None else int(cutoff)


def best_case(ranked: RankedRun, depth: int, grade: int) -> RankedRun:
    """Judge every unjudged document of the first `depth` ranks anew: `grade`, for each subtopic of its topic.

    Every group of the result is a topic of its own, since what a run retrieves is judged for that run only.
    """
    group, index = ranges(np.zeros(ranked.n_groups, dtype=np.int64), np.minimum(ranked.num_ret, depth))
    known = np.full(len(group), UNKNOWN)
    within = ranked.rank <= depth
    first = group_starts(group, ranked.n_groups)
    known[first[ranked.group[within]] + ranked.rank[within] - 1] = ranked.document[within]

    extended = _extend(ranked, group[known == UNKNOWN])
    document = np.where(known == UNKNOWN, 0, known + extended.shift[group])
    document[known == UNKNOWN] = extended.new
    judgments = _promote(extended, document[extended.grade[document] < 0], grade)

    group = np.concatenate([group, ranked.group[~within]])
    rank = np.concatenate([index + 1, ranked.rank[~within]])
    document = np.concatenate([document, ranked.document[~within] + extended.shift[ranked.group[~within]]])
    order = np.lexsort((rank, group))
    return replace(
        ranked,
        judgments=judgments,
        topic=np.arange(ranked.n_groups),
        group=group[order],
        rank=rank[order],
        grade=judgments.grade[document[order]],
        document=document[order],
        memo=Memo(),
    )


@dataclass(frozen=True, eq=False)
class _Extended:
    """The judgments once for each group, with room for the documents that the group retrieves and the qrels lack.

    `shift`: int64 (n_groups,), what to add to a document's old code. `new`: int64, the codes of the added documents,
    ascending. `grade`, `topic`, `row`: int64 (n_documents,); -1 as grade of the added, `row` the old code or `UNKNOWN`.
    """

    ranked: RankedRun
    shift: IntArray
    new: IntArray
    topic: IntArray
    grade: IntArray
    row: IntArray


def _extend(ranked: RankedRun, group_of_new: IntArray) -> _Extended:
    judgments, n_groups = ranked.judgments, ranked.n_groups
    by_topic = group_counts(judgments.topic, judgments.n_topics)
    first_of_topic = group_starts(judgments.topic, judgments.n_topics)
    old = by_topic[ranked.topic]
    size = old + group_counts(group_of_new, n_groups)
    first = np.cumsum(size) - size
    shift = first - first_of_topic[ranked.topic]
    row = np.full(size.sum(), UNKNOWN)
    group, old_code = ranges(first_of_topic[ranked.topic], old)
    row[old_code + shift[group]] = old_code
    return _Extended(
        ranked=ranked,
        shift=shift,
        new=np.flatnonzero(row == UNKNOWN),
        topic=np.repeat(np.arange(n_groups), size),
        grade=np.where(row == UNKNOWN, -1, judgments.grade[row]) if len(judgments.grade) else row,
        row=row,
    )


def _promote(extended: _Extended, promoted: IntArray, best: int) -> Judgments:
    """Make judgments of the extended arrays in which the documents `promoted` have the grade `best`."""
    old, topic_of_group = extended.ranked.judgments, extended.ranked.topic
    is_promoted = np.zeros(len(extended.grade), dtype=np.bool_)
    is_promoted[promoted] = True
    document, subtopic, grade = _pairs(extended, promoted, is_promoted, best)
    memo = Memo()
    # What the run brings in does not make the qrels larger than the collection.
    memo.get(DOCUMENTS_BY_TOPIC, lambda: group_counts(old.topic, old.n_topics)[topic_of_group])
    return Judgments(
        topics=tuple(old.topics[topic] for topic in topic_of_group),
        docno=_docnos(extended),
        topic=extended.topic,
        grade=np.where(is_promoted, best, extended.grade),
        pair_document=document,
        pair_subtopic=subtopic,
        pair_grade=grade,
        n_subtopics=int(group_counts(old.subtopic_topic, old.n_topics)[topic_of_group].sum()),
        memo=memo,
    )


def _pairs(
    extended: _Extended, promoted: IntArray, is_promoted: BoolArray, best: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Judge the promoted documents `best` for every subtopic of their topic, and leave all other pairs as they are.

    Returns document, subtopic and grade of the pairs, ascending by document, then subtopic: int64 (n_pairs,) each.
    """
    old, topic_of_group = extended.ranked.judgments, extended.ranked.topic
    subtopics = group_counts(old.subtopic_topic, old.n_topics)[topic_of_group]
    first_subtopic = np.cumsum(subtopics) - subtopics
    shift = first_subtopic - group_starts(old.subtopic_topic, old.n_topics)[topic_of_group]

    pair_topic = old.topic[old.pair_document]
    n_pairs = group_counts(pair_topic, old.n_topics)[topic_of_group]
    group, pair = ranges(group_starts(pair_topic, old.n_topics)[topic_of_group], n_pairs)
    document = old.pair_document[pair] + extended.shift[group]
    kept = ~is_promoted[document]
    group, pair, document = group[kept], pair[kept], document[kept]

    group_of_promoted = extended.topic[promoted]
    owner, new_subtopic = ranges(first_subtopic[group_of_promoted], subtopics[group_of_promoted])
    document = np.concatenate([document, promoted[owner]])
    subtopic = np.concatenate([old.pair_subtopic[pair] + shift[group], new_subtopic])
    grade = np.concatenate([old.pair_grade[pair], np.full(len(owner), best)])
    order = np.lexsort((subtopic, document))
    return document[order], subtopic[order], grade[order]


def _docnos(extended: _Extended) -> pl.Series:
    """The docnos as far as the qrels know them; documents that the run brings in stay without."""
    row = pl.Series(extended.row).replace(UNKNOWN, None)
    return pl.Series("docno", extended.ranked.judgments.docno, dtype=pl.String).gather(row)
