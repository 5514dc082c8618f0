"""Pages and files of pairs say what unjudged documents would change, and what they cannot say of scores of version 1.0."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evaluation.boards.audiences import ANONYMOUS
from evaluation.boards.unjudged import CELLS
from evaluation.models import Evaluation
from evaluation.services.board_settings import board_settings_update
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from evaluation.services.working_boards import working_board_compute
from tests.evaluation.analysis.makers import page, status
from tests.evaluation.analysis.test_all_runs import file_of
from tests.evaluation.command.processes import run_command
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

Commit = Callable[..., object]
TOPICS = [str(number) for number in range(1, 13)]
GRADES = {topic: {"x": 1, "y": 0} for topic in TOPICS}
LACKING = "were not kept by topic, as in version 1.0"


def make_board(cast: Cast, commit: Commit, rest: tuple[str, ...] = ("new",)) -> None:
    """`found` retrieves the relevant document first, `poor` the other one, `new` documents that nobody judged."""
    make_topics(cast.task, TOPICS)
    cast.task.measures = ["P@1", "AP"]
    cast.task.save()
    tests = {"test": "sign", "correction": "holm", "family": "all pairs", "baseline": ""}
    board_settings_update(actor=cast.organiser, task=cast.task, margin=None, **tests)
    make_qrels(cast.task, GRADES, cast.organiser)
    for tag, first in {"found": "x", "poor": "y", **dict.fromkeys(rest, "z")}.items():
        make_valid_run(
            cast.task, cast.team, tag, {topic: [first, "w"] if first == "z" else [first] for topic in TOPICS}
        )
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)


@pytest.mark.django_db
def test_pages_and_files_name_the_pairs_that_unjudged_documents_would_change(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_board(cast, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=cast.organiser, task=cast.task, audience=ANONYMOUS)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    for user, name, number in ((cast.organiser, "scores", {}), (None, "leaderboard", {"number": 2})):
        for about in ("pairs", "assumptions"):
            shown = page(user, cast.task.url(f"{name}_{about}", **number))
            assert "the result of 2 of 3 tested pairs would change." in shown
            assert "no bounds of p" in shown
            of_another = page(user, cast.task.url(f"{name}_{about}", **number), measure="AP")
            assert "told by the first measure only: P@1." in of_another
        shown = page(user, cast.task.url(f"{name}_pairs", **number))
        assert "Pairs that depend on unjudged documents" in shown
        assert ".001: found" in shown
    assert status(cast.member, cast.task.url("scores_pairs")) == 403
    told = {(pair["a"], pair["b"]): pair for pair in json.loads(file_of(cast, "pairs_file", "json"))["pairs"]}
    assert told["found", "new"]["p_corrected"] == pytest.approx(3 * 2 / 2**12)
    assert told["found", "new"]["p_unjudged_best"] == 1.0
    assert told["found", "new"]["p_unjudged_best_of_a"] == told["found", "new"]["p_corrected"]
    assert {pair: of["unjudged"] for pair, of in told.items()} == {
        ("found", "new"): "changes",
        ("found", "poor"): "holds",
        ("new", "poor"): "changes",
    }
    [line] = [
        row for row in csv.DictReader(io.StringIO(file_of(cast, "pairs_file", "csv"))) if row["unjudged"] == "holds"
    ]
    assert {line["a"], line["b"]} == {"found", "poor"}
    by_ap = json.loads(file_of(cast, "pairs_file", "json", measure="AP"))["pairs"]
    assert {pair["unjudged"] for pair in by_ap} == {None}
    hidden = page(None, cast.task.url("leaderboard_pairs", number=1))
    assert "the result of 2 of 3 tested pairs would change." in hidden
    assert not {"found", "new", "poor"} & set(
        hidden.replace(":", " ").split("Pairs that depend on")[1].split("files hold")[1].split()
    )


@pytest.mark.django_db
def test_values_by_topic_are_kept_beside_the_others_and_are_nan_where_they_would_mean_nothing(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_board(cast, django_capture_on_commit_callbacks)
    cast.task.measures = ["P@1", "bpref", "AP"]
    cast.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    for evaluation in Evaluation.objects.select_related("run"):
        judged, best = evaluation.matrix(), evaluation.unjudged_best_matrix()
        assert best is not None
        assert best.shape == judged.shape
        assert np.isnan(best[evaluation.measures.index("bpref")]).all()
        row = evaluation.measures.index("P@1")
        assert best[row].tolist() == [float(evaluation.run.tag != "poor")] * 12
        assert best[row].mean() == evaluation.unjudged_best["P@1"]


@pytest.mark.django_db
def test_a_board_on_which_nothing_is_unjudged_says_so(cast: Cast, django_capture_on_commit_callbacks: Commit) -> None:
    make_board(cast, django_capture_on_commit_callbacks, rest=())
    shown = page(cast.organiser, cast.task.url("scores_pairs"))
    assert "If all of them had the highest grade, no value by P@1 would change, and p would be the same." in shown
    assert "Pairs that depend on unjudged documents" not in shown


@pytest.mark.django_db
def test_scores_of_version_1_0_are_shown_without_this_part_until_scores_are_asked_for(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    make_board(cast, django_capture_on_commit_callbacks)
    for evaluation in Evaluation.objects.all():
        evaluation.delete()
        evaluation.pk, evaluation.unjudged_best_values = None, None
        evaluation._state.adding = True
        evaluation.save()
    working_board_compute(task=cast.task)
    assert LACKING in page(cast.organiser, cast.task.url("scores_pairs"))
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=None, task=cast.task)
    assert not Evaluation.objects.filter(unjudged_best_values=None).exists()
    assert "the result of 2 of 3" in page(cast.organiser, cast.task.url("scores_pairs"))
    assert LACKING in page(None, cast.task.url("leaderboard_pairs", number=1)), "what is published stays"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("test", "correction", "family"),
    [("t", "holm", "all pairs"), ("max-t", "none", "all pairs"), ("wilcoxon", "holm", "baseline")],
)
def test_the_command_gives_the_numbers_of_the_site_for_the_same_runs_and_qrels(
    cast: Cast, django_capture_on_commit_callbacks: Commit, tmp_path: Path, test: str, correction: str, family: str
) -> None:
    """Of graded judgments, of which the scale of the task has a higher grade than the qrels."""
    grades = {topic: {"x": 1 + (place % 3 == 0), "y": 0, "v": 1} for place, topic in enumerate(TOPICS)}
    runs = {
        "found": {topic: ["x", "v"][:: 1 if place % 4 else -1] for place, topic in enumerate(TOPICS)},
        "poor": {topic: ["y", "x", "v"] for topic in TOPICS},
        "new": {topic: ["z", "w"] if place % 5 else ["v", "q"] for place, topic in enumerate(TOPICS)},
        "half": {topic: ["v", "z", "y"] for topic in TOPICS[:9]},
    }
    make_topics(cast.task, TOPICS)
    cast.task.measures = ["nDCG@3"]
    cast.task.save()
    chosen = {"test": test, "correction": correction, "family": family}
    baseline = "poor" if family == "baseline" else ""
    make_qrels(cast.task, grades, cast.organiser)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in grades.items() for d, g in of.items()))
    for tag, ranking in runs.items():
        make_valid_run(cast.task, cast.team, tag, ranking)
        lines = (f"{t} Q0 {d} {r} {-r} {tag}\n" for t, docnos in ranking.items() for r, d in enumerate(docnos, 1))
        (tmp_path / tag).write_text("".join(lines))
    board_settings_update(actor=cast.organiser, task=cast.task, margin=None, baseline=baseline, **chosen)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    highest = max(cast.task.grades.values_list("value", flat=True))
    assert highest > 2
    against = ["--baseline", "poor"] if baseline else []
    words = ["compare", "--unjudged", "--highest-grade", str(highest), "--seed", "1", "--test", test, *against]
    done = run_command([*words, "--format", "json", "-m", "nDCG@3", "qrels", *runs], tmp_path, b"")
    assert done.stderr == b""
    [measure] = json.loads(done.stdout)["measures"]
    by_pair = {(pair["a"], pair["b"]): pair for pair in measure["pairs"]}
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    site = [pair for pair in json.loads(file_of(cast, "pairs_file", "json"))["pairs"] if pair["unjudged"]]
    assert len(site) == len(by_pair) == (3 if baseline else 6)
    for pair in site:
        names, cells = (pair["a"], pair["b"]), [pair[name] for name in CELLS]
        if names not in by_pair:
            names, cells = names[::-1], [cells[place] for place in (0, 2, 1, 3)]
        assert [by_pair[names][name] for name in CELLS] == cells
    assert {pair["unjudged"] for pair in site} == {"holds", "changes"}
    shown = page(cast.organiser, cast.task.url("scores_pairs"))
    assert [sentence for sentence in measure["unjudged_documents"] if sentence not in shown] == []
