"""How far a board can be trusted: computed by a job, for organisers of the working board and for readers of a published one."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from django.core.cache import caches
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from campaign.models import Job, Run
from campaign.models.written_once import WrittenOnceError
from campaign.queue.jobs import JobFailed
from evaluation.analysis.reliability.computing import report_of_board
from evaluation.analysis.reliability.selectors import REPORT_OF_LEADERBOARD, leaderboard_reported, stored_report
from evaluation.analysis.reliability.services import published_report_compute, working_report_compute
from evaluation.analysis.reliability.two_assessors import two_assessors
from evaluation.analysis.reliability.verdicts import in_short, verdicts
from evaluation.analysis.reliability.words import SAID, findings
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.reliability.parts.discriminative_power import _told_apart
from evaluation.engine.reliability.report import PARTS
from evaluation.models import Leaderboard, PublishedTrust, WorkingTrust
from evaluation.permissions import get_board_or_404
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from judging.qrels.selectors.releases import released_table
from judging.qrels.services.releases import qrels_release
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.drawing import draw_pool
from pooling.core.strategies.spec import PoolSpec
from pooling.models import PoolEntry, PoolRun
from pooling.selectors.redrawing import pools_without
from pooling.services.pools import pool_freeze
from tests.campaign.storage.makers import damage
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.engine.reliability.test_report import many_topics_report
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_team, make_topics, make_user
from tests.judging.makers import assign, judge, make_pool

Commit = Callable[..., object]


def quiet(done: int, total: int, what: str) -> None:
    """Nobody waits."""


def published(cast: Cast, commit: Commit) -> Leaderboard:
    make_scored_task(cast, commit)
    with commit(execute=True):
        return leaderboard_publish(actor=cast.organiser, task=cast.task)


def post(user: object, url: str) -> int:
    client = Client()
    client.force_login(user)
    return client.post(url).status_code


@pytest.mark.django_db
def test_publishing_computes_the_report_once_and_readers_see_it(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    board = published(cast, django_capture_on_commit_callbacks)
    job = Job.objects.get(name=REPORT_OF_LEADERBOARD)
    assert (job.state, job.done, job.total) == (Job.DONE, job.total, job.total)
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    for words in (
        "Leave-one-team-out",
        "All runs are of one kind: automatic.",
        "No relevant document",
        "τ-AP",
    ):
        assert words in shown
    assert "Compute" not in shown.replace("Computed", "")
    data = json.loads(page(None, cast.task.url("leaderboard_reliability_json", number=1)))
    assert data["leaderboard_sha256"] == board.sha256
    assert data["qrels"]["sha256"] == board.qrels.sha256
    assert data["runs"] == ["good", "lame", "poor"]
    assert data["reasons"]["assessor_effect"] == "There is one set of judgments only: no topic was judged twice."
    assert set(PARTS) <= set(data)


@pytest.mark.django_db
def test_the_head_of_a_board_tells_the_verdict_of_its_report_and_a_damaged_report_leaves_the_board(
    cast: Cast, django_capture_on_commit_callbacks: Commit, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    board = published(cast, django_capture_on_commit_callbacks)
    address, report = board.get_absolute_url(), cast.task.url("leaderboard_reliability", number=1)
    words = in_short(verdicts(json.loads(page(None, cast.task.url("leaderboard_reliability_json", number=1)))))
    assert words == "weak in “leave-one-topic-out” and “split-half”", words
    assert f'<span><a href="{report}">Reliability</a>: {words}</span>' in page(None, address)
    assert "Reliability</a>:" not in page(cast.organiser, cast.task.url("score_board")), "its report is not computed"
    caches["bulk"].clear()
    damage(str(PublishedTrust.objects.get().report.name))
    assert "Reliability</a>:" not in page(None, address)


@pytest.mark.sqlite("evaluation.analysis.reliability.services.published_report_compute")
@pytest.mark.django_db
def test_the_report_of_a_leaderboard_stays_whatever_happens_to_runs_and_qrels_and_twice_is_once(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    board = published(cast, django_capture_on_commit_callbacks)
    before = page(None, cast.task.url("leaderboard_reliability_json", number=1))
    make_qrels(cast.task, {"1": {"b": 1, "a": 0}}, cast.organiser)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    published_report_compute(leaderboard=board, report=quiet)
    assert page(None, cast.task.url("leaderboard_reliability_json", number=1)) == before
    assert PublishedTrust.objects.count() == 1
    assert report_of_board(leaderboard_reported(board), quiet) == json.loads(before)
    with pytest.raises(WrittenOnceError):
        PublishedTrust.objects.get().delete()


@pytest.mark.django_db
def test_organisers_ask_for_the_report_of_the_working_board_and_see_when_it_is_not_up_to_date(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    url = cast.task.url("scores_reliability")
    assert "No report yet" in page(cast.organiser, url)
    assert status(cast.member, url) == 403
    assert status(cast.organiser, cast.task.url("scores_reliability_json")) == 404
    assert post(cast.member, cast.task.url("scores_reliability_compute")) == 403
    with django_capture_on_commit_callbacks(execute=True):
        assert post(cast.organiser, cast.task.url("scores_reliability_compute")) == 302
    assert "Discriminative power" in page(cast.organiser, url)
    assert "has changed since" not in page(cast.organiser, url)
    first = WorkingTrust.objects.get()
    working_report_compute(task=cast.task, report=quiet)
    assert WorkingTrust.objects.get().computed_at == first.computed_at
    make_valid_run(cast.task, cast.team, "late", {"1": ["b", "a"], "2": ["y"], "3": ["z"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    shown = page(cast.organiser, url)
    assert "The board has changed since this report was computed" in shown
    assert "Compute it again" in shown
    working_report_compute(task=cast.task, report=quiet)
    assert "late" in page(cast.organiser, url)
    assert "has changed since" not in page(cast.organiser, url)


@pytest.mark.django_db
def test_a_page_that_waits_shows_how_far_the_job_is_and_a_failure_in_words(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    post(cast.organiser, cast.task.url("scores_reliability_compute"))
    job = Job.objects.latest("pk")
    Job.objects.filter(pk=job.pk).update(state=Job.WORKING, done=3, total=9, message="runs read")
    url = cast.task.url("scores_reliability")
    assert 'value="3" max="9"' in page(cast.organiser, url)
    Job.objects.filter(pk=job.pk).update(state=Job.FAILED, message="The disk is gone.")
    assert "The disk is gone." in page(cast.organiser, url)


@pytest.mark.django_db
def test_a_board_whose_stored_runs_give_other_scores_has_no_report_and_says_so(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    good, poor = Run.objects.get(tag="good"), Run.objects.get(tag="poor")
    Run.objects.filter(pk=good.pk).update(table=poor.table)
    with django_capture_on_commit_callbacks(execute=True):
        leaderboard_publish(actor=cast.organiser, task=cast.task)
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "The stored runs and judgments give other scores than this board has" in shown
    assert "No report yet" in shown
    assert not PublishedTrust.objects.exists()


@pytest.mark.django_db
def test_organisers_have_the_report_of_a_board_computed_that_was_published_without_one(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    Job.objects.filter(name=REPORT_OF_LEADERBOARD).delete()
    url, compute = (
        cast.task.url(name, number=1) for name in ("leaderboard_reliability", "leaderboard_reliability_compute")
    )
    assert "Compute the report" in page(cast.organiser, url)
    assert "Compute the report" not in page(cast.member, url)
    assert post(cast.member, compute) == 403
    with django_capture_on_commit_callbacks(execute=True):
        assert post(cast.organiser, compute) == 302
    assert "Discriminative power" in page(None, url)
    assert "Compute it again" not in page(cast.organiser, url)


@pytest.mark.django_db
def test_a_report_that_names_more_than_the_readers_board_is_not_shown(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    published(cast, django_capture_on_commit_callbacks)
    request = RequestFactory().get("/")
    request.user = cast.organiser
    seen = get_board_or_404(request, cast.campaign.slug, cast.task.slug, 1)
    assert stored_report(seen) is not None
    runs = tuple(replace(run, team="") for run in seen.board.runs)
    assert stored_report(replace(seen, board=replace(seen.board, runs=runs))) is None


@pytest.mark.django_db
def test_topics_judged_twice_show_the_effect_of_assessors_under_pseudonyms(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    documents = ["D1", "D2", "D3", "D4"]
    [topic] = make_topics(cast.task, ["401"])
    make_collection(cast.task, documents)
    spec = PoolSpec("depth-k", {"depth": 2}).to_json()
    first = assign(
        make_pool(cast.task, {topic: documents}, cast.organiser, spec=spec), topic, cast.assessor, cast.organiser
    )
    second = assign(first.pool, first.topic, make_user("zoe"), cast.organiser, pass_number=2)
    for docno, one, other in (("D1", 1, 0), ("D2", 0, 1), ("D3", 1, 1)):
        judge(first, docno, one)
        judge(second, docno, other)
    judge(first, "D4", 1)
    cast.task.measures = ["AP"]
    cast.task.save()
    for tag, docnos in (("north", ["D1", "D3", "D2"]), ("south", ["D2", "D3", "D1"])):
        run = make_valid_run(cast.task, cast.team, tag, {"401": docnos})
        PoolRun.objects.create(pool=first.pool, run=run, sha256=run.sha256, contributed=1, unique=1, priority=1)
    with django_capture_on_commit_callbacks(execute=True):
        qrels_release(actor=cast.organiser, task=cast.task, pool=first.pool)
    with django_capture_on_commit_callbacks(execute=True):
        leaderboard_publish(actor=cast.organiser, task=cast.task)
    data = json.loads(page(None, cast.task.url("leaderboard_reliability_json", number=1)))
    assert (data["depth"], data["depth_from"], data["is_exact"], data["not_pooled"]) == (2, "pool", True, [])
    assert "and as found to rank 2." in page(None, cast.task.url("leaderboard_reliability", number=1))
    effect = data["assessor_effect"]
    assert (effect["topics"], effect["documents"], effect["overlap"]) == (1, 3, pytest.approx(1 / 3))
    assert effect["assessors"] == [{"first": "A1", "second": "A2", "topics": 1}]
    assert (effect["pairs"][0]["tau"], effect["pairs"][0]["falling_run"]) == (-1.0, "north")
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "Between first and second assessor: τ -1.000; overlap of relevant documents 0.33" in shown
    assert "zoe" not in shown


def test_in_each_topic_the_two_with_most_documents_in_common_are_taken() -> None:
    judged = [
        *(("1", person, number, docno, grade) for person, number, docno, grade in [
            ("A1", 2, "a", 1), ("A1", 2, "b", 0), ("A2", 1, "a", 0), ("A2", 1, "b", 2), ("A2", 3, "b", 0), ("A3", 1, "a", 1),
        ]),
        ("2", "A1", 1, "x", 1), ("2", "A3", 1, "x", 0), ("2", "A3", 1, "y", -2), ("2", "A1", 1, "y", 1),
        ("3", "A10", 1, "z", 1), ("3", "A9", 1, "z", 0), ("4", "A1", 1, "w", 1),
    ]  # fmt: skip
    tables, people = two_assessors(judged)
    assert tables["first"].rows() == [("1", "a", 0), ("1", "b", 2), ("2", "x", 1), ("3", "z", 0)]
    assert tables["second"].rows() == [("1", "a", 1), ("1", "b", 0), ("2", "x", 0), ("3", "z", 1)]
    assert sorted((one["first"], one["second"], one["topics"]) for one in people) == [
        ("A1", "A3", 1),
        ("A2", "A1", 1),
        ("A9", "A10", 1),
    ]
    assert two_assessors([])[1] == []


def test_every_part_of_a_report_is_put_into_words() -> None:
    assert set(SAID) == set(PARTS)
    missing = dict.fromkeys(PARTS)
    assert findings({**missing, "reasons": dict.fromkeys(PARTS, "Why.")}) == dict.fromkeys(PARTS, "Why.")


def test_no_topic_is_said_to_move_a_run_most_where_others_move_one_as_far() -> None:
    rows = [
        {"topic": topic, "largest_fall": fall, "falling_run": "a"} for topic, fall in (("1", 2), ("2", 1), ("3", 0))
    ]
    moved = "2 of 3 topics move a run."
    assert (
        findings({"without_a_topic": rows})["without_a_topic"]
        == f"Without topic 1, a falls 2 ranks, the most of all. {moved}"
    )
    rows[1]["largest_fall"] = 2
    told = "Without topic 1, a falls 2 ranks, as far as one does without 1 other topic."
    assert findings({"without_a_topic": rows})["without_a_topic"] == f"{told} {moved}"


def test_runs_with_all_first_documents_judged_are_counted() -> None:
    rows = [{"run": "a", "first_10": 0.5}, {"run": "b", "first_10": 0.9}]
    lowest = "Lowest: a, 50.0 % of its first 10 documents judged."
    assert findings({"judged": rows}) == {"judged": f"{lowest} No run has all of them judged."}
    rows[1]["first_10"] = 1.0
    assert findings({"judged": rows}) == {"judged": f"{lowest} Of 2 runs 1 has all of them judged."}


def test_no_measure_is_said_to_tell_most_pairs_apart_where_none_tells_any() -> None:
    rows = [{"measure": name, "pairs": 3, "shown": 0.0} for name in ("AP", "P@10")]
    assert findings({"measures": rows}) == {"measures": "No measure tells two runs apart: 0 of 3 pairs."}
    rows[1]["shown"] = 1.0
    assert findings({"measures": rows}) == {"measures": "P@10 tells most pairs apart: 100.0 % of 3 pairs."}


@pytest.mark.parametrize("topics", [2, 5, 6])
def test_too_few_topics_to_show_any_difference_are_not_called_a_measure_that_tells_none_apart(topics: int) -> None:
    values = np.array([[0.9], [0.1]]) + np.linspace(0, 0.01, topics) * np.array([[1], [-1]])
    row = _told_apart(values, parse_measure("AP"), 0.05, 1)
    told = findings({"measures": [row]})["measures"]
    assert row["can_show"] == bool(row["shown"]) == (topics == 6)
    assert told.startswith("Too few topics" if topics < 6 else "AP tells most pairs apart: 100.0 %")


@pytest.mark.django_db
def test_a_run_without_stored_lines_ends_the_report_in_words(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    leaderboard = leaderboard_publish(actor=cast.organiser, task=cast.task)
    cast.task.runs.filter(tag="poor").update(table="")
    with pytest.raises(JobFailed, match="not stored any more"):
        published_report_compute(leaderboard=leaderboard, report=lambda done, total, what: None)


def shown_part(name: str, **context: object) -> str:
    return " ".join(render_to_string(f"evaluation/analysis/reliability/{name}.html", context).split())


def test_taus_and_topics_needed_have_their_intervals_on_the_page_and_those_of_version_1_0_none() -> None:
    data = many_topics_report("AP")
    teams = data["without_unique_documents"]
    row = next(row for row in teams if row["tau_interval"] is not None)
    measure, two = data["measures"][0], data["assessor_effect"]["pairs"][0]
    asked = {"part": "teams", "what": "Team", "data": data, "rows": teams}
    for shown, tau in ((shown_part("_left_out", **asked), row), (shown_part("_assessors", data=data), two)):
        low, high = tau["tau_interval"]
        assert f'{tau["tau"]:.3f} <span class="muted">({low:.3f} to {high:.3f})</span>' in shown
        assert "With as many other topics, τ would be in its interval in 9 of 10 cases or more" in shown
    low, high = data["split_half"]["interval"]
    new = f"two new sets of 6 topics τ would lie from {low:.3f} to {high:.3f} in about 9 of 10 cases"
    assert new in shown_part("_halves", data=data)
    shown = shown_part("_measures", data=data)
    for needed, bounds in (
        (measure["topics_needed"], measure["topics_needed_interval"]),
        (measure["design"]["topics_for_a_pair"], measure["design"]["topics_for_a_pair_interval"]),
        (measure["design"]["topics_for_any"], measure["design"]["topics_for_any_interval"]),
    ):
        assert f"{needed:,} ({bounds[0]:,} to {bounds[1]:,})" in shown
    for one in (*teams, *data["assessor_effect"]["pairs"], data["split_half"], measure, measure["design"]):
        for name in [name for name in one if name.endswith("interval")]:
            del one[name]
    old = shown_part("_left_out", **asked) + shown_part("_assessors", data=data) + shown_part("_halves", data=data)
    assert " to " not in "".join(part for part in old.split("<td") if part.startswith(' class="num"'))
    assert "new sets of" not in old
    assert f">{measure['topics_needed']:,}<" in shown_part("_measures", data=data)


def frozen_and_judged(cast: Cast, spec: PoolSpec, commit: Commit) -> dict[str, dict[str, list[str]]]:
    """Six topics, four runs of three teams, a pool drawn from them, all of it judged, and a leaderboard; the runs."""
    random = np.random.default_rng(3)
    topics = [str(number) for number in range(1, 7)]
    docnos = [f"d{number}" for number in range(9)]
    cast.task.measures = ["P@3"]
    cast.task.save()
    made = make_topics(cast.task, topics)
    make_collection(cast.task, docnos)
    teams = {"a": cast.team, "b": cast.team, "c": cast.other_team, "d": make_team("third", campaign=cast.campaign)}
    runs = {tag: {topic: random.permutation(docnos).tolist() for topic in topics} for tag in teams}
    for tag, team in teams.items():
        make_valid_run(cast.task, team, tag, runs[tag])
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    for topic in made:
        assignment = assign(pool, topic, cast.assessor, cast.organiser)
        for docno in PoolEntry.objects.filter(pool=pool, topic=topic).values_list("docno", flat=True):
            judge(assignment, docno, int(random.integers(0, 2)))
    with commit(execute=True):
        qrels_release(actor=cast.organiser, task=cast.task, pool=pool)
    with commit(execute=True):
        leaderboard_publish(actor=cast.organiser, task=cast.task)
    return runs


def drawn(runs: dict[str, dict[str, list[str]]], spec: PoolSpec) -> set[tuple[str, str]]:
    tables = {
        tag: pl.DataFrame(
            [(topic, docno, place) for topic, docnos in ranking.items() for place, docno in enumerate(docnos, start=1)],
            schema={"topic": pl.String, "docno": pl.String, "position": pl.UInt32},
            orient="row",
        )
        for tag, ranking in runs.items()
    }
    pooled = [PooledRun(tag, tag, 1, table) for tag, table in tables.items()]
    entries = draw_pool(pooled, list(next(iter(runs.values()))), spec).entries
    return set(entries.select(pl.col("topic").cast(pl.String), "docno").iter_rows())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("strategy", "parameters"),
    [("rrf", {"size": 3, "depth": 3}), ("ntcir", {"size": 4, "depth": 4}), ("budget", {"total": 22})],
)
def test_without_a_team_the_pool_is_drawn_again_and_what_leaves_it_is_unjudged(
    cast: Cast, django_capture_on_commit_callbacks: Commit, strategy: str, parameters: dict[str, int]
) -> None:
    spec = PoolSpec.with_defaults(strategy, parameters, seed=5)
    runs = frozen_and_judged(cast, spec, django_capture_on_commit_callbacks)
    data = json.loads(page(None, cast.task.url("leaderboard_reliability_json", number=1)))
    assert (data["is_redrawn"], data["is_exact"]) == (True, False)
    board = Leaderboard.objects.get(task=cast.task)
    table = released_table(board.qrels, "overall")
    grades = {(topic, docno): grade for topic, docno, grade in table.select("topic", "docno", "grade").iter_rows()}
    whole = drawn(runs, spec)
    assert set(grades) == whole
    leaving_any = False
    for team, tags in ((cast.team.name, "ab"), (cast.other_team.name, "c"), ("third", "d")):
        [row] = [row for row in data["without_unique_documents"] if row["team"] == team]
        without = drawn({tag: ranking for tag, ranking in runs.items() if tag not in tags}, spec)
        kept = {pair: grade for pair, grade in grades.items() if pair in without}
        assert row["never_judged"] == len(without - whole)
        assert row["unique"] == sum(grade > 0 for pair, grade in grades.items() if pair not in without)
        before, after = (
            {tag: np.mean([np.mean([of.get((topic, docno), 0) > 0 for docno in docnos[:3]]) for topic, docnos in ranking.items()])
             for tag, ranking in runs.items()}
            for of in (grades, kept)
        )  # fmt: skip
        best = max(sorted(tags), key=lambda tag: before[tag])
        assert row["change_of_best_run"] == pytest.approx(after[best] - before[best])
        leaving_any |= bool(whole - without)
    assert leaving_any
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "the other teams alone would have given these numbers" in shown
    assert "Never judged" in shown


@pytest.mark.django_db
def test_a_sample_is_not_drawn_again_and_a_changed_run_neither(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    spec = PoolSpec.with_defaults("random", {"size": 4, "depth": 5})
    frozen_and_judged(cast, spec, django_capture_on_commit_callbacks)
    shown = page(None, cast.task.url("leaderboard_reliability", number=1))
    assert "At least these documents would be missing." in shown
    assert "Never judged" not in shown
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=PoolSpec.with_defaults("rrf", {"size": 2}))
    none = [frozenset[int]()]
    again = pools_without([pool], none, lambda whole, without: (whole.height, without.height))
    assert again == [(pool.size, pool.size)]
    Run.objects.filter(tag="a").update(sha256="0" * 64)
    assert pools_without([pool], none, lambda whole, without: 0) is None
