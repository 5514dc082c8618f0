"""A frozen pool and the command that its page shows: the same bytes from the runs and topics that the site offers."""

import shlex
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Run
from pooling.core.files.read import PoolRules, read_pool
from pooling.core.strategies.drawing import pool_file
from pooling.core.strategies.engine import ENGINE
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool
from pooling.selectors.pools import draw_command, pool_text
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_received_run, make_topics, run_lines
from tests.pooling.command.makers import PYTHON, Done, run_alone, run_here
from tests.pooling.makers import depth_k, make_valid_run

pytestmark = pytest.mark.django_db
HOSTILE = "$(touch owned);`touch owned`'\"\n&|"


def rankings(shift: int) -> dict[str, list[str]]:
    topics = enumerate(["3", "20", "1"])
    return {topic: [f"d{(shift * place + number) % 23:02}" for place in range(12)] for number, topic in topics}


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    make_topics(cast.task, ["20", "1", "3", "9"])
    make_valid_run(cast.task, cast.team, "alpha", rankings(1))
    make_valid_run(cast.task, cast.team, "beta", rankings(5), priority=2)
    make_valid_run(cast.task, cast.other_team, "gamma", rankings(7), priority=2)
    return cast


def unpack(cast: Cast, client: Client, folder: Path) -> None:
    """As the pool's page says: the archive of all runs, and the topics beside it."""
    client.force_login(cast.organiser)
    archive = client.get(cast.task.url("run_archive") + "?attempts=all")
    ZipFile(BytesIO(b"".join(archive.streaming_content))).extractall(folder)  # type: ignore[arg-type]
    topics = client.get(cast.task.url("topic_download", file_format="tsv"))
    (folder / "topics.tsv").write_bytes(topics.content)


def run_again(pool: Pool, capfd: pytest.CaptureFixture[str], *more: str) -> Done:
    words = shlex.split(draw_command(pool).replace("\\\n", " "))
    assert words[:4] == ["python", "-m", "pooling", "draw"]
    done = run_here(capfd, "draw", *more, *words[4:])
    assert done.status == 0, done.err
    return done


def drawn(pool: Pool, capfd: pytest.CaptureFixture[str]) -> bytes:
    return run_again(pool, capfd).out.encode()


SPECS = [
    depth_k(4, seed=3),
    depth_k(2, max_priority=2, runs_per_team=1, order="best_position"),
    depth_k(3, runs=("gamma", "beta"), order="run_count", seed=2**40),
    PoolSpec.with_defaults("stratified", {"rates": ((2, 1.0), (6, 0.5))}, seed=5),
    PoolSpec.with_defaults("statap", {"size": 6}, seed=6),
    PoolSpec.with_defaults("maxmean", {"depth": 2, "control": 3}, seed=7),
]


def test_the_command_prints_the_frozen_pools_file(
    with_runs: Cast, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pools = [pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec) for spec in SPECS]
    late = make_valid_run(with_runs.task, with_runs.other_team, "late", rankings(11))
    Run.objects.filter(tag="beta").update(state=Run.WITHDRAWN)
    unpack(with_runs, client, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert late.tag not in draw_command(pools[0])
    for pool in pools:
        assert drawn(pool, capfd) == pool_text(pool), pool.spec


def test_the_command_takes_the_priorities_that_runs_had_when_the_pool_was_frozen(
    with_runs: Cast, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    spec = PoolSpec.with_defaults("depth-k", {"depth": 1, "depths": ((1, 6), (2, 2))}, runs_per_team=2)
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec)
    for tag, priority in (("alpha", 3), ("beta", 1), ("gamma", 7)):
        Run.objects.filter(tag=tag).update(priority=priority)
    unpack(with_runs, client, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert drawn(pool, capfd) == pool_text(pool)
    assert "--priority" not in draw_command(
        pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(2))
    )


def test_tags_that_begin_with_a_dash_are_no_options(
    cast: Cast, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make_topics(cast.task, ["20", "1", "3"])
    for shift, tag in ((1, "-x"), (5, "--seed"), (7, "alpha")):
        make_valid_run(cast.task, cast.team, tag, rankings(shift))
    spec = PoolSpec.with_defaults("depth-k", {"depth": 1, "depths": ((1, 6), (2, 2))})
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    unpack(cast, client, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert drawn(pool, capfd) == pool_text(pool)


def test_the_command_says_that_another_version_drew_the_pool(
    with_runs: Cast, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(2))
    unpack(with_runs, client, tmp_path)
    monkeypatch.chdir(tmp_path)
    shown = client.get(pool.get_absolute_url()).content.decode()
    assert f"<dt>Engine version</dt><dd>{ENGINE}</dd>" in shown
    assert "engine" not in run_again(pool, capfd).err
    pool.engine = "0"
    assert "The pool was drawn by engine version 0, this is version" in run_again(pool, capfd).err


def test_a_sample_is_printed_with_all_that_could_be_drawn_as_its_page_offers_it(
    with_runs: Cast, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for spec in SPECS[3:]:
        pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec)
        unpack(with_runs, client, tmp_path)
        monkeypatch.chdir(tmp_path)
        offered = client.get(with_runs.task.url("pool_sample", version=pool.version)).content
        assert (
            with_runs.task.url("pool_sample", version=pool.version)
            in client.get(pool.get_absolute_url()).content.decode()
        )
        done = run_again(pool, capfd, "--all")
        assert done.out.encode() == offered
        read = read_pool(BytesIO(offered), PoolRules())
        assert pool_file(read.drawn) == pool_text(pool)
        assert read.frame.height > 0


@pytest.mark.parametrize(
    "settings", [{"run_order": "rank"}, {"run_order": "line", "reference": "10"}, {"max_documents_per_topic": 5}]
)
def test_the_command_orders_and_cuts_runs_as_the_task_does(
    with_runs: Cast,
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    settings: dict[str, Any],
) -> None:
    task = with_runs.task
    for name, value in settings.items():
        setattr(task, name, value)
    task.save()
    lines = b"".join(b"20 Q0 d%02d %d %d odd\n" % (place, 40 - place, place * 7 % 5) for place in range(9))
    make_received_run(task, with_runs.team, "odd", lines, state=Run.VALID)
    pool = pool_freeze(actor=with_runs.organiser, task=task, spec=depth_k(3, seed=1))
    unpack(with_runs, client, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert drawn(pool, capfd) == pool_text(pool)


def test_a_tag_cannot_break_out_of_the_command_in_a_shell(with_runs: Cast, client: Client, tmp_path: Path) -> None:
    make_received_run(with_runs.task, with_runs.team, HOSTILE, run_lines(rankings(3), "plain"), state=Run.VALID)
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(2))
    unpack(with_runs, client, tmp_path)
    command = draw_command(pool).replace("python", shlex.quote(PYTHON), 1)
    done = run_alone("sh", "-c", command, cwd=tmp_path)
    assert not (tmp_path / "owned").exists()
    assert done.stdout == pool_text(pool), done.stderr


def test_the_pools_page_shows_the_command_and_where_its_files_are(with_runs: Cast, client: Client) -> None:
    make_valid_run(with_runs.task, with_runs.team, "<b>&", rankings(3))
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(2))
    client.force_login(with_runs.organiser)
    shown = client.get(
        reverse("pool_detail", kwargs={**with_runs.task.address, "version": pool.version})
    ).content.decode()
    assert "python -m pooling draw --strategy depth-k --set depth=2" in shown
    assert "&#x27;&lt;b&gt;&amp;&#x27;" in shown
    assert with_runs.task.url("run_archive") in shown


def test_a_pool_of_a_strategy_that_this_version_lacks_has_no_command(with_runs: Cast) -> None:
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(2))
    pool.spec = {"strategy": "of another version", "parameters": {}}
    assert draw_command(pool) == ""
