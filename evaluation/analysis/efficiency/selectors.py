"""What the runs of a board cost, as far as the reader may see their metadata."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.analysis.efficiency.figures import costs_in, on_frontier
from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.selectors.board_views import BoardView


@dataclass(frozen=True, eq=False)
class Efficiency:
    """The runs that give the chosen quantity and have a score, the cheapest first; arrays (n_runs,)."""

    seen: BoardView
    measure: str
    quantity: str
    quantities: list[str]
    tags: list[str]
    cost: FloatArray
    means: FloatArray
    frontier: BoolArray

    @property
    def side(self) -> str:
        """What a run is called that another one is not as good as, by the measure."""
        return self.seen.board.column(self.measure).sides[0]


def efficiency_of(seen: BoardView, query: Mapping[str, str]) -> Efficiency | None:
    """None where no run that the reader may open gives a time or cost; the quantity that most runs give comes first."""
    given = {place: costs_in(run.metadata) for place, run in seen.runs_open(seen.places_open).items()}
    names = [name for costs in given.values() for name in costs]
    quantities = sorted(set(names), key=lambda name: (-names.count(name), name))
    if not quantities:
        return None
    measure, asked = seen.measure(query.get("measure", "")), query.get("quantity", "")
    quantity = asked if asked in quantities else quantities[0]
    column = seen.board.column(measure)
    known = [place for place, costs in given.items() if quantity in costs and np.isfinite(column.mean[place])]
    places = sorted(known, key=lambda place: (given[place][quantity], place))
    cost = np.array([given[place][quantity] for place in places], dtype=np.float64)
    means = column.mean[places] if places else np.zeros(0)
    return Efficiency(
        seen=seen,
        measure=measure,
        quantity=quantity,
        quantities=quantities,
        tags=[seen.board.runs[place].tag for place in places],
        cost=cost,
        means=means,
        frontier=on_frontier(cost, -means if column.lower_is_better else means),
    )
