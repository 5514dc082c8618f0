"""Every number that a reader meets, against trec_eval, scipy and statsmodels: page, CSV, JSON, run page."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from django.core.files.base import ContentFile
from django.test import Client
from scipy import stats

from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import run_table_to_parquet
from campaign.models import Run, User
from campaign.storage import store
from evaluation.models import BoardSettings
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from runpool.templatetags.runpool import p_value
from tests.evaluation.makers import make_qrels
from tests.evaluation.statsmodels_oracle import holm_of_statsmodels
from tests.factories import Cast, make_received_run, make_topics

TOOL = {"nDCG@10": "ndcg_cut_10", "AP": "map", "P@10": "P_10", "RR": "recip_rank", "R@100": "recall_100"}
TOOL |= {"bpref": "bpref", "AP(rel=2)": "map"}
MEASURES = [*TOOL, "Judged@10"]
JUDGED = MEASURES.index("Judged@10")
DOCNOS = [f"d{number}" for number in range(40)] + ["é", "日本", "A", "a"]

RunLines = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


@dataclass
class Case:
    runs: dict[str, RunLines]
    grades: Grades


def make_case(seed: int, n_runs: int, n_topics: int, *, twins: bool = False, all_zero: bool = False) -> Case:
    """Runs with tied scores that miss topics, qrels with unjudged pairs and topics without a relevant document."""
    rng = np.random.default_rng(seed)
    topics = [str(number) for number in range(8, 8 + n_topics)]
    top = 1 if all_zero else 4
    grades = {topic: {doc: int(rng.integers(-2, top)) for doc in rng.choice(DOCNOS, 18, False)} for topic in topics}
    for place, judged in enumerate(grades.values()):
        judged["a"] = 0
        if place % 5 == 4:
            judged.update((doc, min(grade, 0)) for doc, grade in judged.items())
    runs = {f"run{number}": _make_run(rng, topics) for number in range(n_runs)}
    if twins:
        runs["twin"] = runs["run0"]
    return Case(runs, grades)


def _make_run(rng: np.random.Generator, topics: list[str]) -> RunLines:
    answered = [topic for topic in topics if rng.random() < 0.85] or topics[:1]
    return {
        topic: {str(doc): round(float(rng.random()), 1) for doc in rng.choice(DOCNOS, int(rng.integers(1, 44)), False)}
        for topic in answered
    }


def make_scored_run(cast: Cast, tag: str, lines: RunLines) -> Run:
    content = "".join(
        f"{topic} Q0 {doc} 1 {score} {tag}\n" for topic, docs in lines.items() for doc, score in docs.items()
    ).encode()
    table = store(ContentFile(run_table_to_parquet(check_run(BytesIO(content), RunRules()).table)), folder="tables")
    return make_received_run(cast.task, cast.team, tag, content, state=Run.VALID, table=table.name)


def expected_values(case: Case, lines: RunLines) -> np.ndarray:
    """Measures by topics, by trec_eval; a topic that the run misses counts 0, and is left out (NaN) of Judged@10."""
    topics = sorted(case.grades)
    by_level = {
        level: pytrec_eval.RelevanceEvaluator(case.grades, set(TOOL.values()), relevance_level=level).evaluate(lines)
        for level in (1, 2)
    }
    values = np.zeros((len(MEASURES), len(topics)))
    values[JUDGED] = np.nan
    for column, topic in enumerate(topics):
        if topic not in lines:
            continue
        for row, measure in enumerate(TOOL):
            values[row, column] = by_level[2 if "rel=2" in measure else 1][topic][TOOL[measure]]
        order = sorted(lines[topic], key=lambda doc: (lines[topic][doc], doc.encode()), reverse=True)[:10]
        values[JUDGED, column] = np.mean([case.grades[topic].get(doc, -1) >= 0 for doc in order])
    return values


def expected_p(x: np.ndarray, y: np.ndarray) -> float:
    """Two-sided paired t over the topics that both runs have; 1 for identical runs and for fewer than two topics."""
    both = ~np.isnan(x) & ~np.isnan(y)
    same = both.sum() < 2 or np.allclose(x[both], y[both])
    return 1.0 if same else float(stats.ttest_rel(x[both], y[both]).pvalue)


def expected_tests(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every run against the first one, raw and corrected by Holm for all pairs of runs; NaN for that run itself."""
    runs = range(len(matrix))
    pairs = [(x, y) for x in runs for y in runs if x < y]
    raw = [expected_p(matrix[x], matrix[y]) for x, y in pairs]
    corrected = holm_of_statsmodels(raw) if raw else []
    p, holm = np.full(len(matrix), np.nan), np.full(len(matrix), np.nan)
    for (x, y), of_pair, of_pair_corrected in zip(pairs, raw, corrected, strict=True):
        if x == 0:
            p[y], holm[y] = of_pair, of_pair_corrected
    return p, holm


def means_of(values: np.ndarray) -> np.ndarray:
    """Means over the topics that have a value, 0 where none has."""
    known = ~np.isnan(values)
    means: np.ndarray = np.where(known, values, 0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
    return means


def get(user: User | None, url: str) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(url)
    assert response.status_code == 200, url
    return response.getvalue().decode()


def table_lines(page: str) -> list[list[str]]:
    body = page.split("<tbody>")[1].split("</tbody>")[0]
    cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL) for line in body.split("<tr>")[1:])
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in line] for line in cells]


CASES = {
    "many runs": make_case(1, 6, 12),
    "one run": make_case(2, 1, 7),
    "one topic": make_case(3, 4, 1),
    "two topics": make_case(4, 3, 2),
    "identical runs": make_case(5, 3, 9, twins=True),
    "nothing relevant": make_case(6, 3, 6, all_zero=True),
}


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def published(case: Case, cast: Cast, django_capture_on_commit_callbacks: Callable[..., Any]) -> Cast:
    make_topics(cast.task, list(case.grades))
    cast.task.measures = MEASURES
    cast.task.save()
    make_qrels(cast.task, case.grades, cast.organiser)
    for tag, lines in case.runs.items():
        make_scored_run(cast, tag, lines)
    BoardSettings.objects.create(task=cast.task, test="t", correction="holm", baseline=next(iter(case.runs)))
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    leaderboard_publish(actor=cast.organiser, task=cast.task, terms=Terms(note="é"))
    return cast


def test_every_number_shown_is_that_of_the_oracles(case: Case, published: Cast) -> None:
    tags, topics = list(case.runs), sorted(case.grades)
    values = np.array([expected_values(case, case.runs[tag]) for tag in tags])
    task = published.task
    data = json.loads(get(None, task.url("leaderboard_json", number=1)))
    by_tag = {run["tag"]: run for run in data["runs"]}
    lines = {
        line["run"]: line for line in csv.DictReader(io.StringIO(get(None, task.url("leaderboard_csv", number=1))))
    }
    assert get(published.organiser, task.url("score_board_csv")) == get(None, task.url("leaderboard_csv", number=1))
    assert data["topics"] == topics
    for place, tag in enumerate(tags):
        answered = sum(topic in case.runs[tag] for topic in topics)
        assert by_tag[tag]["topics_answered"] == int(lines[tag]["topics_answered"]) == answered
        for row, measure in enumerate(MEASURES):
            exported = [np.nan if value is None else value for value in by_tag[tag]["values"][measure]]
            assert exported == pytest.approx(values[place, row], abs=1e-12, nan_ok=True)

    for row, measure in enumerate(MEASURES):
        matrix = values[:, row]
        p, holm = expected_tests(matrix)
        for place, tag in enumerate(tags):
            cell, line = by_tag[tag]["cells"][measure], lines[tag]
            known = matrix[place][~np.isnan(matrix[place])]
            mean = means_of(matrix)[place]
            assert cell["mean"] == pytest.approx(mean, abs=1e-12)
            difference = mean - means_of(matrix)[0]
            _compares_with_the_baseline(cell, row, difference, (p[place], holm[place]) if place else (None, None))
            assert cell["topics"] == len(known)
            if len(known) > 1:
                half = stats.sem(known) * stats.t.ppf(0.975, len(known) - 1)
                ends = max(mean - half, 0.0), min(mean + half, 1.0)
                assert (cell["low"], cell["high"]) == pytest.approx(ends, abs=1e-12)
            else:
                assert (cell["low"], cell["high"]) == (None, None)
            assert float(line[measure]) == cell["mean"]
            for column in ("low", "high", "difference", "p", "p_corrected", "topics"):
                assert line[f"{measure}:{column}"] == ("" if cell[column] is None else repr(cell[column]))

        means = np.round(means_of(matrix), 12)
        order = sorted(tags, key=lambda tag: (-means[tags.index(tag)], tag))
        page = get(None, f"{task.url('leaderboard_detail', number=1)}?measure={measure.replace('=', '%3D')}")
        shown = table_lines(page)
        assert [cells[1].split()[0] for cells in shown] == order
        for cells in shown:
            rank, (tag, *_), _, score = cells[0], cells[1].split(), *cells[2:4]
            place = tags.index(tag)
            better, equal = int((means > means[place]).sum()), int((means == means[place]).sum())
            of_ties = f"{better + 1}–{better + equal}" if equal > 1 else str(better + 1)
            assert rank == ("–" if row == JUDGED else of_ties)
            assert score.split()[0] == f"{by_tag[tag]['cells'][measure]['mean']:.4f}"
            marks = "".join(cells)
            if row != JUDGED:
                assert (f"p {p_value(holm[place])}" in marks) if place else ("baseline" in marks)
        picture = get(None, task.url("leaderboard_picture", number=1, measure=measure))
        assert picture.count("Open dot") == (0 if row == JUDGED else 2)


def _compares_with_the_baseline(cell: Any, row: int, difference: float, p: tuple[Any, Any]) -> None:
    """Not by a measure that says nothing of how good a run is."""
    if row == JUDGED:
        assert (cell["difference"], cell["rank_first"], cell["rank_best"], cell["letters"]) == (None, None, None, "")
        p = (None, None)
    else:
        assert cell["difference"] == pytest.approx(difference, abs=1e-12)
    assert (cell["p"], cell["p_corrected"]) == pytest.approx(p, abs=1e-9)


def test_a_teams_run_page_holds_the_published_means_and_the_median_of_all_runs(case: Case, published: Cast) -> None:
    means = {tag: means_of(expected_values(case, lines)) for tag, lines in case.runs.items()}
    median = np.median([of_run[0] for of_run in means.values()])
    for tag, of_run in means.items():
        page = get(published.member, published.task.url("run_scores", tag=tag))
        assert re.findall(r'class="numeric">([^<]*)<', page) == [f"{number:.4f}" for number in (median, *of_run)]


def test_the_checksum_follows_from_the_exported_file_alone(case: Case, published: Cast) -> None:
    """The very steps that the reader's guide gives."""
    board = json.loads(get(None, published.task.url("leaderboard_json", number=1)))
    parts = ["leaderboard", "measures", "note", "qrels", "runs", "tests", "topics"]
    text = json.dumps({part: board[part] for part in parts}, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == board["sha256"]
    assert board["sha256"] in get(None, published.task.url("leaderboard_detail", number=1))
