"""The order of runs is a setting of the task: scored by it, kept with what is stored, and said wherever scores are."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import run_table_to_parquet
from campaign.models import Run
from campaign.setup.services.tasks import task_update
from campaign.storage import store
from evaluation.selectors.boards import scored_runs
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from pooling.models import Pool
from pooling.services.pools import pool_freeze
from tests.api.makers import make_token
from tests.evaluation.makers import column, make_qrels
from tests.factories import Cast, make_received_run, make_topics
from tests.pooling.makers import depth_k

BY_SCORE = "score; equal scores by docno; single precision as trec_eval 9"
BY_RANK = "rank column; equal ranks by score, then docno; single precision as trec_eval 9"
BY_LINE = "lines as they stand in the file; recall levels as trec_eval 10"
# The relevant document a is third by score, second by rank, first by line.
LINES = b"1 Q0 a 2 1 one\n1 Q0 b 3 3 one\n1 Q0 c 1 2 one\n"
Commit = Callable[..., Any]


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Commit) -> Cast:
    make_topics(cast.task, ["1"])
    cast.task.measures, cast.task.docno_policy = ["RR", "Judged@1"], "any"
    cast.task.save()
    table = check_run(BytesIO(LINES), RunRules()).table
    stored = store(ContentFile(run_table_to_parquet(table)), folder="tables")
    make_received_run(cast.task, cast.team, "one", LINES, state=Run.VALID, table=stored.name)
    make_qrels(cast.task, {"1": {"a": 1, "b": 0, "c": 0}}, cast.organiser)
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(1))
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    return cast


def told(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def reciprocal_rank(cast: Cast) -> float:
    scored = scored_runs(cast.task)
    assert scored is not None
    assert scored.unscored == 0
    return round(next(iter(column(cast.task, "RR").values())), 4)


@pytest.mark.django_db
def test_after_a_change_of_the_order_runs_are_checked_and_scored_anew_and_every_page_and_file_says_which_holds(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    assert reciprocal_rank(scored) == 0.3333
    leaderboard = leaderboard_publish(actor=scored.organiser, task=scored.task)
    client = Client()
    client.force_login(scored.organiser)
    token = make_token(scored.organiser)
    pool, board = Pool.objects.get(), scored.task.url("score_board")
    assert BY_SCORE in told(client, board)
    assert "in another order" not in told(client, board)
    assert "another order" not in told(client, pool.get_absolute_url())

    for order, reference, expected, words in (("rank", "9", 0.5, BY_RANK), ("line", "10", 1.0, BY_LINE)):
        with django_capture_on_commit_callbacks(execute=True):
            scored.task = task_update(actor=scored.organiser, task=scored.task, run_order=order, reference=reference)
        assert Run.objects.get().state == Run.VALID
        assert reciprocal_rank(scored) == expected
        run = Run.objects.get()
        for url in (board, scored.task.url("run_scores", tag=run.tag)):
            assert words in told(client, url)
        asked = client.post(scored.task.url("leaderboard_publish"), {"audience": "public"})
        assert f"Runs are ordered by: {words}." in asked.content.decode()
        assert f"in another order: {BY_SCORE}" in told(client, board)
        assert told(client, scored.task.url("score_board_csv")).endswith(f",{order},{reference},max-t,none,all pairs,")
        client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        api = f"/api/v1/campaigns/{scored.campaign.slug}/tasks/{scored.task.slug}"
        for address in (api, f"{api}/runs/{run.tag}/scores"):
            data = json.loads(told(client, address))
            assert (data["run_order"], data["reference"]) == (order, reference)
        for url in (scored.task.get_absolute_url(), scored.task.url("pool_create")):
            assert words in told(client, url)
        page = told(client, pool.get_absolute_url())
        assert f"Runs ordered by</dt><dd>{BY_SCORE}" in page
        assert f"than the task has now ({words})" in page
    assert BY_SCORE in told(client, leaderboard.get_absolute_url())
    assert leaderboard.tests["runs_ordered_by"] == BY_SCORE
