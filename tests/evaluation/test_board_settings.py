"""The organisers choose the tests of a board; what is chosen when scores are known is said."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from campaign.models import AuditEvent, Restoration, Task
from campaign.runs.services.submission import run_withdraw
from evaluation.boards.choice import Choice
from evaluation.engine.significance.declarations import CORRECTIONS, TESTS, Correction
from evaluation.engine.significance.declarations import Test as Declared
from evaluation.models import BoardSettings, WorkingBoard
from evaluation.selectors.boards import board_choice, scored_runs, stored_board
from evaluation.services.board_settings import board_settings_update
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

GRADES = {"1": {"a": 1, "b": 0}, "2": {"x": 1}, "3": {"z": 1}}
Commit = Callable[..., object]


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    make_topics(cast.task, ["1", "2", "3"])
    cast.task.measures = ["AP"]
    cast.task.save()
    make_valid_run(cast.task, cast.team, "bm25", {"1": ["b", "a"], "2": ["y", "x"], "3": ["z"]})
    make_valid_run(cast.task, cast.other_team, "dense", {"1": ["a"], "2": ["x"], "3": ["z"]})
    return cast


@pytest.fixture
def scored(with_runs: Cast, django_capture_on_commit_callbacks: Commit) -> Cast:
    make_qrels(with_runs.task, GRADES, with_runs.organiser)
    score(with_runs, django_capture_on_commit_callbacks)
    return with_runs


def score(cast: Cast, commit: Commit) -> None:
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)


def choose(
    cast: Cast,
    test: str = "t",
    correction: str = "holm",
    family: str = "all pairs",
    baseline: str = "",
    margin: float | None = None,
) -> None:
    board_settings_update(
        actor=cast.organiser,
        task=cast.task,
        test=test,
        correction=correction,
        family=family,
        baseline=baseline,
        margin=margin,
    )


def page(cast: Cast, name: str) -> str:
    client = Client()
    client.force_login(cast.organiser)
    return " ".join(client.get(cast.task.url(name)).content.decode().split())


def test_a_baseline_named_before_there_are_scores_may_be_the_one_that_all_are_compared_with(
    with_runs: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    assert "Nobody can have seen scores yet" in page(with_runs, "board_settings")
    choose(with_runs, family="baseline", baseline="bm25")
    assert board_choice(with_runs.task).named_before_scores
    make_qrels(with_runs.task, GRADES, with_runs.organiser)
    score(with_runs, django_capture_on_commit_callbacks)
    board = page(with_runs, "score_board")
    assert "paired t-test, Holm-corrected, every run against the baseline" in board
    assert "baseline: bm25" in board
    assert "after scores" not in board
    choose(with_runs, test="wilcoxon", family="baseline", baseline="bm25")
    assert board_choice(with_runs.task).named_before_scores, "only a change of the baseline counts"


def test_a_baseline_named_when_scores_are_known_is_marked_and_said_but_no_family(scored: Cast) -> None:
    with pytest.raises(ValidationError, match="chosen when its score is known"):
        choose(scored, family="baseline", baseline="bm25")
    assert not BoardSettings.objects.exists()


def test_a_change_of_the_tests_computes_the_board_anew_and_is_said_on_it(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    before = WorkingBoard.objects.get().mark
    with django_capture_on_commit_callbacks(execute=True):
        choose(scored, baseline="bm25")
    after = WorkingBoard.objects.get()
    assert after.mark != before
    assert stored_board(after.board.name).choice == Choice("t", "holm", "all pairs", "bm25")
    board = page(scored, "score_board")
    assert "test changed from step-down max-T test to paired t-test" in board
    assert "named after scores had been seen" in board


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"test": "t", "correction": "none"}, "correction"),
        ({"test": "tukey", "correction": "holm"}, "correction"),
        ({"test": "tukey", "correction": "none", "family": "best of teams"}, "test"),
        ({"family": "baseline"}, "baseline"),
        ({"baseline": "unknown"}, "baseline"),
    ],
)
def test_what_does_not_go_together_is_refused_at_its_field(with_runs: Cast, choice: dict, field: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        choose(with_runs, **choice)
    assert list(refusal.value.message_dict) == [field]


def test_the_page_shows_the_choice_and_what_is_wrong_with_another(with_runs: Cast) -> None:
    client = Client()
    client.force_login(with_runs.organiser)
    url = with_runs.task.url("board_settings")
    sent = {"test": "t", "correction": "none", "family": "all pairs", "baseline": "bm25"}
    assert "choose Holm" in client.post(url, sent).content.decode()
    assert client.post(url, sent | {"correction": "holm"}).status_code == 302
    assert board_choice(with_runs.task) == Choice("t", "holm", "all pairs", "bm25", named_before_scores=True)
    assert 'value="t" required id="id_test_3" checked' in " ".join(client.get(url).content.decode().split())


def test_a_withdrawn_run_leaves_the_board(scored: Cast, django_capture_on_commit_callbacks: Commit) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run_withdraw(actor=scored.organiser, run=scored.task.runs.get(tag="dense"))
    assert [run.tag for run in stored_board(WorkingBoard.objects.get().board.name).runs] == ["bm25"]


def test_a_board_whose_runs_have_changed_says_so_and_cannot_be_published(scored: Cast) -> None:
    scored.team.name = "Renamed"
    scored.team.save()
    working, now = WorkingBoard.objects.get(), scored_runs(Task.objects.get(pk=scored.task.pk))
    assert now is not None
    assert working.mark != now.mark
    assert "have changed since this board was computed" in page(scored, "score_board")
    assert "You cannot publish yet" in page(scored, "leaderboard_publish")


def test_a_board_that_an_earlier_version_computed_says_so_and_cannot_be_published(
    scored: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "have changed since" not in page(scored, "score_board")
    monkeypatch.setattr("evaluation.selectors.boards.VERSION", 10**6)
    said = "uns, qrels, settings or the version of Runpool have changed since"
    assert f"R{said} this board was computed" in page(scored, "score_board")
    assert f"You cannot publish yet: r{said} the board was computed" in page(scored, "leaderboard_publish")


def test_a_margin_named_before_there_are_scores_is_said_on_the_board_with_its_measure_and_moment(
    with_runs: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    choose(with_runs, margin=0.02)
    named = board_choice(with_runs.task)
    assert (named.margin, named.margin_measure, named.margin_named_at[-6:]) == (0.02, "AP", "+00:00")
    choose(with_runs, test="wilcoxon", margin=0.02)
    assert board_choice(with_runs.task).margin_named_at == named.margin_named_at, "the margin stayed as it was"
    make_qrels(with_runs.task, GRADES, with_runs.organiser)
    score(with_runs, django_capture_on_commit_callbacks)
    assert named.margin_in_words in page(with_runs, "score_board")
    assert named.margin_in_words in page(with_runs, "board_settings")
    client = Client()
    client.force_login(with_runs.organiser)
    asked = client.post(with_runs.task.url("leaderboard_publish"), {"audience": "public"}).content.decode()
    assert named.margin_in_words in asked.replace("Equivalence", "equivalence")
    choose(with_runs, margin=0.02)
    assert board_choice(with_runs.task).margin_named_at == named.margin_named_at
    for another in (0.03, None):
        with pytest.raises(ValidationError, match="Somebody may have seen scores already") as refusal:
            choose(with_runs, margin=another)
        assert list(refusal.value.message_dict) == ["margin"]
    assert board_choice(with_runs.task).margin == 0.02


def test_a_margin_can_be_changed_and_removed_before_there_are_scores(with_runs: Cast) -> None:
    choose(with_runs, margin=0.02)
    choose(with_runs, margin=0.5)
    assert board_choice(with_runs.task).margin == 0.5
    choose(with_runs)
    assert board_choice(with_runs.task) == Choice("t", "holm")


def test_a_margin_is_one_of_the_measure_that_was_the_first_when_it_was_named(
    with_runs: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    choose(with_runs, margin=0.02)
    with_runs.task.measures = ["RR", "AP"]
    with_runs.task.save()
    make_qrels(with_runs.task, GRADES, with_runs.organiser)
    score(with_runs, django_capture_on_commit_callbacks)
    assert board_choice(with_runs.task).margin_of("RR") is None
    choose(with_runs, margin=0.02)
    assert board_choice(with_runs.task).margin_measure == "AP", "no later change makes it one of another measure"


def test_before_there_are_scores_the_margin_follows_the_first_measure_when_it_is_saved_again(with_runs: Cast) -> None:
    choose(with_runs, margin=0.02)
    with_runs.task.measures = ["RR"]
    with_runs.task.save()
    choose(with_runs, margin=0.02)
    assert board_choice(with_runs.task).margin_measure == "RR"


@pytest.mark.parametrize("margin", [0.0, -0.1, float("nan"), float("inf")])
def test_a_margin_is_above_0(with_runs: Cast, margin: float) -> None:
    with pytest.raises(ValidationError) as refusal:
        choose(with_runs, margin=margin)
    assert list(refusal.value.message_dict) == ["margin"]


def test_a_margin_is_one_of_means(with_runs: Cast) -> None:
    with_runs.task.measures = ["GMAP"]
    with_runs.task.save()
    with pytest.raises(ValidationError, match="A margin is one of means over topics"):
        choose(with_runs, margin=0.1)


def test_a_task_of_a_restored_campaign_with_qrels_takes_no_margin_since_scores_may_have_been_seen_elsewhere(
    with_runs: Cast,
) -> None:
    make_qrels(with_runs.task, GRADES, with_runs.organiser)
    choose(with_runs, margin=0.1)
    Restoration.objects.create(
        campaign=with_runs.task.campaign, state=Restoration.DONE, size=1, created_by=with_runs.organiser
    )
    with pytest.raises(ValidationError, match="Somebody may have seen scores already"):
        choose(with_runs, margin=0.2)


def test_a_baseline_in_a_restored_campaign_with_qrels_counts_as_chosen_when_scores_are_known(with_runs: Cast) -> None:
    make_qrels(with_runs.task, GRADES, with_runs.organiser)
    Restoration.objects.create(
        campaign=with_runs.task.campaign, state=Restoration.DONE, size=1, created_by=with_runs.organiser
    )
    assert "Somebody may have seen scores" in page(with_runs, "board_settings")
    choose(with_runs, baseline="bm25")
    assert not board_choice(with_runs.task).named_before_scores
    with pytest.raises(ValidationError, match="chosen when its score is known"):
        choose(with_runs, family="baseline", baseline="bm25")


def test_who_names_a_margin_and_when_is_in_the_log(with_runs: Cast) -> None:
    choose(with_runs, margin=0.02)
    event = AuditEvent.objects.filter(object_type="task", data__has_key="board").get()
    assert board_choice(with_runs.task).margin_in_words in event.data["board"]
    assert event.actor == with_runs.organiser


def test_a_test_or_a_correction_more_needs_no_migration(monkeypatch: pytest.MonkeyPatch) -> None:
    test, correction = (BoardSettings._meta.get_field(name) for name in ("test", "correction"))
    before = [field.deconstruct() for field in (test, correction)]
    monkeypatch.setitem(TESTS, "new", Declared("new", "New test", "trials", assumes="Nothing."))
    monkeypatch.setitem(CORRECTIONS, "all", Correction("all", "All", "trials"))
    assert ("new", "New test") in test.choices
    assert ("all", "All") in correction.choices
    assert [field.deconstruct() for field in (test, correction)] == before
