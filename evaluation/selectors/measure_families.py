"""The measures that boards usually show, by family, for organisers to choose from. Any other measure can be typed."""

from functools import cache
from typing import Final

from campaign.measures import MeasureChoice, MeasureFamily
from evaluation.boards.measures_in_words import meaning

_FAMILIES: Final = (
    (
        "Graded relevance",
        False,
        (
            ("nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "nDCG"),
            ("DCG@5", "DCG@10", "DCG@20"),
            ("ERR@10", "ERR@20"),
            ("nERR@10", "nERR@20"),
            ("RBP(p=0.8)", "RBP(p=0.95)"),
            ("Q",),
        ),
    ),
    (
        "The first ranks, relevant or not",
        False,
        (
            ("P@1", "P@5", "P@10", "P@20", "P@100"),
            ("RR", "RR@10", "RR@100"),
            ("Success@1", "Success@5", "Success@10"),
        ),
    ),
    (
        "The whole ranking, relevant or not",
        False,
        (("AP", "AP@100"), ("GMAP",), ("Rprec",), ("R@10", "R@50", "R@100", "R@1000")),
    ),
    ("Incomplete judgments", False, (("bpref",), ("infAP",), ("Judged@5", "Judged@10", "Judged@20"))),
    ("The retrieved set, without its order", False, (("SetP",), ("SetR",), ("SetF",))),
    (
        "Subtopics",
        True,
        (
            ("alpha-nDCG@10", "alpha-nDCG@20"),
            ("ERR-IA@10", "ERR-IA@20"),
            ("nERR-IA@10", "nERR-IA@20"),
            ("NRBP",),
            ("AP-IA",),
            ("P-IA@10", "P-IA@20"),
            ("StRecall@10", "StRecall@20"),
        ),
    ),
)


@cache
def measure_families() -> tuple[MeasureFamily, ...]:
    """The families in the order of the form; the names of a line differ in their cut-off or parameter alone.

    >>> [family.title for family in measure_families() if family.needs_subtopics]
    ['Subtopics']
    """
    return tuple(
        MeasureFamily(title, tuple(MeasureChoice(names, meaning(names[0])) for names in lines), needs_subtopics)
        for title, needs_subtopics, lines in _FAMILIES
    )
