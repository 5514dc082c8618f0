"""The measures that tasks name: what they are on a task's grade scale, and whether they can stand on its board."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.gains import gain_name, gains_of
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError, Value

COMPARED_BY_TOPIC: Final = ("mean", "sum", "geometric mean")
NO_MEASURES: Final = {
    "num_q": "It counts the topics: it is no measure of a run. The board says over how many topics it is.",
    "runid": "It is the tag of a run: it is no measure.",
    "relstring": "It is a text: it is no measure. The command prints it.",
}
"""Names that trec_eval prints among its measures, without case."""
UNLIKE_SCALES: Final[tuple[Mapping[int, float], ...]] = ({0: 0, 1: 1}, {0: 0, 1: 2, 2: 7})
"""Gains by grade, unlike in gain and highest grade: what one name gives under both is the same whatever the scale."""


@dataclass(frozen=True, slots=True)
class GradeScale:
    """`gains`: grade to gain. `lowest_relevant`: documents of this grade or above are relevant."""

    gains: Mapping[int, float]
    lowest_relevant: int

    def up_to(self, grade: int) -> "GradeScale":
        """The scale with a grade above all of its own, of qrels that have another one: exponential like the others, else linear.

        >>> GradeScale({0: 0, 1: 1}, lowest_relevant=1).up_to(3).gains
        {0: 0, 1: 1, 3: 3.0}
        """
        if grade <= max(self.gains, default=0):
            return self
        [gain] = gains_of(np.array([grade]), "exponential" if gain_name(self.gains) == "exponential" else "linear")
        return GradeScale({**self.gains, grade: float(gain)}, self.lowest_relevant)

    def measure(self, name: str) -> Measure:
        """Read the name; what it leaves open follows from the scale: gains, highest grade, lowest relevant grade.

        Grades of subtopics are a scale of their own, 1 for covered: there the lowest relevant grade is 1 unless the name
        says otherwise. MeasureNameError for a name unknown.

        >>> scale = GradeScale({0: 0, 1: 1, 2: 2, 3: 3}, lowest_relevant=2)
        >>> [scale.measure(name).name for name in ("AP", "AP(rel=1)", "nDCG@10", "ERR@20", "alpha-nDCG@10")]
        ['AP(rel=2)', 'AP', 'nDCG@10', 'ERR(max_rel=3)@20', 'alpha-nDCG@10']
        """
        highest = max(self.gains, default=0)
        of_grades: dict[str, Value] = {"gain": gain_name(self.gains), **({"max_rel": highest} if highest else {})}
        measure = parse_measure(name, defaults=of_grades)
        if measure.definition.judgments.by_subtopic:
            return measure
        return parse_measure(name, defaults={**of_grades, "rel": self.lowest_relevant})


def known_measures_of(names: Iterable[str]) -> list[Measure]:
    """Those of the names that this version knows.

    >>> [measure.name for measure in known_measures_of(["map", "foo@10"])]
    ['AP']
    """
    known = []
    for name in names:
        try:
            known.append(parse_measure(name))
        except MeasureNameError:
            continue
    return known


def tells_how_much_is_judged(names: Iterable[str]) -> bool:
    """Whether one of the measures tells how much of the runs is judged.

    >>> tells_how_much_is_judged(["AP", "Judged@10"]), tells_how_much_is_judged(["AP", "num_ret"])
    (True, False)
    """
    return any(measure.definition.tells == "judged" for measure in known_measures_of(names))


def by_subtopic(names: Iterable[str]) -> list[str]:
    """Those of the names whose measures are computed from judgments of subtopics.

    >>> by_subtopic(["AP", "alpha-nDCG@10", "foo@10", "StRecall@20"])
    ['alpha-nDCG@10', 'StRecall@20']
    """
    return [name for name in names if any(one.definition.judgments.by_subtopic for one in known_measures_of([name]))]


def is_of_quality(name: str) -> bool:
    """Whether a measure tells how good a run is, and so may rank runs: not how much is judged, or retrieved.

    >>> is_of_quality("AP"), is_of_quality("Judged@10"), is_of_quality("num_ret")
    (True, False, False)
    """
    return told_by(name) == "relevance"


def told_by(name: str) -> str:
    """What a measure tells of a run; relevance of a name that this version does not know.

    >>> told_by("AP"), told_by("Judged@10"), told_by("num_ret"), told_by("foo@10")
    ('relevance', 'judged', 'retrieved', 'relevance')
    """
    return next((measure.definition.tells for measure in known_measures_of([name])), "relevance")


def no_ranks_by(name: str) -> str:
    """
    >>> no_ranks_by("Judged@10")
    'There are no ranks by Judged@10: it does not tell how good a run is.'
    """
    return f"There are no ranks by {name}: it does not tell how good a run is."


def sides_in_words(name: str, *, lower_is_better: bool) -> tuple[str, str]:
    """What a run is called that a comparison by the measure shows to be on the better side, and one on the other.

    >>> sides_in_words("AP", lower_is_better=False), sides_in_words("Judged@10", lower_is_better=False)
    (('better', 'worse'), ('higher', 'lower'))
    """
    if is_of_quality(name):
        return "better", "worse"
    return ("lower", "higher") if lower_is_better else ("higher", "lower")


def ends_in_words(name: str, *, lower_is_better: bool) -> tuple[str, str]:
    """What the run is called that stands first by the measure, and the one that stands last.

    >>> ends_in_words("AP", lower_is_better=False), ends_in_words("Judged@10", lower_is_better=False)
    (('best', 'worst'), ('highest', 'lowest'))
    """
    if is_of_quality(name):
        return "best", "worst"
    return ("lowest", "highest") if lower_is_better else ("highest", "lowest")


def name_problems(names: Sequence[str], lowest_relevant: int = 1) -> list[str]:
    """What is wrong with names of measures for the board of a task: one sentence or two for each, with what is meant.

    Two are the same measure only if they are on every scale of this lowest relevant grade: the task's grades can change later.

    >>> name_problems(["AP", "iprec_at_recall_0.00", "RBP(p=0.8,rel=2)"])
    []
    >>> name_problems(["AP", "AP(rel=1)"], lowest_relevant=2)
    []
    >>> name_problems(["num_q"])
    ['num_q: It counts the topics: it is no measure of a run. The board says over how many topics it is.']
    """
    problems: list[str] = []
    scales = [GradeScale(gains, lowest_relevant) for gains in UNLIKE_SCALES]
    earlier: dict[tuple[str, ...], str] = {}
    for name in names:
        try:
            measure = _measure(name)
        except MeasureNameError as unknown:
            problems.append(str(unknown))
            continue
        is_now = tuple(scale.measure(name).name for scale in scales)
        if unfit := unfit_problem(measure):
            problems.append(unfit)
        elif is_now in earlier:
            first = earlier[is_now]
            same = "is named twice" if first == name else f"and {name} are the same measure"
            problems.append(f"{first} {same}: leave one out.")
        earlier.setdefault(is_now, name)
    return problems


def unfit_problem(measure: Measure) -> str:
    """Why a measure cannot stand on the board of a task, and what can; empty if it can.

    >>> unfit_problem(parse_measure("AP")), unfit_problem(parse_measure("micro_P")).split(",")[0]
    ('', 'micro_P cannot stand on a leaderboard')
    """
    if measure.definition.summary not in COMPARED_BY_TOPIC:
        return (
            f"{measure.name} cannot stand on a leaderboard, which compares runs topic by topic: name the measure that is "
            "averaged over topics (SetP instead of micro_P)."
        )
    return ""


def _measure(name: str) -> Measure:
    if words := NO_MEASURES.get(name.strip().lower()):
        raise MeasureNameError(f"{name}: {words}")
    return parse_measure(name, defaults={"max_rel": 1})
