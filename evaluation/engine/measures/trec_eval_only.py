"""Measures that only trec_eval prints."""

import numpy as np

from evaluation.engine.arrays import FloatArray, group_counts, group_sums, ratio
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

SIGNED = (-float("inf"), float("inf"))
SOURCE = "Buckley, 2008"

BETA_SQUARED = Parameter("x", float, "weight of recall: beta squared", default=1.0, minimum=0.0, maximum=1e12)
COLLECTION_SIZE = Parameter("N", int, "number of documents in the collection", default=0, minimum=0, maximum=1e15)
_WORTH = (
    ("a", "worth of a relevant document retrieved", 1.0),
    ("b", "worth of any other document retrieved", -1.0),
    ("c", "worth of a relevant document not retrieved", 0.0),
    ("d", "worth of any other document not retrieved", 0.0),
)
WORTHS = tuple(
    Parameter(name, float, meaning, default=worth, minimum=-1e12, maximum=1e12) for name, meaning, worth in _WORTH
)


def relative_set_precision(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Compare the precision of the retrieved set with the highest that is possible for a set of its size.

    Returns float64 (n_groups,) in [0, 1]: tp / min(n, R), tp the relevant documents among the n retrieved, R those
    in the qrels. 0 where nothing is retrieved or R = 0.
    """
    return ratio(_relevant_retrieved(ranked, rel), np.minimum(ranked.num_ret, ranked.num_rel(rel)))


def set_average_precision(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Multiply precision and recall of the retrieved set: average precision when the order within it is not known.

    Returns float64 (n_groups,) in [0, 1]: tp^2 / (n * R), tp the relevant documents among the n retrieved, R those
    in the qrels. 0 where nothing is retrieved or R = 0.
    """
    return ratio(_relevant_retrieved(ranked, rel) ** 2, ranked.num_ret * ranked.num_rel(rel))


def set_f_of_trec_eval(ranked: RankedRun, rel: int = 1, x: float = 1.0) -> FloatArray:
    """Balance precision and recall of the retrieved set, the weight of recall written as beta squared.

    Returns float64 (n_groups,) in [0, 1]: (x + 1) * P * R / (x * P + R), P the precision of the retrieved set, R its
    recall. x is the square of van Rijsbergen's beta: set_F(x=4) is SetF(beta=2). 0 where nothing relevant is retrieved.
    """
    tp = _relevant_retrieved(ranked, rel)
    precision, recall = ratio(tp, ranked.num_ret), ratio(tp, ranked.num_rel(rel))
    return ratio((x + 1.0) * precision * recall, x * precision + recall)


def utility(
    ranked: RankedRun,
    rel: int = 1,
    a: float = 1.0,
    b: float = -1.0,
    c: float = 0.0,
    d: float = 0.0,
    N: int = 0,  # noqa: N803 (the parameter's name)
) -> FloatArray:
    """Add up what the retrieved documents, and the documents left behind, are worth.

    Returns float64 (n_groups,), any number: a * tp + b * (n - tp) + c * (R - tp) + d * (N - n - R + tp),
    tp the relevant documents among the n retrieved, R those in the qrels, N the number of documents in the
    collection. Unjudged documents count as not relevant. N is taken as it is, also as 0: give it wherever d is not 0.
    A topic that the run misses has the worth of retrieving nothing, c * R + d * (N - R); averages as release 9.0
    prints them count it 0.
    """
    tp, retrieved, relevant = _relevant_retrieved(ranked, rel), ranked.num_ret, ranked.num_rel(rel)
    worth: FloatArray = a * tp + b * (retrieved - tp) + c * (relevant - tp)
    return worth + d * (N + tp - retrieved - relevant)


def binary_g(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Discount each relevant document by the number of other documents above it.

    Returns float64 (n_groups,) in [0, 1]: (1/R) * sum of 1 / log2(2 + n) over the relevant retrieved documents, n the
    documents above that are not relevant, unjudged ones included. 0 where R = 0.
    """
    hits = ranked.relevant(rel)
    terms = 1.0 / np.log2(2.0 + hits.rank - hits.ordinal)
    return ratio(group_sums(hits.group, terms, ranked.n_groups), ranked.num_rel(rel))


def yet_another_average_precision(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Turn average precision into log odds, which can be averaged over easy and hard topics.

    Returns float64 (n_groups,), any number: log((1 + S) / (1 + R - S)), S = sum of j / rank_j over the relevant
    retrieved documents, j = 1, 2, ... by rank; so 0 stands for an average precision of one half. Where nothing is
    retrieved, -log(1 + R); averages as release 9.0 prints them count 0 for a topic that the run misses.
    """
    hits = ranked.relevant(rel)
    sums = group_sums(hits.group, hits.ordinal / hits.rank, ranked.n_groups)
    log_odds: FloatArray = np.log((1.0 + sums) / (1.0 + ranked.num_rel(rel) - sums))
    return log_odds


def relevance_strings(ranked: RankedRun, k: int = 10) -> list[str]:
    """Write the grades of the first k documents retrieved, best first, as one text for each group: `3-.0>`.

    The digit is the grade, `>` a grade above 9, `.` a negative grade (pooled, but not judged), `-` a document outside
    the qrels. A short ranking gives a short text, one with nothing retrieved an empty text.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> relevance_strings(rank_run(run, judgments))
    ['3-0']
    """
    width = np.minimum(ranked.num_ret, k)
    signs = np.full((ranked.n_groups, int(width.max(initial=0))), ord("-"), dtype=np.uint8)
    shown = ranked.rank <= k
    grade = ranked.grade[shown]
    sign = np.where(grade > 9, ord(">"), np.where(grade < 0, ord("."), ord("0") + grade))
    signs[ranked.group[shown], ranked.rank[shown] - 1] = sign
    return [row.tobytes()[:length].decode() for row, length in zip(signs, width.tolist(), strict=True)]


def _relevant_retrieved(ranked: RankedRun, rel: int) -> FloatArray:
    return group_counts(ranked.relevant(rel).group, ranked.n_groups).astype(np.float64)


MEASURES = (
    Definition(
        "SetRelP",
        relative_set_precision,
        "set",
        SOURCE,
        (RELEVANCE_LEVEL,),
        aliases=("set_relative_P",),
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "SetAP",
        set_average_precision,
        "set",
        SOURCE,
        (RELEVANCE_LEVEL,),
        aliases=("set_map",),
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "set_F",
        set_f_of_trec_eval,
        "set",
        "van Rijsbergen, 1979",
        (RELEVANCE_LEVEL, BETA_SQUARED),
        aliases=("set_F_{x}",),
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "utility",
        utility,
        "set",
        "Lewis, 1995",
        (RELEVANCE_LEVEL, *WORTHS, COLLECTION_SIZE),
        SIGNED,
        oracles=("trec_eval",),
        missed="empty ranking",
    ),
    Definition("binG", binary_g, "binary", SOURCE, (RELEVANCE_LEVEL,), oracles=("trec_eval",), recall_base=True),
    Definition(
        "yaap",
        yet_another_average_precision,
        "binary",
        "Robertson, 2012",
        (RELEVANCE_LEVEL,),
        SIGNED,
        oracles=("second implementation",),
        recall_base=True,
        missed="empty ranking",
    ),
)
