"""Each subtopic, or each assessor's group of judgments, as a topic of its own: what is averaged over them."""

from dataclasses import dataclass, replace

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray, IntArray, group_counts, group_sums, ratio
from evaluation.engine.judgment_kinds import ASSESSOR_GROUPS
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.binary import MULTIPLE_OF_R, average_precision, precision, r_precision
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import CUTOFF, RELEVANCE_LEVEL
from evaluation.engine.memo import Memo
from evaluation.engine.ranked_run import RankedRun


@dataclass(frozen=True, eq=False)
class SplitRun:
    """A run ranked once for each (topic, subtopic).

    `ranked`: its groups are the pairs of a group of the whole run and a subtopic of its topic, ascending.
    `owner`: int64 (ranked.n_groups,), the group of the whole run. `n_groups`: how many groups the whole run has.
    """

    ranked: RankedRun
    owner: IntArray
    n_groups: int

    def mean(self, values: FloatArray) -> FloatArray:
        """Average values (..., ranked.n_groups) over the subtopics of each group: float64 (..., n_groups)."""
        sums = np.zeros((*values.shape[:-1], self.n_groups))
        for row in np.ndindex(values.shape[:-1]):
            sums[row] = group_sums(self.owner, values[row], self.n_groups)
        return ratio(sums, group_counts(self.owner, self.n_groups))


def split(ranked: RankedRun) -> SplitRun:
    """Rank the run for each subtopic by itself: a document counts with its grade for that subtopic only.

    A document without a grade for the subtopic is as one outside the qrels. All ranks stay as they are.
    """
    return ranked.memo.get("split by subtopic", lambda: _split(ranked))


def judgments_by_subtopic(judgments: Judgments) -> Judgments:
    """See each subtopic as a topic; a document's code is then its place among the pairs sorted by subtopic."""
    return judgments.memo.get("by subtopic", lambda: _judgments_by_subtopic(judgments))


def _judgments_by_subtopic(judgments: Judgments) -> Judgments:
    order = np.lexsort((judgments.pair_document, judgments.pair_subtopic))
    subtopic, grade = judgments.pair_subtopic[order], judgments.pair_grade[order]
    return replace(
        judgments,
        topics=tuple(judgments.topics[topic] for topic in judgments.subtopic_topic),
        docno=judgments.docno[judgments.pair_document[order]],
        topic=subtopic,
        grade=grade,
        pair_document=np.arange(len(order)),
        pair_subtopic=subtopic,
        pair_grade=grade,
        stratum=None,
        probability=None,
        memo=Memo(),
    )


def _split(ranked: RankedRun) -> SplitRun:
    judgments = ranked.judgments
    by_topic = group_counts(judgments.subtopic_topic, judgments.n_topics)
    first_subtopic = np.cumsum(by_topic) - by_topic
    owner = np.repeat(np.arange(ranked.n_groups), by_topic[ranked.topic])
    first_group = np.cumsum(by_topic[ranked.topic]) - by_topic[ranked.topic]
    subtopic = np.arange(len(owner)) - first_group[owner] + first_subtopic[ranked.topic[owner]]

    hit, pair = _pairs_of_hits(ranked)
    group = (
        first_group[ranked.group[hit]] + judgments.pair_subtopic[pair] - first_subtopic[ranked.topic[ranked.group[hit]]]
    )
    order = np.lexsort((ranked.rank[hit], group))
    hit, pair = hit[order], pair[order]
    code = np.empty(len(judgments.pair_grade), dtype=np.int64)
    code[np.lexsort((judgments.pair_document, judgments.pair_subtopic))] = np.arange(len(code))
    single = replace(
        ranked,
        judgments=judgments_by_subtopic(judgments),
        topic=subtopic,
        num_ret=ranked.num_ret[owner],
        group=group[order],
        rank=ranked.rank[hit],
        grade=judgments.pair_grade[pair],
        document=code[pair],
        memo=Memo(),
    )
    return SplitRun(single, owner, ranked.n_groups)


def _pairs_of_hits(ranked: RankedRun) -> tuple[IntArray, IntArray]:
    """Spread the hits into the (document, subtopic) pairs that were judged: index of the hit, index of the pair."""
    judgments = ranked.judgments
    count = group_counts(judgments.pair_document, len(judgments.topic))
    start = (np.cumsum(count) - count)[ranked.document]
    times = count[ranked.document]
    hit = np.repeat(np.arange(len(ranked.document)), times)
    before = np.cumsum(times) - times
    return hit, start[hit] + np.arange(len(hit)) - before[hit]


def average_precision_over_groups(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Average the average precision of the topic over its judgment groups, such as its assessors.

    Returns float64 (n_groups,) in [0, 1]: the mean of AP over all judgment groups of the topic, each judging alone; one
    without a relevant document counts 0. Unjudged is what a group did not judge, whatever others did.
    """
    parts = _by_judgment_group(ranked)
    return parts.mean(average_precision(parts.ranked, np.array([NO_CUTOFF]), rel)[0])


def precision_over_groups(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Average the precision among the first k ranks over the topic's judgment groups, such as its assessors.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: the mean of P@k over all judgment groups of the topic, each judging
    alone; one without a relevant document counts 0. Unjudged is what a group did not judge, whatever others did.
    """
    parts = _by_judgment_group(ranked)
    return parts.mean(precision(parts.ranked, k, rel))


def r_precision_over_groups(ranked: RankedRun, mult: FloatArray, rel: int = 1) -> FloatArray:
    """Average the R-precision of the topic, or its precision at a multiple of R, over its judgment groups.

    Returns float64 (n_multiples, n_groups) in [0, 1]: the mean of Rprec over all judgment groups of the topic, each
    judging alone and with an R of its own; one without a relevant document counts 0. Unjudged is what a group did not
    judge, whatever others did.
    """
    parts = _by_judgment_group(ranked)
    return parts.mean(r_precision(parts.ranked, mult, rel))


def _by_judgment_group(ranked: RankedRun) -> SplitRun:
    """Rank the run for each judgment group; a run without the unjudged loses what the group itself did not judge."""
    parts = split(ranked)
    return replace(parts, ranked=parts.ranked.judged_only()) if ranked.only_judged else parts


SOURCE = "Buckley, 2008"
MEASURES = (
    Definition(
        "map_avgjg",
        average_precision_over_groups,
        "binary",
        SOURCE,
        (RELEVANCE_LEVEL,),
        judgments=ASSESSOR_GROUPS,
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "P_avgjg",
        precision_over_groups,
        "binary",
        SOURCE,
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("P_avgjg_{k}",),
        over="k",
        judgments=ASSESSOR_GROUPS,
        oracles=("trec_eval",),
    ),
    Definition(
        "Rprec_mult_avgjg",
        r_precision_over_groups,
        "binary",
        SOURCE,
        (RELEVANCE_LEVEL, MULTIPLE_OF_R),
        aliases=("Rprec_mult_avgjg_{mult}",),
        over="mult",
        judgments=ASSESSOR_GROUPS,
        oracles=("trec_eval",),
        recall_base=True,
    ),
)
