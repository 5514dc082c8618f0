"""Pages about all runs of a board: pairs, runs by topics, measures, efficiency; in one world."""

import csv
import io
import json
import re
from collections.abc import Callable

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import Run, Topic
from evaluation.analysis.pairwise_tests.exports import OF_EQUIVALENCE
from evaluation.boards import computing
from evaluation.boards.audiences import ANONYMOUS, PUBLIC
from evaluation.boards.stored import MARGIN, NoBoardError, board_bytes, read_board
from evaluation.boards.unjudged import CELLS
from evaluation.engine.significance.equivalence import equivalence
from evaluation.models import WorkingBoard
from evaluation.selectors.boards import stored_board
from evaluation.services.board_settings import board_settings_update
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.analysis.makers import GRADES, make_scored_task, page, status
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics
from tests.judging.makers import make_pool

PAGES = ("pairs", "heatmap", "measures", "efficiency")


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


def file_of(cast: Cast, name: str, file_format: str, **query: str) -> str:
    client = Client()
    client.force_login(cast.organiser)
    response = client.get(cast.task.url(f"scores_{name}", file_format=file_format), query)
    assert response.status_code == 200, (name, file_format, response.status_code)
    return str(response.content.decode(errors="replace"))


@pytest.mark.django_db
def test_organisers_see_all_runs_together_and_files_hold_the_same(scored: Cast) -> None:
    organiser, task = scored.organiser, scored.task
    for name in PAGES:
        shown = page(
            organiser, task.url(f"scores_{name}"), measure="<b>", x="<b>", y="no", by="?", runs="x", topics="99"
        )
        assert not {"nan", "<b>"} & set(shown.split())
        assert [status(user, task.url(f"scores_{name}")) for user in (scored.member, scored.assessor)] == [403, 403]
    assert "Runs that each run is shown to be better or worse than" in page(organiser, task.url("scores_pairs"))
    pairs = json.loads(file_of(scored, "pairs_file", "json", measure="AP"))["pairs"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("good", "poor"), ("good", "lame"), ("poor", "lame")]
    assert all(pair["difference"] == pytest.approx(pair["mean_a"] - pair["mean_b"]) for pair in pairs)
    lines = list(csv.DictReader(io.StringIO(file_of(scored, "pairs_file", "csv"))))
    columns = ["measure", "a", "b", "mean_a", "mean_b", "difference", "p_corrected"]
    assert list(lines[0]) == [*columns, *OF_EQUIVALENCE, *CELLS]
    heat = json.loads(file_of(scored, "heatmap_file", "json", measure="AP"))
    assert dict(zip(heat["topics"], heat["values"][0], strict=True)) == pytest.approx({"1": 1.0, "2": 1.0, "3": 0.5})
    assert file_of(scored, "heatmap_file", "csv").startswith("measure,run,")
    measures = json.loads(file_of(scored, "measures_file", "json"))["pairs"]
    assert {(row["x"], row["y"]) for row in measures} == {("AP", "RR"), ("RR", "AP")}
    assert file_of(scored, "measures_file", "csv").startswith("x,y,tau,tau_ap,spearman,rbo,tau_low,tau_high\n")
    starts = {"svg": "<svg", "pdf": "%PDF", "png": "\ufffdPNG"}
    for name in ("pairs_file", "groups_file", "heatmap_file", "measures_file"):
        assert all(file_of(scored, name, drawn).startswith(start) for drawn, start in starts.items())
        assert status(organiser, task.url(f"scores_{name}", file_format="exe")) == 404


@pytest.mark.django_db
def test_a_board_of_so_many_runs_that_no_p_of_pairs_are_kept_says_so_and_has_no_files_of_pairs(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "MOST_PAIRED", 2)
    make_scored_task(cast, django_capture_on_commit_callbacks)
    assert "too many runs for them to be kept" in page(cast.organiser, cast.task.url("scores_pairs"))
    for name, form in (("pairs_file", "csv"), ("pairs_file", "svg"), ("groups_file", "svg")):
        assert status(cast.organiser, cast.task.url(f"scores_{name}", file_format=form)) == 404
    assert page(cast.organiser, cast.task.url("scores_compare"))
    for audience in (ANONYMOUS, PUBLIC):
        leaderboard_publish(actor=cast.organiser, task=cast.task, audience=audience)
    assert status(cast.organiser, cast.task.url("leaderboard_pairs", number=2)) == 200


@pytest.mark.django_db
def test_costs_of_a_run_are_shown_to_those_only_who_may_open_it(scored: Cast) -> None:
    task = scored.task
    assert "No run gives its time or cost" in page(scored.organiser, task.url("scores_efficiency"))
    assert status(scored.organiser, task.url("scores_efficiency_file", file_format="csv")) == 404
    for tag, time in (("good", "61234 ms"), ("poor", "43210 ms")):
        Run.objects.filter(tag=tag).update(metadata={"resources": {"runtime": {"wallclock": time}}})
    leaderboard_publish(actor=scored.organiser, task=task)
    everything = page(scored.organiser, task.url("leaderboard_efficiency", number=1))
    assert ("61.234" in everything, "43.21" in everything) == (True, True)
    own = page(scored.other_member, task.url("leaderboard_efficiency", number=1))
    assert ("61.234" in own, "43.21" in own) == (False, True)
    assert "No run gives its time or cost" in page(None, task.url("leaderboard_efficiency", number=1))
    drawn = [
        page(user, task.url("leaderboard_efficiency_file", number=1, file_format="svg"))
        for user in (scored.organiser, scored.other_member)
    ]
    assert ("good" in drawn[0], "good" in drawn[1]) == (True, False)
    for name in PAGES:
        assert page(None, task.url(f"leaderboard_{name}", number=1))


TOPICS = [str(number) for number in range(1, 13)]
OF_TWELVE: dict[str, dict[str, int]] = {topic: {"x": 1, "y": 0} for topic in TOPICS}
ALIKE = {
    "one": {topic: ["x", "y"] for topic in TOPICS},
    "near": {topic: ["x", "y"] if topic != "1" else ["y", "x"] for topic in TOPICS},
    "same": {topic: ["x", "y"] for topic in TOPICS},
    "far": {topic: ["y", "z", "w", "x"] for topic in TOPICS[:-1]} | {"12": ["y"]},
}


def make_alike(cast: Cast, commit: Callable[..., object], margin: float | None) -> None:
    make_topics(cast.task, TOPICS)
    cast.task.measures = ["AP", "P@1"]
    cast.task.save()
    tests = {"test": "t", "correction": "holm", "family": "all pairs", "baseline": ""}
    board_settings_update(actor=cast.organiser, task=cast.task, margin=margin, **tests)
    make_qrels(cast.task, OF_TWELVE, cast.organiser)
    for tag, ranking in ALIKE.items():
        make_valid_run(cast.task, cast.team, tag, ranking)
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)


@pytest.mark.django_db
def test_pairs_are_told_equivalent_within_a_margin_that_was_named_before_there_were_scores(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_alike(cast, django_capture_on_commit_callbacks, margin=0.4)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    told = json.loads(file_of(cast, "pairs_file", "json", measure="AP"))
    assert (told["margin"], told["margin_named_at"][-6:]) == (0.4, "+00:00")
    said = {frozenset((pair["a"], pair["b"])): pair for pair in told["pairs"]}
    near = np.array([0.5, *[0.0] * 11])
    expected = equivalence(np.vstack([near, np.zeros((1, 12))]), np.array([[0, 1]]), 0.4).p[0]
    assert said[frozenset(("one", "near"))]["p_equivalence"] == pytest.approx(6 * expected)
    assert [said[frozenset(("one", other))]["equivalence"] for other in ("near", "same", "far")] == [
        "equivalent",
        "cannot be told",
        "not shown",
    ]
    assert said[frozenset(("one", "same"))]["p_equivalence"] is None
    lines = {
        frozenset((row["a"], row["b"])): row for row in csv.DictReader(io.StringIO(file_of(cast, "pairs_file", "csv")))
    }
    assert lines[frozenset(("one", "near"))]["equivalence"] == "equivalent"
    assert lines[frozenset(("one", "same"))]["p_equivalence"] == ""
    for user, name, number in ((cast.organiser, "scores", {}), (None, "leaderboard", {"number": 1})):
        shown = page(user, cast.task.url(f"{name}_pairs", **number), measure="AP")
        assert "Equivalence margin: 0.4 by AP, named on 20" in shown
        assert "Equivalent to, within 0.4" in shown
        assert "The test says nothing about 1 pair" in shown
        assert "2: one, same" in shown, "the run that is near both"
        assert "By P@1 none was named: by it no two runs are shown to be equivalent." in page(
            user, cast.task.url(f"{name}_pairs", **number), measure="P@1"
        )
    assert "equivalence margin: 0.4 by AP" in page(None, cast.task.url("leaderboard_detail", number=1))


@pytest.mark.django_db
def test_a_board_without_a_margin_says_that_none_was_named_also_one_published_before_there_were_margins(
    scored: Cast,
) -> None:
    none = "No equivalence margin was named before there were scores: no two runs are shown to be equivalent."
    assert none in page(scored.organiser, scored.task.url("scores_pairs"))
    assert json.loads(file_of(scored, "pairs_file", "json"))["margin"] is None
    written = json.loads(board_bytes(stored_board(WorkingBoard.objects.get().board.name)))
    for name in MARGIN:
        del written["choice"][name]
    assert read_board(json.dumps(written).encode()).choice.margin is None
    with pytest.raises(NoBoardError):
        read_board(json.dumps(written | {"choice": written["choice"] | {"margin": -1.0}}).encode())


TOPICS = [str(number) for number in range(1, 7)]


@pytest.mark.django_db
def test_the_tau_of_two_measures_has_an_interval_on_the_page_and_in_files(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_topics(cast.task, TOPICS)
    cast.task.measures = ["AP", "RR", "GMAP"]
    cast.task.save()
    make_qrels(cast.task, {topic: {"a": 1, "b": 0, "c": 1, "d": 0, "e": 1} for topic in TOPICS}, cast.organiser)
    for tag, orders in {
        "one": ("bacde", "acebd", "bacde", "bacde", "acebd", "baced"),
        "two": ("bacde", "acbde", "abdce", "bdaec", "bcead", "adbce"),
        "three": ("acbde", "bdace", "bacde", "bdaec", "bacde", "bacde"),
        "four": ("bdaec", "bdeac", "bcead", "bacde", "badce", "bcdae"),
    }.items():
        make_valid_run(
            cast.task, cast.team, tag, {topic: [*order] for topic, order in zip(TOPICS, orders, strict=True)}
        )
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    rows = {(row["x"], row["y"]): row for row in json.loads(file_of(cast, "measures_file", "json"))["pairs"]}
    found = rows["AP", "RR"]
    assert found["tau"] not in (1, -1)
    assert found["tau_low"] < found["tau"] < found["tau_high"]
    assert (rows["RR", "AP"]["tau_low"], rows["AP", "GMAP"]["tau_low"]) == (found["tau_low"], None)
    bounds = f"{found['tau_low']:.3f} to {found['tau_high']:.3f}"
    shown = page(cast.organiser, cast.task.url("scores_measures"), x="AP", y="RR")
    assert f'Kendall’s tau-b with other topics</dt> <dd class="numeric">{bounds}' in shown
    assert "With as many other topics, τ would be in its interval in 9 of 10 cases or more" in shown
    assert "with other topics" not in page(cast.organiser, cast.task.url("scores_measures"), x="AP", y="GMAP")


@pytest.mark.django_db
def test_by_a_measure_that_does_not_tell_how_good_a_run_is_pairs_are_higher_or_lower_and_none_is_better(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks, ("AP", "Judged@10", "unj@10"))
    pairs, compare = cast.task.url("scores_pairs"), cast.task.url("scores_compare")
    for measure, better, worse in (
        ("AP", "better", "worse"),
        ("Judged@10", "higher", "lower"),
        ("unj@10", "lower", "higher"),
    ):
        shown = page(cast.organiser, pairs, measure=measure)
        assert f"Runs that each run is shown to be {better} or {worse} than" in shown
        assert f'<th scope="col">{better.title()} than</th>' in shown
        assert f'<th scope="col" class="beside-score">{worse.title()} than</th>' in shown
        assert re.search(
            rf"good is {better} on \d, ", page(cast.organiser, compare, measure=measure, a="good", b="poor")
        )
        if measure != "AP":
            assert "no groups of runs follow: this measure tells how much is judged, not how good a run is" in shown
            assert " better " not in shown.lower().split("<main", 1)[1]


@pytest.mark.parametrize(
    ("measure", "side", "ends", "of_topic"),
    [
        ("AP", "better", ("best", "worst"), "Best run"),
        ("Judged@10", "higher", ("highest", "lowest"), "Run of the highest"),
        ("unj@10", "lower", ("lowest", "highest"), "Run of the lowest"),
    ],
)
@pytest.mark.django_db
def test_no_page_or_picture_calls_a_run_the_best_by_a_measure_that_does_not_tell_how_good_it_is(
    cast: Cast,
    django_capture_on_commit_callbacks: Callable[..., object],
    measure: str,
    side: str,
    ends: tuple[str, str],
    of_topic: str,
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks, ("AP", "Judged@10", "unj@10"))
    Run.objects.update(metadata={"resources": {"runtime": {"wallclock": "61234 ms"}}})
    task, is_of_quality = cast.task, measure == "AP"
    heat = page(cast.organiser, task.url("scores_heatmap"), measure=measure, show="ranks")
    assert f"runs from the {ends[0]} mean on" in heat
    assert ('<option value="ranks" selected>' in heat) == is_of_quality
    drawn = file_of(cast, "heatmap_file", "svg", measure=measure, show="ranks")
    assert f"Darker: {side}. Hatched: no value. Runs from the {ends[0]} mean on" in drawn
    dark = file_of(cast, "heatmap_file", "svg", measure=measure, theme="dark")
    assert f"Lighter: {side}. Hatched" in dark
    assert ("Rank in the topic" in drawn) == is_of_quality
    assert f"no other run is {side} without costing more" in page(
        cast.organiser, task.url("scores_efficiency"), measure=measure
    )
    assert f"no other run is {side} without" in file_of(cast, "efficiency_file", "svg", measure=measure)
    assert f'<th scope="col">{of_topic}</th>' in page(cast.organiser, task.url("scores_topics"), measure=measure)
    assert f"on this topic, the {ends[0]} first" in page(
        cast.organiser, task.url("scores_topic", topic="1"), measure=measure
    )
    compared = page(cast.organiser, task.url("scores_compare"), measure=measure, a="good", b="poor")
    assert f"<strong>Topics</strong> from the {ends[0]} for good to the {ends[0]} for poor" in compared
    board = page(cast.organiser, task.url("score_board"), measure=measure)
    assert ("best run of each team" if is_of_quality else f"run of the {ends[0]} {measure} of each team") in board


@pytest.mark.django_db
def test_the_page_of_a_run_names_no_best_run_by_a_measure_that_does_not_tell_how_good_it_is(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks, ("AP", "Judged@10"))
    shown = page(cast.organiser, cast.task.url("scores_run", tag="poor"))
    best = dict(re.findall(r'<th scope="row">(AP|Judged@10)</th>.*?<td class="num muted">([^<]*)</td> </tr>', shown))
    assert best["AP"].startswith("0."), best
    assert best["Judged@10"] == "–"


@pytest.mark.django_db
def test_the_head_of_a_board_says_how_many_topics_count_of_those_of_its_qrels_and_never_changes_once_published(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    topics, scores = Topic.objects.filter(task=cast.task), cast.task.url("score_board")
    Topic.objects.create(task=cast.task, number="4", title="Added later", position=4)
    assert "topics count" not in page(cast.organiser, scores), "all of the qrels count"
    first = leaderboard_publish(actor=cast.organiser, task=cast.task)
    topics.filter(number="1").update(removed_at=timezone.now(), removal_reason="a typo")
    topics.filter(number="2").update(is_feedback=True)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    assert "<span>1 of 3 topics counts</span>" in page(cast.organiser, scores)
    second = leaderboard_publish(actor=cast.organiser, task=cast.task)
    topics.update(is_feedback=False, removed_at=None)
    Topic.objects.create(task=cast.task, number="5", title="Added later still", position=5)
    assert "<span>1 of 3 topics counts</span>" in page(None, second.get_absolute_url())
    assert not re.search(r"of \d+ topics count", page(None, first.get_absolute_url()))


@pytest.mark.django_db
def test_topics_of_the_pool_that_nobody_judged_do_not_count_and_the_head_of_the_board_says_so(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    for position in (4, 5):
        Topic.objects.create(task=cast.task, number=str(position), title="Not judged", position=position)
    pool = make_pool(cast.task, {topic: ["a", "b"] for topic in cast.task.topics.all()}, cast.organiser)
    make_qrels(cast.task, {**GRADES, "3": {"z": 0}}, cast.organiser, pool=pool)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    counting = "<span>3 of 5 topics count</span>"
    assert counting in page(cast.organiser, cast.task.url("score_board"))
    previewed = page(cast.organiser, cast.task.url("preview_detail", audience=PUBLIC))
    shown = page(None, leaderboard_publish(actor=cast.organiser, task=cast.task).get_absolute_url())
    for facts in (previewed, shown):
        assert counting in facts
        assert "of the pool judged" not in facts, (
            "the share of today is told to organisers alone until the campaign is closed"
        )
