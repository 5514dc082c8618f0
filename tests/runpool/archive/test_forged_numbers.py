"""A forged archive whose numbers its own runs, qrels and judgments contradict: refused in words, or not believed."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from campaign.models import Job, Restoration, Run
from campaign.runs.selectors.reading import sent_table
from evaluation.boards.snapshot import digest
from evaluation.models import Evaluation, PreferenceScores
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.selectors.scores import SCORE_TASK, scoring
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from evaluation.services.working_boards import working_board_compute
from judging.models import Qrels
from tests.campaign.runs.makers import signed_in
from tests.conftest import MadeOnce
from tests.factories import make_user
from tests.runpool.archive.full_world import make_full_archive
from tests.runpool.archive.makers import files_of, made_elsewhere, manifest_of, receive, restore
from tests.runpool.archive.test_bad_archives import Files, sealed, the
from tests.runpool.archive.test_forged_files import lines, refusal, with_file

pytestmark = pytest.mark.django_db
Row = dict[str, Any]


@pytest.fixture(scope="module")
def full(made_once: MadeOnce) -> Iterator[Files]:
    with made_once(lambda: made_elsewhere(make_full_archive)) as content:
        yield files_of(content)


def rows_of(files: Files, ending: str) -> list[Row]:
    return [json.loads(line) for line in files[the(files, ending)].splitlines()]


def changed(files: Files, ending: str, change: Callable[[Row], Any], *, row: int | None = None) -> bytes:
    """The archive with one row of a table changed, or all of them."""
    rows = rows_of(files, ending)
    for place, one in enumerate(rows):
        if row is None or place == row % len(rows):
            change(one)
    return sealed({**files, the(files, ending): lines(rows)})


def nearly_one(row: Row) -> str:
    size = len(b64decode(row["values"])) // 8
    return b64encode(np.full(size, 0.9999).tobytes()).decode()


def all_best(row: Row) -> None:
    """Every value is nearly 1, with the means and whatever else follows from it."""
    row["values"] = nearly_one(row)
    if "mean" in row:
        row["mean"] = 0.9999
    else:
        row["means"] = dict.fromkeys(row["means"], 0.9999)


def one_number(name: str, value: Any) -> Callable[[Row], None]:
    return lambda row: row.update({name: value})


def another_engine(row: Row) -> None:
    all_best(row)
    row["engine"] = str(int(Evaluation.ENGINE) + 1)


FORGED_SCORES = {
    "all values": all_best,
    "values by an engine to come": another_engine,
    "a mean alone": lambda row: row["means"].update(dict.fromkeys(row["means"], 0.9999)),
    "a share of unjudged documents": one_number("unjudged_at_10", 0.123),
    "topics that were answered": one_number("topics_answered", 99),
    "numbers if unjudged were best": one_number("unjudged_best", {"AP": 0.9999}),
    "values if unjudged were best": lambda row: row.update(unjudged_best_values=nearly_one(row)),
    "too few values if unjudged were best": one_number("unjudged_best_values", b64encode(bytes(8)).decode()),
    "curves": lambda row: row["curves"].update(macro=[0.9999] * 11),
    "missed topics": one_number("missed", ["1"]),
    "other qrels": one_number("qrels_sha256", "0" * 64),
    "another run": one_number("run_sha256", "0" * 64),
}


@pytest.mark.parametrize("forgery", FORGED_SCORES)
def test_scores_that_runs_and_qrels_contradict_are_not_restored_and_computed_anew(full: Files, forgery: str) -> None:
    true_rows = rows_of(full, "scores/evaluations.jsonl")
    restoration = restore(changed(full, "scores/evaluations.jsonl", FORGED_SCORES[forgery]), make_user())
    assert restoration.state == Restoration.DONE
    assert restoration.campaign is not None
    [task] = restoration.campaign.tasks.all()
    assert not Evaluation.objects.filter(run__task=task).exists()
    assert Job.objects.filter(name=SCORE_TASK, task=task).exists()
    task_score(task=task, report=lambda done, total: None)
    assert [b64encode(bytes(e.values)).decode() for e in Evaluation.objects.filter(run__task=task)] == [
        row["values"] for row in true_rows
    ]


def test_scores_by_preferences_that_the_order_contradicts_are_not_restored(full: Files) -> None:
    restoration = restore(changed(full, "scores/preferences.jsonl", all_best), make_user())
    assert restoration.state == Restoration.DONE
    assert not PreferenceScores.objects.filter(run__task__campaign=restoration.campaign).exists()
    assert Job.objects.filter(name="score by preferences").exists()


def test_scores_that_are_those_of_runs_and_qrels_are_restored_with_their_moments(full: Files) -> None:
    restoration = restore(sealed(full), make_user())
    kept = Evaluation.objects.filter(run__task__campaign=restoration.campaign).order_by("pk")
    assert [one.scored_at.isoformat() for one in kept] == [
        row["scored_at"] for row in rows_of(full, "scores/evaluations.jsonl")
    ]
    assert restoration.campaign is not None
    found = scoring(restoration.campaign.tasks.get())
    assert found.scored == found.runs == Run.objects.valid().filter(task__campaign=restoration.campaign).count()


def with_board(files: Files, name: str, change: Callable[[Any], Any], **values: Any) -> bytes:
    """The archive with another file of its first board, and other values of the board's row."""
    path = next(path for path in files if path.endswith(f"/1/{name}"))
    content = files[path].decode()
    new = change(json.loads(content) if name.endswith(".json") else content)
    found = {**files, path: (new if isinstance(new, str) else json.dumps(new)).encode()}
    return changed(found, "boards/boards.jsonl", lambda row: row.update(values))


def somebody_else(data: Row) -> Row:
    data["runs"][0]["team"] = "Somebody Else"
    return data


def better(data: Row) -> Row:
    data["runs"][0]["cells"]["AP"]["mean"] = 0.9999
    return data


def other_qrels(data: Row) -> Row:
    data["qrels"]["sha256"] = "0" * 64
    return data


def better_board(data: Row) -> Row:
    data["columns"][0]["mean"] = [0.9999]
    return data


def cited(files: Files, change: Callable[[Row], Row]) -> str:
    """The SHA-256 of the changed file: a forger computes it too."""
    return digest(change(json.loads(next(files[path] for path in files if path.endswith("/1/leaderboard.json")))))


@pytest.mark.parametrize("change", [somebody_else, better])
def test_a_board_whose_served_file_is_not_the_one_that_is_cited_is_refused(full: Files, change: Any) -> None:
    said = refusal(with_board(full, "leaderboard.json", change))
    assert (
        "boards/boards.jsonl, line 1: The SHA-256 by which it is cited is not that of the file that it serves." in said
    )


@pytest.mark.parametrize("change", [somebody_else, better])
def test_a_board_whose_served_file_has_other_teams_or_means_than_its_numbers_is_refused(
    full: Files, change: Any
) -> None:
    said = refusal(with_board(full, "leaderboard.json", change, sha256=cited(full, change)))
    assert "The JSON file that it serves has other runs, teams or means than its board." in said


def test_a_board_that_names_other_qrels_than_its_row_is_refused(full: Files) -> None:
    said = refusal(with_board(full, "leaderboard.json", other_qrels, sha256=cited(full, other_qrels)))
    assert "names other qrels than its row" in said


def test_a_board_whose_csv_has_other_teams_than_its_json_is_refused(full: Files) -> None:
    team = next(json.loads(full[path])["runs"][0]["team"] for path in full if path.endswith("/1/leaderboard.json"))
    said = refusal(with_board(full, "leaderboard.csv", lambda text: text.replace(team, "Somebody Else")))
    assert "The CSV file that it serves has other runs, teams or means than its JSON file." in said


def test_a_board_whose_means_are_not_those_of_its_values_is_refused(full: Files) -> None:
    assert "Its AP is not what its values by topic give." in refusal(with_board(full, "board.json", better_board))


def test_a_moment_after_the_archive_was_made_is_refused(full: Files) -> None:
    said = refusal(changed(full, "boards/boards.jsonl", one_number("published_at", "2999-01-01T00:00:00+00:00")))
    assert (
        "boards/boards.jsonl, line 1: “published_at” is 2999-01-01T00:00:00+00:00: that is after the archive was made."
        in said
    )


LATER = "2999-01-01T00:00:00+00:00"
ACTS, DECISIONS, MODEL_ACTS = "judgments/acts", "judgments/adjudications", "judgments/model_acts"
FALSE_ROWS: list[tuple[str, Row, str]] = [
    (ACTS, {"docno": "NOT-THERE"}, "“docno” is NOT-THERE: there is no such document in topic 1 of pool 1."),
    (ACTS, {"docno": "c"}, "“docno” is c: there is no such document in topic 1 of pool 1."),
    (ACTS, {"grade": 99}, "“grade” is 99: the scale of the task has 0, 1"),
    (ACTS, {"topic": "2"}, "“topic” is 2: that of its assignment is 1."),
    (ACTS, {"assessor": "organiser-1"}, "“assessor” is organiser-1: that of its assignment is assessor-1."),
    (ACTS, {"pass_number": 2}, "“pass_number” is 2: that of its assignment is 1."),
    (ACTS, {"assignment": 77}, "“assignment” is 77: there is none on that line."),
    (ACTS, {"judged_at": LATER}, f"“judged_at” is {LATER}: that is after the archive was made."),
    (DECISIONS, {"docno": "NOT-THERE"}, "“docno” is NOT-THERE: there is no such document in any pool of topic 1."),
    (DECISIONS, {"grade": 99}, "“grade” is 99: the scale of the task has 0, 1"),
    (MODEL_ACTS, {"grade": 99}, "“grade” is 99: the scale of the task has 0, 1"),
    ("runs/runs", {"size": 3}, "“size” is 3: its file has "),
    ("runs/runs", {"submitted_at": LATER}, f"“submitted_at” is {LATER}: that is after the archive was made."),
    ("pools/twins", {"docno": "NOT-THERE"}, "“docno” is NOT-THERE: there is no such document in topic 1 of pool 1."),
    ("pools/twins", {"representative": "c"}, "“representative” is c: there is no such document in topic 1 of pool 1."),
]


@pytest.mark.parametrize(("table", "values", "said"), FALSE_ROWS)
def test_a_row_that_other_rows_contradict_is_refused_with_table_line_field_and_reason(
    full: Files, table: str, values: Row, said: str
) -> None:
    assert f"{table}.jsonl, line 1: {said}" in refusal(
        changed(full, f"{table}.jsonl", lambda row: row.update(values), row=0)
    )


@pytest.mark.parametrize(
    ("content", "values", "said"),
    [
        (b"1 0 a 77\n", {}, "“file” has the grade 77, which is not of the scale of the task."),
        (b"1 0 NOWHERE 1\n", {}, "“file” has the document NOWHERE, which is in no pool of topic 1."),
        (b"1 0 a 77\n", {"source": Qrels.MERGED}, "“file” has the grade 77, which is not of the scale of the task."),
        (b"1 0 NOWHERE 1\n", {"source": Qrels.MERGED}, ""),
        (b"1 0 NOWHERE 77\n", {"source": Qrels.IMPORTED}, ""),
        (b"1 0 a -2\n1 0 b 1\n", {}, ""),
    ],
)
def test_qrels_of_what_was_judged_hold_grades_of_the_scale_and_pooled_documents(
    full: Files, content: bytes, values: Row, said: str
) -> None:
    first = {"source": Qrels.JUDGED, **values}
    without_boards = {
        **full,
        **{path: b"" for path in full if path.endswith(("/boards/boards.jsonl", "/boards/trust.jsonl"))},
    }
    archive = with_file(without_boards, "v1.qrels", content, **first)
    restoration = receive(archive, make_user())
    if said:
        assert f"qrels/qrels.jsonl, line 1: {said}" in restoration.problems["shown"][0]["message"]
    else:
        assert restoration.state == Restoration.READY, restoration.problems


def test_lines_and_topics_of_a_run_are_those_of_its_file_whatever_the_archive_says(full: Files) -> None:
    false: Row = {"lines": 7, "topics_answered": 99}
    restoration = restore(changed(full, "runs/runs.jsonl", lambda row: row.update(false)), make_user())
    run = Run.objects.valid().get(task__campaign=restoration.campaign, tag="one")
    assert (run.lines, run.topics_answered) == (3, 2)


def test_a_false_depth_of_a_run_takes_none_of_its_lines(full: Files) -> None:
    restoration = restore(changed(full, "runs/runs.jsonl", lambda row: row.update(depth=1)), make_user())
    run = Run.objects.valid().get(task__campaign=restoration.campaign, tag="one")
    assert sent_table(run).height == 3
    assert run.depth == run.task.max_documents_per_topic
    assert Evaluation.objects.filter(run=run).exists()


def test_a_depth_that_cut_a_run_with_a_finding_of_its_check_stays(full: Files) -> None:
    finding = {"code": "topic_too_deep", "severity": "warning"}
    files = {**full, the(full, "runs/problems.jsonl"): lines([{**rows_of(full, "runs/problems.jsonl")[0], **finding}])}
    restoration = restore(changed(files, "runs/runs.jsonl", lambda row: row.update(depth=1)), make_user())
    run = Run.objects.valid().get(task__campaign=restoration.campaign, tag="one")
    assert (run.depth, sent_table(run).height) == (1, 2)


def test_near_duplicates_without_a_search_are_refused(full: Files) -> None:
    path = the(full, "pools/duplicate_searches.jsonl")
    said = refusal(sealed({**full, path: b""}))
    assert (
        "pools/twins.jsonl, line 1: “pool” is 1: no search for near-duplicates of this pool is in the archive." in said
    )


def test_a_board_that_came_out_of_an_archive_says_so_and_one_published_here_does_not(full: Files) -> None:
    restoration = restore(sealed(full), make_user())
    assert restoration.campaign is not None
    task = restoration.campaign.tasks.get()
    working_board_compute(task=task)
    leaderboard_publish(actor=restoration.created_by, task=task, terms=Terms("Here."))
    client = signed_in(restoration.created_by)
    [old, new] = [row.get_absolute_url() for row in task.leaderboards.order_by("number")]
    citations = [f"{{}}citation.{kind}" for kind in ("bib", "json")]
    of_old = [old, f"{old}topics/", *(one.format(old) for one in citations)]
    for page in (*of_old, restoration.campaign.get_absolute_url()):
        assert "estored from an archive" in client.get(page).content.decode()
    for page in (new, f"{new}topics/", *(one.format(new) for one in citations)):
        assert "estored from an archive" not in client.get(page).content.decode()
    said = {
        "archive_made_at": manifest_of(full)["made_at"],
        "restored_at": restoration.finished_at.isoformat(),  # type: ignore[union-attr]
        "content_sha256": restoration.found["content_sha256"],
    }
    files = [client.get(f"{page}board.json{asked}") for page in (old, new) for asked in ("", "?measure=AP")]
    data = [json.loads(b"".join(file) if file.streaming else file.content) for file in files]
    assert [one.get("restored") for one in data] == [said, said, None, None]
    assert digest(data[0]) == data[0]["sha256"] == task.leaderboards.get(number=1).sha256
    listed = client.get(f"/api/v1/campaigns/restored/tasks/{task.slug}/leaderboards").json()["items"]
    assert [bool(one["restored"]) for one in listed] == [True, False]
    read = client.get(f"/api/v1/campaigns/restored/tasks/{task.slug}/leaderboards/1").json()
    assert read["restored"] == said


def test_the_check_says_what_the_file_of_a_run_contradicts_and_what_it_did_not_look_at(full: Files) -> None:
    [true, *_] = rows_of(full, "runs/runs.jsonl")
    assert true["state"] == "valid"
    whole = receive(sealed(full), make_user()).found["told"]
    assert whole[-1].startswith("Not looked at: scores")
    forged = changed(full, "runs/runs.jsonl", one_number("topics_answered", 15), row=0)
    restoration = restore(forged, make_user())
    new = [told for told in restoration.found["told"] if told not in whole]
    run = Run.objects.get(task__campaign=restoration.campaign, tag=true["tag"])
    said = f"“topics_answered” is 15 in the archive, and {run.topics_answered} by its file. It is restored as"
    assert len(new) == 1
    assert said in new[0]
    assert run.topics_answered != 15
