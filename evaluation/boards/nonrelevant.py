"""Which measures need judged documents that are not relevant: they tell these from documents that nobody judged."""

from collections.abc import Iterable
from typing import Final

from evaluation.boards.pool_fit import read_by_estimator
from evaluation.engine.measures.declaration import Definition, Measure

OF_RELEVANCE: Final = frozenset({"bpref", "gm_bpref", "infAP", "num_nonrel_judged_ret"})
"""Besides those that tell how much is judged; tests/evaluation/boards/test_nonrelevant.py holds every measure to it."""


def reads_nonrelevant(definition: Definition) -> bool:
    """Whether its values change if judged non-relevant documents are taken out of the qrels."""
    return definition.tells == "judged" or definition.name in OF_RELEVANCE


def that_need_nonrelevant(measures: Iterable[Measure]) -> list[str]:
    """The names of measures that mean nothing by qrels which hold relevant documents only.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> names = ("nDCG@10", "bpref", "AP", "Judged@10", "P(judged_only=true)@5")
    >>> that_need_nonrelevant(parse_measure(name) for name in names)
    ['bpref', 'Judged@10', 'P(judged_only=true)@5']
    """
    return [one.name for one in measures if reads_nonrelevant(one.definition) or one.given.get("judged_only")]


def that_take_ungraded_for_nonrelevant(measures: Iterable[Measure]) -> list[str]:
    """The names of measures by which a pooled document without a grade is as good as one that was judged non-relevant.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> names = ("nDCG@10", "bpref", "AP", "Judged@10", "xinfAP", "num_ret", "P(judged_only=true)@5")
    >>> that_take_ungraded_for_nonrelevant([parse_measure(name) for name in names])
    ['nDCG@10', 'AP']
    """
    listed = list(measures)
    told_apart = that_need_nonrelevant(listed)
    return [
        one.name
        for one in listed
        if one.definition.tells == "relevance" and read_by_estimator(one) is None and one.name not in told_apart
    ]
