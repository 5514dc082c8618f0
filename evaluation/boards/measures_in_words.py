"""Measures and their numbers in words, for the pages that show a board."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError


def meaning(name: str) -> str:
    """The first sentence of the measure's definition; empty for a name that this version does not know.

    >>> meaning("P@10"), meaning("foo")
    ('Give the share of relevant documents among the first k ranks.', '')
    """
    measure = _known(name)
    return measure.definition.description.split("\n", 1)[0] if measure else ""


def summary_in_words(name: str) -> str:
    """Name how the topics' values are combined into one number: mean, geometric mean or sum.

    >>> summary_in_words("AP"), summary_in_words("GMAP"), summary_in_words("num_rel")
    ('mean', 'geometric mean', 'sum')
    """
    measure = _known(name)
    return measure.definition.summary if measure else "mean"


def leaves_missed_topics_out(name: str) -> bool:
    """Whether the measure is averaged over the topics that a run answers: it says how much of them is judged.

    >>> leaves_missed_topics_out("Judged@10"), leaves_missed_topics_out("AP")
    (True, False)
    """
    measure = _known(name)
    return measure is not None and measure.definition.missed == "left out"


def scores_missed_topics_as_empty(name: str) -> bool:
    """Whether a topic without an answer counts what an empty ranking scores, which need not be the worst value.

    >>> scores_missed_topics_as_empty("utility"), scores_missed_topics_as_empty("AP")
    (True, False)
    """
    measure = _known(name)
    return measure is not None and measure.definition.missed == "empty ranking"


def written(number: float, summary: str) -> str:
    """The number as tables print it: a sum of counts whole, all else with four decimals.

    >>> written(0.25, "mean"), written(12.0, "sum")
    ('0.2500', '12')
    """
    return f"{number:.0f}" if summary == "sum" else f"{number:.4f}"


def ranks_in_words(first: int, last: int) -> str:
    """One rank, or the range of several; empty for 0, where there is none.

    >>> ranks_in_words(2, 2), ranks_in_words(2, 4), ranks_in_words(0, 0)
    ('2', '2–4', '')
    """
    if not first:
        return ""
    return str(first) if first == last else f"{first}–{last}"


def parameters_in_words(name: str) -> list[str]:
    """Everything that the name leaves open and a number depends on: the gain, the lowest relevant grade, alpha, p, ...

    >>> parameters_in_words("nDCG@10"), parameters_in_words("RBP(p=0.8,rel=2)")
    (['linear gain (the grade itself)'], ['relevant from grade 2', 'p = 0.8'])
    """
    measure = _known(name)
    given = measure.given if measure else {}
    words = []
    if "gain" in given:
        words.append(_gain(str(given["gain"])))
    if "rel" in given:
        words.append(f"relevant from grade {given['rel']}")
    numbers = {name: value for name, value in given.items() if type(value) in (int, float) and name not in ("k", "rel")}
    return [*words, *(f"{'α' if name == 'alpha' else name} = {value}" for name, value in numbers.items())]


@dataclass(frozen=True, slots=True)
class WrittenMean:
    """`terms`: what the number depends on. `over_answered`: whether it is over the topics that the run answers only."""

    measure: str
    number: str
    terms: list[str]
    over_answered: bool


def written_means(measures: Sequence[str], means: Mapping[str, float]) -> list[WrittenMean]:
    """The means of a run as pages show them, in the order of the measures.

    >>> [(one.measure, one.number) for one in written_means(["AP"], {"AP": 0.25})]
    [('AP', '0.2500')]
    """
    return [
        WrittenMean(
            measure=name,
            number=written(means[name], summary_in_words(name)),
            terms=parameters_in_words(name),
            over_answered=leaves_missed_topics_out(name),
        )
        for name in measures
    ]


def relevance_in_words(names: Iterable[str]) -> str:
    """From which grade the measures that only know relevant or not take a document as relevant; empty without such measures.

    >>> relevance_in_words(["nDCG@10", "AP(rel=2)", "P(rel=2)@5"]), relevance_in_words(["nDCG@10"])
    ('relevant from grade 2', '')
    """
    known = [measure for name in names if (measure := _known(name)) and "rel" in measure.given]
    grades = sorted({str(measure.given["rel"]) for measure in known})
    return f"relevant from grade {' or '.join(grades)}{', as their names say' * (len(grades) > 1)}" if grades else ""


def _gain(gain: str) -> str:
    if gain == "linear":
        return "linear gain (the grade itself)"
    if gain == "exponential":
        return "exponential gain (2^grade − 1)"
    listed = ", ".join(pair.replace(":", " gives ") for pair in gain.split(";"))
    return f"gains of the task's scale: grade {listed}; other grades their own value"


def _known(name: str) -> Measure | None:
    try:
        return parse_measure(name)
    except MeasureNameError:
        return None


def in_percent(share: float) -> str:
    """A share as people write it.

    >>> in_percent(0.125)
    '12.5 %'
    """
    return f"{100 * share:.1f} %"
