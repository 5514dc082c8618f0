"""Nothing is computed from bytes that have changed, and no door answers with an error page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from campaign.models import DamagedFile, Job, Run
from campaign.storage import store
from evaluation.models import Evaluation
from evaluation.selectors.scores import scoring_job
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request, task_score
from judging.models import Qrels
from tests.campaign.runs.makers import signed_in
from tests.campaign.storage.makers import damage, place
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

RANKING = {"1": ["a", "b", "c"]}
GRADES = {"1": {"a": 2, "b": 0, "c": 1}}


@pytest.fixture
def released(cast: Cast, settings, tmp_path: Path) -> Cast:
    settings.MEDIA_ROOT = tmp_path
    make_topics(cast.task, ["1"])
    cast.task.measures = ["AP"]
    cast.task.save()
    make_qrels(cast.task, GRADES, cast.organiser)
    make_valid_run(cast.task, cast.team, "one", RANKING)
    return cast


def score(cast: Cast) -> None:
    task_score(task=cast.task, report=lambda done, total: None)


def test_a_flipped_grade_gives_no_score_and_the_job_says_which_file_and_what_to_do(
    released: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    name = Qrels.objects.get().file.name
    damage(name, byte=len("1 0 a 2") - 1)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=released.organiser, task=released.task)
    job = scoring_job(released.task)
    assert job is not None
    assert job.state == Job.FAILED
    assert f"The stored file {name} is damaged" in job.message
    assert "restore it from their backup" in job.message
    assert not Evaluation.objects.exists()
    scores = signed_in(released.organiser).get(released.task.url("score_board")).content.decode()
    assert name in scores


def test_a_damaged_table_is_made_anew_from_the_run_and_the_score_is_right(released: Cast) -> None:
    run = Run.objects.get()
    sound = place(run.table.name).read_bytes()
    damage(run.table.name, byte=len(sound) // 2)
    score(released)
    assert Evaluation.objects.get().means["AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert not DamagedFile.objects.filter(restored_at=None).exists()
    run.refresh_from_db()
    assert place(run.table.name).exists()


def test_a_run_whose_file_and_table_are_damaged_gives_no_score(released: Cast) -> None:
    run = Run.objects.get()
    damage(run.table.name)
    damage(run.file.name)
    with pytest.raises(Exception, match=run.file.name):
        score(released)
    assert not Evaluation.objects.exists()


def test_pages_and_api_answer_with_a_reason_where_qrels_or_values_are_damaged(released: Cast) -> None:
    score(released)
    leaderboard = leaderboard_publish(actor=released.organiser, task=released.task)
    qrels = Qrels.objects.get()
    damage(qrels.file.name)
    damage(leaderboard.values.name)
    damage(leaderboard.as_json.name)
    root = f"/api/v1/campaigns/{released.campaign.slug}/tasks/{released.task.slug}"
    files = {
        qrels.get_absolute_url(): qrels.file.name,
        f"{qrels.get_absolute_url()}qrels.txt": qrels.file.name,
        f"{root}/qrels/1/file": qrels.file.name,
        released.task.url("leaderboard_json", number=1): leaderboard.as_json.name,
        f"{root}/leaderboards/1": leaderboard.as_json.name,
        f"{root}/leaderboards/1?measure=AP": leaderboard.values.name,
    }
    browser = Client(raise_request_exception=False)
    for address, name in files.items():
        answer = browser.get(address)
        assert answer.status_code == 503, address
        assert f"The stored file {name}" in answer.content.decode(), address
    assert browser.get(leaderboard.get_absolute_url()).status_code == 200


def test_a_page_of_damaged_qrels_is_back_when_the_same_bytes_come_in(released: Cast) -> None:
    qrels = Qrels.objects.get()
    content = place(qrels.file.name).read_bytes()
    damage(qrels.file.name)
    browser = signed_in(released.organiser)
    browser.raise_request_exception = False
    assert browser.get(qrels.get_absolute_url()).status_code == 503
    with (place(".") / "copy").open("w+b") as copy:
        copy.write(content)
        copy.seek(0)
        store(copy, folder="qrels")
    assert browser.get(qrels.get_absolute_url()).status_code == 200
