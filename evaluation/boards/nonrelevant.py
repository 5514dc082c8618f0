"""Which measures need judged documents that are not relevant: they tell these from documents that nobody judged."""

from collections.abc import Iterable
from typing import Final

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
