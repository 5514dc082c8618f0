"""What is still outside, by the documents that were drawn at random: a control sample, strata, or unequal probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from pooling.core.completeness.outside import LEVEL, PAIR, NoEstimate, Outside, outside
from pooling.core.strategies.strata import CHOSEN, FOUND

METHOD: Final = "random sample"
ASSUMPTIONS: Final = {
    "stratum": (
        "Among the documents that could have been drawn, the judged ones of each topic and stratum are a random part of it, "
        "as they are once the whole sample is judged."
    ),
    "probability": (
        "Among the documents that could have been drawn, each was drawn independently with its probability, no relevant one "
        "with a smaller probability than any judged one, and the drawn ones are judged, or a random part of them is."
    ),
}
SILENT: Final = "in every topic there is a stratum of the sample without any judged document"
NO_RANDOM_PART: Final = (
    "what is judged of the sample is no random part of it, since other pools had it judged. "
    "Judge the whole sample of a topic"
)
BENT: Final = (pl.col("elsewhere") > 0) & (pl.col("judged") < pl.col("drawn"))
BY_HAND: Final = pl.col("stratum").eq_missing(FOUND)
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Documents of the topics and strata that are sampled: `judged` of the drawn, `relevant` of these, `size` of all."""

    judged: int
    relevant: int
    size: int


def by_random_sample(
    entries: pl.DataFrame, frame: pl.DataFrame | None, sampling: Literal["stratum", "probability"] = "stratum"
) -> Outside | NoEstimate:
    """Relevant documents not found among those that could have been drawn, from the random part that is judged.

    entries: as the package describes; those whose stratum has undrawn documents are the sample, the others count as found.
    A column `elsewhere` tells which were judged for another reason than this sample, through another pool: as long as other
    documents of a topic's sample have no grade, what is judged there is no random part of it, and the topic is left out.
    A column `chosen` tells which a policy chose, also out of the sample: they count as found, and are no part of their stratum.
    frame: topic, docno, stratum of the documents that were not drawn; those among the entries are left out, since they were
    added and judged for another reason than chance. Only those found by hand (stratum FOUND) stay in it, as
    `strata.with_strata` explains, and the relevant ones are taken off what is expected.

    f of a judged document, the chance that it is among the judged ones: in strata n / N, judged of all documents of its topic
    and stratum (simple random sampling); with probabilities its own times the judged part of its topic's entries (Poisson
    sampling). Expected = sum over relevant ones of (1 - f) / f, which is Horvitz and Thompson's (1952) total less what was
    found. A stratum without any judged document says nothing, so its topic is left out.

    Interval: number not found before the x-th (low) and the (x + 1)-th (high) relevant one is drawn, a negative binomial
    distribution; that is Clopper and Pearson's (1934) inversion of the binomial test for an unknown number of trials, and holds
    if nothing relevant was drawn. For unequal f a negative binomial of the same mean and variance, the further one
    taken at the smallest f, as Fay and Feuer (1997) do for weighted Poisson counts; simple random sampling varies less than
    the binomial does. No end is above the number of documents without a grade.

    >>> entries = pl.DataFrame({"topic": ["1"] * 3, "docno": list("abc"), "stratum": [1, 2, 2], "relevant": [True, True, False]})
    >>> frame = pl.DataFrame({"topic": ["1"] * 6, "docno": list("defghi"), "stratum": [2] * 6})
    >>> estimate = by_random_sample(entries, frame)
    >>> estimate.expected, estimate.low, estimate.high, estimate.share
    (3.0, 0.0, 6.0, 0.6)
    """
    entries = _strata(entries)
    undrawn = None if frame is None else _strata(frame).join(entries.filter(~BY_HAND), on=PAIR, how="anti")
    if undrawn is None and "inclusion_probability" in entries.columns and (entries["inclusion_probability"] < 1).any():
        return NoEstimate(METHOD, "the pool does not name the documents that could have been drawn and were not")
    if undrawn is None or undrawn.is_empty():
        return NoEstimate(METHOD, "no document that could have been drawn at random is outside the pool")
    return _estimated(entries, undrawn, sampling)


def sample_size(entries: pl.DataFrame, frame: pl.DataFrame) -> SampleSize:
    """What `by_random_sample` estimates from, over the topics that it does not leave out.

    >>> entries = pl.DataFrame({"topic": ["1"] * 3, "docno": list("abc"), "stratum": [1, 2, 2], "relevant": [True, True, False]})
    >>> frame = pl.DataFrame({"topic": ["1"] * 6, "docno": list("defghi"), "stratum": [2] * 6})
    >>> sample_size(entries, frame)
    SampleSize(judged=2, relevant=1, size=8)
    """
    entries = _strata(entries)
    counted = _heard(_counted(entries, _strata(frame).join(entries.filter(~BY_HAND), on=PAIR, how="anti")))
    judged = entries.join(counted, on=["topic", "stratum"], how="semi")["relevant"]
    return SampleSize(judged.count(), int(judged.sum()), int(counted["size"].sum()))


def likely_range(relevant: float, rate: float, most: float) -> tuple[float, float]:
    """The interval of the number not found if so many relevant documents are judged, each with the chance `rate`.

    >>> likely_range(0, 0.1, 90)
    (0.0, 35.0)
    """
    ends = []
    for count, level in ((relevant, (1 - LEVEL) / 2), (relevant + 1, (1 + LEVEL) / 2)):
        mean = count * (1 - rate) / rate
        ends.append(min(_quantile(level, mean, mean / rate), most))
    return ends[0], ends[1]


def _heard(counted: pl.DataFrame) -> pl.DataFrame:
    """Without topics that have a stratum of which nothing is judged, or a part that is not a random one."""
    silent = counted.filter((pl.col("judged") == 0) | BENT)["topic"].unique()
    return counted.filter(~pl.col("topic").is_in(silent.implode()))


def _estimated(entries: pl.DataFrame, undrawn: pl.DataFrame, sampling: str) -> Outside | NoEstimate:
    all_counted = _counted(entries, undrawn)
    counted = _heard(all_counted)
    if counted.is_empty():
        return NoEstimate(METHOD, NO_RANDOM_PART if all_counted.select(BENT.any()).item() else SILENT)
    silent = all_counted.join(counted, on="topic", how="anti")
    heard = entries.join(silent, on="topic", how="anti", maintain_order="left")
    rated = _rated(heard, counted, sampling)
    rates = rated.filter(pl.col("relevant"))["rate"].to_numpy()
    otherwise = heard.filter(BY_HAND).join(undrawn, on=PAIR, how="semi")["relevant"]
    unknown = int((counted["size"] - counted["judged"]).sum()) - otherwise.count()
    ends = _ends(rates, float(rated["rate"].to_numpy().min()), int(otherwise.sum()), unknown)
    return outside(METHOD, int(heard["relevant"].sum()), ends, ASSUMPTIONS[sampling], heard["topic"].n_unique())


def _strata(table: pl.DataFrame) -> pl.DataFrame:
    stratum = pl.col("stratum").cast(pl.Int32)
    if "chosen" in table.columns:
        stratum = pl.when("chosen").then(pl.lit(CHOSEN, pl.Int32)).otherwise(stratum)
    return table.with_columns(pl.col("topic").cast(pl.String), stratum.alias("stratum"))


def _counted(entries: pl.DataFrame, undrawn: pl.DataFrame) -> pl.DataFrame:
    """Per topic and stratum with undrawn documents: `judged`, `elsewhere` and `drawn` entries, the `size` of the stratum."""
    key = ["topic", "stratum"]
    left = undrawn.group_by(key).agg(undrawn=pl.len())
    is_judged = pl.col("relevant").is_not_null()
    elsewhere = pl.col("elsewhere") if "elsewhere" in entries.columns else pl.lit(value=False)
    held = entries.group_by(key).agg(drawn=pl.len(), judged=is_judged.sum(), elsewhere=(is_judged & elsewhere).sum())
    joined = left.join(held, on=key, how="left").with_columns(pl.col("drawn", "judged", "elsewhere").fill_null(0))
    return joined.with_columns(size=pl.col("drawn") + pl.col("undrawn"))


def _rated(entries: pl.DataFrame, counted: pl.DataFrame, sampling: str) -> pl.DataFrame:
    """The judged documents of the sample with `rate`."""
    judged = entries.filter(pl.col("relevant").is_not_null()).join(counted, on=["topic", "stratum"])
    if sampling == "probability":
        return judged.with_columns(rate=pl.col("inclusion_probability") * pl.col("judged") / pl.col("drawn"))
    return judged.with_columns(rate=pl.col("judged") / pl.col("size"))


def _ends(rates: FloatArray, smallest: float, otherwise: int, most: int) -> tuple[float, float, float]:
    """Expected, low and high number of relevant documents not found: not drawn, less those that were found otherwise."""
    mean, variance = _moments(rates)
    further_mean, further_variance = _moments(np.append(rates, smallest))
    low = _quantile((1 - LEVEL) / 2, mean, variance)
    high = _quantile((1 + LEVEL) / 2, further_mean, further_variance)
    ends = np.clip(np.array([mean, low, high]) - otherwise, 0.0, float(most)).tolist()
    return ends[0], ends[1], ends[2]


def _moments(rates: FloatArray) -> tuple[float, float]:
    missed = 1 - rates
    return float((missed / rates).sum()), float((missed / rates**2).sum())


def _quantile(level: float, mean: float, variance: float) -> float:
    """Of the negative binomial distribution with this mean and variance (larger than the mean); 0 where the mean is 0."""
    from scipy.special import nbdtrik  # slow to load, and 27 MB

    if mean <= 0:
        return 0.0
    rate = mean / variance
    return max(0.0, float(np.ceil(nbdtrik(level, mean * rate / (1 - rate), rate) - 1e-9)))
