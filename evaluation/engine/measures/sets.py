"""Measures of what is retrieved as a set, whatever its order; each of them also as a micro average."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray, IntArray, group_counts, ratio
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.declaration import Definition, Oracle
from evaluation.engine.measures.parameters import OPTIONAL_CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

COLLECTION_SIZE = Parameter("N", int, "number of documents in the collection", required=True, minimum=1, example="1000")
BETA = Parameter(
    "beta", float, "how many times as much recall counts as precision", default=1.0, minimum=0.0, maximum=1e6
)
DOCUMENTS_BY_TOPIC = "documents in the qrels by topic"

Denominator = Callable[..., FloatArray | IntArray]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The four cells of the two-way table retrieved by relevant, each (n_cutoffs, n_groups); unjudged is not relevant."""

    true_positives: FloatArray
    false_positives: FloatArray
    false_negatives: FloatArray
    true_negatives: FloatArray


def outcomes(ranked: RankedRun, k: IntArray, N: int, rel: int = 1) -> Outcomes:  # noqa: N803 (the parameter's name)
    """Sort the documents of a collection of N into retrieved or not (first k ranks), relevant or not.

    A run that names more documents than the collection can hold leaves no true negatives, never fewer than none.
    N below the number of documents that the qrels name for a topic is a JudgmentError.
    """
    _refuse_small_collection(ranked.judgments, N)
    true_positives = ranked.relevant_to_cutoffs(rel, k)
    false_positives = _retrieved(ranked, k) - true_positives
    missed = ranked.num_rel(rel) - true_positives
    return Outcomes(
        true_positives, false_positives, missed, np.maximum(N - true_positives - false_positives - missed, 0.0)
    )


def _refuse_small_collection(judgments: Judgments, size: int) -> None:
    documents = judgments.memo.get(DOCUMENTS_BY_TOPIC, lambda: group_counts(judgments.topic, judgments.n_topics))
    if documents.max(initial=0) > size:
        largest = int(np.argmax(documents))
        raise JudgmentError(
            f"Topic {judgments.topics[largest]} has {documents[largest]} documents in the qrels, which a collection of "
            f"N={size} cannot hold. Give the number of documents in the collection as N."
        )


def _retrieved(ranked: RankedRun, k: IntArray, **_: Any) -> IntArray:
    return np.minimum(ranked.num_ret, k[:, np.newaxis])


def _relevant(ranked: RankedRun, k: IntArray, rel: int = 1) -> IntArray:
    return np.broadcast_to(ranked.num_rel(rel), (len(k), ranked.n_groups))


def _retrieved_and_weighted_relevant(ranked: RankedRun, k: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    weighted: FloatArray = _retrieved(ranked, k) + beta**2 * ranked.num_rel(rel)
    return weighted


def _nonrelevant(ranked: RankedRun, k: IntArray, **parameters: Any) -> FloatArray:
    cells = outcomes(ranked, k, **parameters)
    return cells.false_positives + cells.true_negatives


def _not_retrieved(ranked: RankedRun, k: IntArray, **parameters: Any) -> FloatArray:
    cells = outcomes(ranked, k, **parameters)
    return cells.false_negatives + cells.true_negatives


def _all_documents(ranked: RankedRun, k: IntArray, **parameters: Any) -> FloatArray:
    return _nonrelevant(ranked, k, **parameters) + ranked.num_rel(parameters.get("rel", 1))


def set_precision(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of relevant documents among the documents retrieved.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: tp / (tp + fp), tp the relevant and fp the other documents
    retrieved, within rank k where there is a cut-off. Unlike P@k, a short ranking is measured over its own length.
    0 where nothing is retrieved.
    """
    return ratio(ranked.relevant_to_cutoffs(rel, k), _retrieved(ranked, k))


def set_recall(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of the topic's relevant documents that is retrieved; also called sensitivity.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: tp / R, tp the relevant documents retrieved, within rank k where
    there is a cut-off, R the relevant documents in the qrels. 0 where R = 0.
    """
    return ratio(ranked.relevant_to_cutoffs(rel, k), _relevant(ranked, k, rel))


def set_f(ranked: RankedRun, k: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Balance precision and recall of the retrieved set by their weighted harmonic mean.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1 + beta^2) * tp / (n + beta^2 * R), tp the relevant documents
    among the n retrieved (within rank k where there is a cut-off), R those in the qrels; this equals
    (1 + beta^2) * P * R / (beta^2 * P + R) of precision and recall. beta is van Rijsbergen's own: the parameter of
    trec_eval's set_F, and of SetF in ir_measures, is beta squared. 0 where nothing relevant is retrieved.
    """
    true_positives = ranked.relevant_to_cutoffs(rel, k)
    return ratio((1.0 + beta**2) * true_positives, _retrieved_and_weighted_relevant(ranked, k, rel, beta))


def effectiveness(ranked: RankedRun, k: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Measure what the retrieved set lacks of perfect precision and recall; lower is better.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: 1 - SetF, with the same beta. 1 where nothing relevant is
    retrieved.
    """
    return 1.0 - set_f(ranked, k, rel, beta)


def fallout(ranked: RankedRun, k: IntArray, N: int, rel: int = 1) -> FloatArray:  # noqa: N803
    """Give the share of the collection's non-relevant documents that is retrieved; lower is better.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: fp / (fp + tn), fp the documents retrieved that are not relevant
    (unjudged ones too), within rank k where there is a cut-off, tn = max(0, N - retrieved - relevant not retrieved).
    0 where every document is relevant, and where nothing is retrieved.
    """
    cells = outcomes(ranked, k, N, rel)
    return ratio(cells.false_positives, cells.false_positives + cells.true_negatives)


def specificity(ranked: RankedRun, k: IntArray, N: int, rel: int = 1) -> FloatArray:  # noqa: N803
    """Give the share of the collection's non-relevant documents that is not retrieved.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: tn / (fp + tn), fp the documents retrieved that are not relevant
    (unjudged ones too), within rank k where there is a cut-off, tn = max(0, N - retrieved - relevant not retrieved).
    0 where every document is relevant; 1 where nothing is retrieved otherwise.
    """
    cells = outcomes(ranked, k, N, rel)
    return ratio(cells.true_negatives, cells.false_positives + cells.true_negatives)


def negative_predictive_value(ranked: RankedRun, k: IntArray, N: int, rel: int = 1) -> FloatArray:  # noqa: N803
    """Give the share of non-relevant documents among the documents that are not retrieved.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: tn / (fn + tn), fn the relevant documents not retrieved, within
    rank k where there is a cut-off, tn = max(0, N - retrieved - fn). 0 where the whole collection is retrieved.
    """
    cells = outcomes(ranked, k, N, rel)
    return ratio(cells.true_negatives, cells.false_negatives + cells.true_negatives)


def false_discovery_rate(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of documents that are not relevant among the documents retrieved; lower is better.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: fp / (tp + fp), tp the relevant and fp the other documents
    retrieved (unjudged ones too), within rank k where there is a cut-off. 0 where nothing is retrieved: no discovery
    is no false one, so that 1 - SetP holds everywhere else only.
    """
    retrieved = _retrieved(ranked, k)
    return ratio(retrieved - ranked.relevant_to_cutoffs(rel, k), retrieved)


def set_accuracy(ranked: RankedRun, k: IntArray, N: int, rel: int = 1) -> FloatArray:  # noqa: N803
    """Give the share of the collection's documents that are retrieved and relevant, or neither.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (tp + tn) / (tp + fp + fn + tn), tp the relevant and fp the other
    documents retrieved, within rank k where there is a cut-off, fn the relevant documents not retrieved,
    tn = max(0, N - tp - fp - fn); so the divisor is N. Where few documents are relevant, retrieving nothing is nearly
    perfect. Not the Accuracy of ir_measures, which is about the order of pairs.
    """
    cells = outcomes(ranked, k, N, rel)
    right = cells.true_positives + cells.true_negatives
    return ratio(right, right + cells.false_positives + cells.false_negatives)


def _micro(definition: Definition, name: str, denominator: Denominator, meaning: str) -> Definition:
    """Define the micro average of a set measure: the ratio of sums, which is the mean weighted by the denominators."""

    def compute(ranked: RankedRun, **parameters: Any) -> FloatArray:
        return definition.compute(ranked, **parameters)

    def weights(ranked: RankedRun, k: int | None = None, **parameters: Any) -> FloatArray:
        cutoff = np.array([NO_CUTOFF if k is None else k])
        of_topics: FloatArray = denominator(ranked, cutoff, **parameters)[0].astype(np.float64)
        return of_topics

    compute.__doc__ = f"""Compute {definition.name} over all topics together, as if they were one: its micro average.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: the values of the topics as {definition.name} has them. Over topics
    not their mean, but sum(weight * value) / sum(weight), the weight being the value's own denominator:
    {meaning}. Topics with many documents decide it. 0 where all weights are 0.
    """
    return replace(
        definition,
        name=name,
        compute=compute,
        source=MICRO_SOURCE,
        aliases=(),
        summary="weighted mean",
        weights=weights,
        oracles=("second implementation",),
    )


SOURCE = "van Rijsbergen, 1979"
MICRO_SOURCE = "Lewis, 1991"
_PLAIN = (RELEVANCE_LEVEL, OPTIONAL_CUTOFF)
_WEIGHTED = (RELEVANCE_LEVEL, BETA, OPTIONAL_CUTOFF)
_OF_THE_TOOL: tuple[Oracle, ...] = ("trec_eval", "second implementation", "worked example")
_OF_COLLECTION = (COLLECTION_SIZE, RELEVANCE_LEVEL, OPTIONAL_CUTOFF)


def _set_measure(
    name: str,
    compute: Callable[..., FloatArray],
    parameters: tuple[Parameter, ...],
    source: str = SOURCE,
    aliases: tuple[str, ...] = (),
    lower_is_better: bool = False,
    oracles: tuple[Oracle, ...] = ("second implementation", "worked example"),
    recall_base: bool = True,
) -> Definition:
    return Definition(
        name,
        compute,
        "set",
        source,
        parameters,
        aliases=aliases,
        over="k",
        lower_is_better=lower_is_better,
        oracles=oracles,
        recall_base=recall_base,
    )


SET_P = _set_measure("SetP", set_precision, _PLAIN, aliases=("set_P", "PPV"), oracles=_OF_THE_TOOL, recall_base=False)
SET_R = _set_measure("SetR", set_recall, _PLAIN, aliases=("set_recall", "TPR", "Sensitivity"), oracles=_OF_THE_TOOL)
SET_F = _set_measure("SetF", set_f, _WEIGHTED, oracles=_OF_THE_TOOL)
E = _set_measure("E", effectiveness, _WEIGHTED, lower_is_better=True)
FALLOUT = _set_measure("Fallout", fallout, _OF_COLLECTION, aliases=("FPR", "fallout"), lower_is_better=True)
SPECIFICITY = _set_measure("Specificity", specificity, _OF_COLLECTION, "Yerushalmy, 1947", ("TNR", "specificity"))
NPV = _set_measure("NPV", negative_predictive_value, _OF_COLLECTION, "Vecchio, 1966")
FDR = _set_measure(
    "FDR", false_discovery_rate, _PLAIN, "Benjamini and Hochberg, 1995", lower_is_better=True, recall_base=False
)
SET_ACCURACY = _set_measure("SetAccuracy", set_accuracy, _OF_COLLECTION, "Manning, Raghavan and Schütze, 2008")

MEASURES = (
    *(SET_P, SET_R, SET_F, E, FALLOUT, SPECIFICITY, NPV, FDR, SET_ACCURACY),
    _micro(SET_P, "micro_P", _retrieved, "the number of documents retrieved"),
    _micro(SET_R, "micro_R", _relevant, "the number of relevant documents in the qrels"),
    _micro(SET_F, "micro_F", _retrieved_and_weighted_relevant, "retrieved + beta^2 * relevant documents"),
    _micro(E, "micro_E", _retrieved_and_weighted_relevant, "retrieved + beta^2 * relevant documents"),
    _micro(FALLOUT, "micro_Fallout", _nonrelevant, "the number of non-relevant documents in the collection"),
    _micro(SPECIFICITY, "micro_Specificity", _nonrelevant, "the number of non-relevant documents in the collection"),
    _micro(NPV, "micro_NPV", _not_retrieved, "the number of documents in the collection that are not retrieved"),
    _micro(FDR, "micro_FDR", _retrieved, "the number of documents retrieved"),
    _micro(SET_ACCURACY, "micro_Accuracy", _all_documents, "the number of documents in the collection"),
)
