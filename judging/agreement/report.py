"""PURE: the agreement of all assessors of a task: of the whole, of each topic, of each two assessors, and over time.

A frame of judgments has one row (topic, docno, assessor, pass_number, grade, judged_at) for each current grade; `assessor` is
a name. Only a person's first pass counts towards agreement with others; their later ones are compared with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import polars as pl

from judging.agreement.days import Day, pairs_by_day
from judging.agreement.figures import (
    NOMINAL,
    ORDINAL,
    Counts,
    Floats,
    alpha_interval,
    cohen_kappa,
    coincidences,
    confusion,
    fleiss_kappa,
    krippendorff_alpha,
    overlap,
    strictness,
    votes,
)

JUDGMENTS_SCHEMA: Final = {
    "topic": pl.String,
    "docno": pl.String,
    "assessor": pl.String,
    "pass_number": pl.Int32,
    "grade": pl.Int32,
    "judged_at": pl.Int64,
}
THIRDS: Final = 3
KEY: Final = ["topic", "docno"]


@dataclass(frozen=True)
class Agreement:
    """Figures of documents that at least two assessors graded; NaN where a figure is not defined.

    `agreed`: share of pairs of grades of one document that are equal; `fleiss` is over the `fleiss_documents` with the most
    frequent number of grades, `fleiss_grades`; `low`, `high`: 95 % interval of the ordinal alpha over topics.
    """

    documents: int
    grades: int
    agreed: float
    alpha_ordinal: float
    alpha_nominal: float
    fleiss: float
    fleiss_documents: int
    fleiss_grades: int
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class Pair:
    """Two assessors on the documents that both graded; rows of `table` are the grades of the first."""

    first: str
    second: str
    documents: int
    agreed: float
    overlap: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float
    table: Counts


@dataclass(frozen=True)
class Person:
    """One assessor: by how much they grade below the others on shared documents, in all and in each third of their time.

    `repeats`: documents that they graded twice themselves, of which the share `repeats_agreed` twice alike.
    """

    name: str
    documents: int
    strictness: float
    thirds: tuple[float, ...]
    repeats: int
    repeats_agreed: float
    repeats_kappa: float


@dataclass(frozen=True)
class Report:
    scale: tuple[int, ...]
    whole: Agreement
    topics: tuple[tuple[str, Agreement], ...]
    pairs: tuple[Pair, ...]
    people: tuple[Person, ...]
    days: tuple[Day, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.whole.documents and not any(person.repeats for person in self.people)


def agreement_report(judgments: pl.DataFrame, scale: Sequence[int], lowest_relevant: int) -> Report:
    """All figures of a frame of judgments as the module describes it; `scale` ascending, topics in the order of the frame.

    >>> rows = [("1", "a", "ann", 1, 2, 0), ("1", "a", "bob", 1, 2, 0), ("1", "b", "ann", 1, 0, 1), ("1", "b", "bob", 1, 1, 1)]
    >>> frame = pl.DataFrame(rows, schema=JUDGMENTS_SCHEMA, orient="row")
    >>> report = agreement_report(frame, [0, 1, 2], 1)
    >>> report.whole.documents, report.whole.agreed, report.pairs[0].overlap
    (2, 0.5, 0.5)
    """
    firsts = judgments.filter(pl.col("pass_number") == pl.col("pass_number").min().over([*KEY, "assessor"]))
    shared = firsts.filter(pl.col("assessor").n_unique().over(KEY) > 1)
    names = sorted(set(judgments["assessor"].to_list()))
    grades, topics = _matrix(shared, names)
    counted = votes(grades, scale)
    return Report(
        tuple(scale),
        _of(counted, topics),
        tuple((topic, _of(counted[topics == topic], topics[topics == topic])) for topic in _in_order(topics)),
        tuple(_pairs(grades, names, scale, lowest_relevant)),
        tuple(_people(judgments, shared, grades, names, scale)),
        pairs_by_day(shared.unique([*KEY, "assessor"], keep="last", maintain_order=True)),
    )


def _in_order(topics: Any) -> list[str]:
    return list(dict.fromkeys(topics.tolist()))


def _matrix(shared: pl.DataFrame, names: Sequence[str]) -> tuple[Floats, Any]:
    """Grades as float64 (documents, assessors), NaN where none was given, and the topic of each document."""
    documents = shared.select(KEY).unique(maintain_order=True).with_row_index("row")
    columns = pl.DataFrame({"assessor": list(names)}, schema={"assessor": pl.String}).with_row_index("column")
    placed = shared.join(documents, on=KEY).join(columns, on="assessor")
    grades = np.full((documents.height, len(names)), np.nan)
    grades[placed["row"].to_numpy(), placed["column"].to_numpy()] = placed["grade"].to_numpy()
    return grades, np.array(documents["topic"].to_list(), dtype=object)


def _of(counted: Counts, topics: Any) -> Agreement:
    given = counted.sum(axis=1)
    observed = coincidences(counted)
    most = int(np.bincount(given).argmax()) if len(given) else 0
    of_most = counted[given == most]
    pairs = float((given * (given - 1)).sum())
    low, high = (
        alpha_interval(np.stack([coincidences(counted[topics == one]) for one in _in_order(topics)]))
        if len(given)
        else (np.nan, np.nan)
    )
    return Agreement(
        documents=len(given),
        grades=int(given.sum()),
        agreed=float((counted * (counted - 1)).sum()) / pairs if pairs else float("nan"),
        alpha_ordinal=float(krippendorff_alpha(observed, ORDINAL)),
        alpha_nominal=float(krippendorff_alpha(observed, NOMINAL)),
        fleiss=fleiss_kappa(of_most) if most > 1 else float("nan"),
        fleiss_documents=len(of_most) if most > 1 else 0,
        fleiss_grades=most,
        low=float(low),
        high=float(high),
    )


def _pairs(grades: Floats, names: Sequence[str], scale: Sequence[int], lowest: int) -> list[Pair]:
    found = []
    for one, other in combinations(range(len(names)), 2):
        both = ~np.isnan(grades[:, one]) & ~np.isnan(grades[:, other])
        if both.any():
            first, second = grades[both, one], grades[both, other]
            table = confusion(first, second, scale)
            found.append(
                Pair(
                    names[one],
                    names[other],
                    int(both.sum()),
                    float((first == second).mean()),
                    overlap(first >= lowest, second >= lowest),
                    cohen_kappa(table),
                    cohen_kappa(table, "linear"),
                    cohen_kappa(table, "quadratic"),
                    table,
                )
            )
    return found


def _people(
    judgments: pl.DataFrame, shared: pl.DataFrame, grades: Floats, names: Sequence[str], scale: Sequence[int]
) -> list[Person]:
    given = ~np.isnan(grades)
    places = np.where(
        given, np.searchsorted(scale, np.where(given, grades, scale[0])), np.nan
    )  # steps, whatever numbers they have
    below, documents = strictness(places), given.sum(axis=0)
    on_scale = shared.with_columns(grade=pl.col("grade").replace_strict(list(scale), range(len(scale))))
    thirds, twice = _by_third(on_scale), _twice(judgments)
    people = []
    for place, name in enumerate(names):
        own = twice.filter(pl.col("assessor") == name)
        first, again = (own[column].to_numpy().astype(np.float64) for column in ("grade", "again"))
        people.append(
            Person(
                name,
                int(documents[place]),
                float(below[place]),
                tuple(thirds.get((name, third), float("nan")) for third in range(THIRDS)),
                own.height,
                float((first == again).mean()) if own.height else float("nan"),
                cohen_kappa(confusion(first, again, scale)) if own.height else float("nan"),
            )
        )
    return [person for person in people if person.documents or person.repeats]


def _by_third(shared: pl.DataFrame) -> dict[tuple[str, int], float]:
    """The strictness of each assessor in each third of the shared documents that they judged, in the order of time."""
    given, mean = pl.len().over(KEY), pl.col("grade").mean().over(KEY)
    of_others = (mean * given - pl.col("grade")) / (given - 1)
    place = pl.struct("judged_at", *KEY).rank("ordinal").over("assessor") - 1
    third = (place * THIRDS) // pl.len().over("assessor")
    table = shared.with_columns(below=of_others - pl.col("grade"), third=third.cast(pl.Int64))
    means = table.group_by("assessor", "third").agg(pl.col("below").mean())
    return {(name, int(third)): below for name, third, below in means.iter_rows()}


def _twice(judgments: pl.DataFrame) -> pl.DataFrame:
    """The first and the next grade of documents that one assessor graded in several passes."""
    ordered = judgments.sort("pass_number").group_by([*KEY, "assessor"], maintain_order=True)
    found = ordered.agg(pl.col("grade").first(), again=pl.col("grade").get(1, null_on_oob=True))
    return found.drop_nulls("again")
