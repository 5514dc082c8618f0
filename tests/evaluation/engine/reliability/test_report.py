"""The report as a whole: every part or the reason why it is missing, the same keys whatever the runs allow."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranking import rank_run
from evaluation.engine.reliability.collection import Collection, OtherJudgments, ReliabilitySettings
from evaluation.engine.reliability.report import PARTS, reliability_report
from evaluation.engine.reliability.sets_of_judgments import common_judgments
from tests.evaluation.engine.reliability.test_unique_documents import DOCNOS, TOPICS, collection

SCHEMA = ["topic", "subtopic", "docno", "grade"]


@pytest.mark.parametrize(("n_runs", "n_topics"), [(1, 3), (1, 1), (3, 1), (3, 3)])
@pytest.mark.parametrize("grade", [0, 1])
def test_a_report_of_little_has_reasons_and_no_number_that_is_not_one(n_runs: int, n_topics: int, grade: int) -> None:
    lines = [(topic, "0", docno, grade) for topic in TOPICS[:n_topics] for docno in DOCNOS]
    judgments = Judgments.from_table(pl.DataFrame(lines, schema=SCHEMA, orient="row"))
    table = pl.DataFrame({"topic": "1", "docno": DOCNOS[:3], "score": [3.0, 2.0, 1.0]})
    runs = [rank_run(table, judgments) for _ in range(n_runs)]
    names = [f"run{number}" for number in range(n_runs)]
    data = reliability_report(runs, names, names, [parse_measure("AP"), parse_measure("P@5")]).to_json()
    assert {name for name in PARTS if data[name] is None} == set(data["reasons"])
    assert ("saturation" in data["reasons"]) == (grade == 0)
    assert len(data["topics_nearly_all_relevant"]) == (n_topics if grade else 0)
    json.dumps(data, allow_nan=False)
    if n_runs > 1 and n_topics == 1:  # no number of topics stands where nothing is known of their differences
        assert {(row["shown"], row["topics_needed"]) for row in data["measures"]} == {(None, None)}


def test_all_parts_are_told_where_everything_is_known_and_the_steps_end_where_they_said() -> None:
    qrels, tables = collection(5, 6)
    judgments = Judgments.from_table(qrels)
    strict = qrels.with_columns(grade=pl.col("grade") - 1)
    common = common_judgments({"A": qrels, "B": strict})
    under = [Judgments.from_table(table) for table in common.tables.values()]
    others = OtherJudgments(common, [[rank_run(table, one) for table in tables] for one in under])
    runs, names = [rank_run(table, judgments) for table in tables], [f"run{number}" for number in range(6)]
    told: list[tuple[int, int, str]] = []
    data = reliability_report(
        runs,
        names,
        ["a", "a", "b", "b", "c", "c"],
        [parse_measure("AP"), parse_measure("P@5")],
        ReliabilitySettings(depth=3),
        progress=lambda *said: told.append(said),
        kinds=["automatic"] * 5 + ["manual"],
        others=others,
    ).to_json()
    assert data["reasons"] == {}
    assert [row["kind"] for row in data["without_unique_documents_by_kind"]] == ["automatic", "manual"]
    assert data["assessor_effect"]["sets"] == ["A", "B", "union"]
    assert [done for done, *_ in told] == sorted(done for done, *_ in told)
    assert told[-1][0] == told[-1][1]
    json.dumps(data, allow_nan=False)


def test_values_that_are_known_already_are_not_computed_anew() -> None:
    qrels, tables = collection(5, 3)
    judgments = Judgments.from_table(qrels)
    runs, names = [rank_run(table, judgments) for table in tables], ["x", "y", "z"]
    known = np.array([[[0.9, 0.1, 0.1]], [[0.5, 0.5, 0.5]], [[0.1, 0.2, 0.1]]])
    data = reliability_report(
        runs, names, ["", "", ""], [parse_measure("AP")], ReliabilitySettings(6), values=known
    ).to_json()
    assert data["without_a_topic"][0]["falling_run"] == "x"
    assert data["reasons"]["without_unique_documents"] == "The board does not name the teams."
    assert data["saturation"]["teams"] is None


def test_runs_that_were_not_pooled_find_nothing_and_nothing_is_told_of_their_teams() -> None:
    qrels, tables = collection(5, 4)
    judgments = Judgments.from_table(qrels)
    runs, names = [rank_run(table, judgments) for table in tables], ["w", "x", "y", "z"]
    depths = ReliabilitySettings(depth=(3, 3, 2, 0))
    data = reliability_report(runs, names, ["a", "b", "b", "c"], [parse_measure("AP")], depths).to_json()
    pooled = ReliabilitySettings(depth=(3, 3, 2))
    without = reliability_report(runs[:3], names[:3], ["a", "b", "b"], [parse_measure("AP")], pooled).to_json()
    told, alone = (
        [(row["team"], row["unique"], row["change_of_best_run"]) for row in found["without_unique_documents"]]
        for found in (data, without)
    )
    assert told == alone
    assert data["saturation"] == without["saturation"]
    assert (data["depth"], data["depths"], data["not_pooled"]) == (None, [2, 3], ["z"])
    nothing = reliability_report(runs, names, names, [parse_measure("AP")], ReliabilitySettings((0, 0, 0, 0))).to_json()
    assert nothing["reasons"]["without_unique_documents"] == nothing["reasons"]["saturation"] == "No run was pooled."


def collection_of_values(values: np.ndarray) -> Collection:
    """Runs of these values by AP, float64 (n_runs, n_topics), of which nothing else is asked."""
    names = [f"run{number}" for number in range(len(values))]
    return Collection([], names, names, (), [parse_measure("AP")], values[:, np.newaxis], ReliabilitySettings())


def test_taus_of_the_report_have_an_interval_where_they_are_not_1_and_topics_are_not_few() -> None:
    data = many_topics_report("AP")
    rows = [*data["without_unique_documents"], *data["assessor_effect"]["pairs"]]
    bounds = [(row["tau"], *row["tau_interval"]) for row in rows if row["tau_interval"] is not None]
    assert len(bounds) > 3
    assert all(-1 <= low < tau < high <= 1 for tau, low, high in bounds)
    assert all(row["tau_interval"] is None for row in rows if row["tau"] in (1, -1))
    halves = data["split_half"]
    low, high = halves["interval"]
    assert low <= halves["low"] <= halves["high"] <= high


def test_taus_of_orders_by_no_mean_over_topics_have_no_interval() -> None:
    data = many_topics_report("GMAP")
    rows = [*data["without_unique_documents"], *data["assessor_effect"]["pairs"]]
    assert {row["tau_interval"] for row in rows} == {None}


def many_topics_report(measure: str) -> dict[str, Any]:
    """The report on six runs of twelve topics, judged by two."""
    random = np.random.default_rng(7)
    topics, docnos = [str(number) for number in range(1, 13)], [f"d{number}" for number in range(12)]
    lines = [(topic, "0", docno, int(random.random() < 0.4)) for topic in topics for docno in docnos]
    qrels = pl.DataFrame(lines, schema=SCHEMA, orient="row")
    other = qrels.with_columns(grade=pl.Series(np.where(random.random(len(lines)) < 0.2, 1, qrels["grade"].to_numpy())))
    common = common_judgments({"A": qrels, "B": other})
    tables = [
        pl.DataFrame({
            "topic": np.repeat(topics, 5),
            "docno": np.concatenate([random.permutation(docnos)[:5] for _ in topics]),
            "score": np.tile(np.arange(5.0, 0, -1), 12),
        })
        for _ in range(6)
    ]  # fmt: skip
    under = [[rank_run(table, Judgments.from_table(one)) for table in tables] for one in common.tables.values()]
    runs = [rank_run(table, Judgments.from_table(qrels)) for table in tables]
    names = [f"run{number}" for number in range(6)]
    settings, others = ReliabilitySettings(depth=5), OtherJudgments(common, under)
    return reliability_report(runs, names, names, [parse_measure(measure)], settings, others=others).to_json()


def test_the_budget_has_means_from_the_best_on_and_differences_of_neighbours_with_the_intervals_of_boards() -> None:
    found = many_topics_report("AP")["error_budget"]
    means = [row["mean"] for row in found["means"]]
    assert means == sorted(means, reverse=True)
    assert [(row["run"], row["next"]) for row in found["differences"]] == [
        (one["run"], other["run"]) for one, other in zip(found["means"][:-1], found["means"][1:], strict=True)
    ]
    assert [row["difference"] for row in found["differences"]] == pytest.approx(-np.diff(means))
    assert found["topics_judged_twice"] == 12
    assert 0 < found["share_by_assessors"] < 2
    assert found["missing"] == {
        "groups": "Who judged is not told for all topics.",
        "draws": "AP is no estimate from a sample.",
    }
