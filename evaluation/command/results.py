"""The results of a run as data: every style makes them, every form of output is printed from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.trec_eval import PrintedMeasure

Cell: TypeAlias = float | int | str


@dataclass(frozen=True, eq=False)
class RunResult:
    """The results of one run.

    `name`: the path as given. `tag`: the run's tag as it is printed, with a baseline that of the baseline too.
    `measures`: in the order in which they are printed.
    `topics`: the topics that are printed, in that order. `answered`: for each of them whether the run retrieves anything
    for it.
    `values`: float64 (n_topics, n_measures); 1 for num_q, 0 where there is no number.
    `texts`: for each measure whose values are texts, its text of every topic.
    `totals`: float64 (n_measures,), the summaries over the topics that the style averages over.
    """

    name: str
    tag: str
    measures: tuple[PrintedMeasure, ...]
    topics: tuple[str, ...]
    answered: tuple[bool, ...]
    values: FloatArray
    totals: FloatArray
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of_topic(self, place: int) -> list[Cell]:
        """Give the values of the topic at this place in `topics`, parallel to `measures`; counts are ints.

        A measure with `shown == "summary"` has no value that would mean anything for a single topic.
        """
        return self._cells(self.values[place], {name: texts[place] for name, texts in self.texts.items()})

    @property
    def summary(self) -> list[Cell]:
        """Give the summaries over the topics, parallel to `measures`; one with `shown == "topic"` means nothing."""
        return self._cells(self.totals, {"runid": self.tag})

    def _cells(self, numbers: FloatArray, texts: Mapping[str, str]) -> list[Cell]:
        cells: list[Cell] = numbers.tolist()
        for place, measure in enumerate(self.measures):
            if measure.form == "count":
                cells[place] = int(cells[place])
            elif measure.form == "text":
                cells[place] = texts.get(measure.name, "")
        return cells
