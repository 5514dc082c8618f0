"""Faults in the middle of work, on real processes: nothing is lost, nothing is done twice, every score is right.

Six uploads (of 1,000 to 40,000 lines) come in while an assessor judges; then something fails. The processes are those of a
site on PostgreSQL and Redis. FAULTS_TABLE names a file that gets the table of what was seen.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from campaign.queues import ALL as QUEUES
from tests.faults.scene import Aftermath, Scene
from tests.faults.table import write_table
from tests.faults.workload import SMALL, run_text

pytestmark = pytest.mark.faults
RUBBISH = [
    b"",
    b"no message",
    b"{}",
    b'{"body": 1}',
    b"\xff\xfe" * 100,
    b'{"body": "e30=", "headers": {}, "properties": {}}',
]
STORED_FILE = "SELECT file FROM campaign_run r JOIN campaign_task t ON t.id = r.task_id WHERE t.slug = %s"
SEEN: dict[str, tuple[str, Aftermath]] = {}


@dataclass(frozen=True)
class Fault:
    """`cause` runs while the work goes on and returns when the site is whole again."""

    name: str
    words: str
    cause: Callable[[Scene], None]


def nothing(scene: Scene) -> None:
    time.sleep(1)


def kill(process: str, job: str = "") -> Callable[[Scene], None]:
    def cause(scene: Scene) -> None:
        if job:
            scene.await_job(job)
        else:
            time.sleep(1)
        scene.kill(process)
        time.sleep(1)
        scene.restart()

    return cause


def kill_all(scene: Scene) -> None:
    scene.await_job("check run")
    for name in list(scene.site.servers.processes):
        scene.kill(name)
    scene.restart()


def kill_worker_again_and_again(scene: Scene) -> None:
    for _ in range(3):
        scene.await_job("check run")
        scene.kill("worker")
        scene.restart()


def redis_away(scene: Scene) -> None:
    time.sleep(0.5)
    scene.redis.stop()
    time.sleep(6)
    scene.redis.start()


def redis_flushed(scene: Scene) -> None:
    for _ in range(4):
        time.sleep(0.6)
        scene.queues.flushall()


def redis_restarted_empty(scene: Scene) -> None:
    scene.await_job("check run")
    scene.redis.stop()
    scene.redis.start()


def postgres_restarted(scene: Scene) -> None:
    for _ in range(2):
        time.sleep(1)
        scene.postgres.stop()
        scene.postgres.start()


def postgres_killed(scene: Scene) -> None:
    scene.await_job("check run")
    scene.postgres.kill()
    time.sleep(1)
    scene.postgres.start()


def postgres_away(scene: Scene) -> None:
    time.sleep(1)
    scene.postgres.stop()
    time.sleep(6)
    scene.postgres.start()


def messages_doubled(scene: Scene) -> None:
    """Every message that waits is put on its queue three times more."""
    known: set[bytes] = set()
    for _ in range(100):
        for queue in QUEUES:
            new = set(scene.queues.lrange(queue, 0, -1)) - known
            known |= new
            for message in new:
                scene.queues.rpush(queue, *[message] * 3)
        time.sleep(0.05)


def rubbish_in_the_queue(scene: Scene) -> None:
    for queue in QUEUES:
        scene.queues.lpush(queue, *RUBBISH)
    time.sleep(3)
    assert not [name for name, process in scene.site.servers.processes.items() if process.poll() is not None]


def tables_damaged(scene: Scene) -> None:
    """The parsed tables of runs, which are caches, change on the disk before they are scored."""
    scene.await_row("SELECT \"table\" FROM campaign_run WHERE \"table\" <> '' AND state = 'valid'")
    for path in (scene.files / "tables").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-20] + b"\0" * 20)


def disk_full(scene: Scene) -> None:
    time.sleep(0.5)
    filler = scene.fill_disk()
    time.sleep(5)
    filler.unlink()


FAULTS = [
    Fault("none", "nothing fails", nothing),
    Fault("worker-checks", "worker killed while it checks a run", kill("worker", "check run")),
    Fault("worker-scores", "worker killed while it scores", kill("worker", "score task")),
    Fault("worker-often", "worker killed three times in a row while it checks", kill_worker_again_and_again),
    Fault("quick-worker", "worker of mails and of the sweep killed", kill("quick-worker")),
    Fault("web", "web server killed during uploads and judgments", kill("web")),
    Fault("beat", "beat killed", kill("sweep")),
    Fault("everything", "all processes killed at once", kill_all),
    Fault("redis-away", "Redis away for 6 s", redis_away),
    Fault("redis-flushed", "Redis flushed four times", redis_flushed),
    Fault("redis-restarted", "Redis killed during a check, back empty", redis_restarted_empty),
    Fault("postgres-restarted", "PostgreSQL restarted twice", postgres_restarted),
    Fault("postgres-killed", "PostgreSQL killed during a check, recovered", postgres_killed),
    Fault("postgres-away", "PostgreSQL away for 6 s", postgres_away),
    Fault("doubled", "every waiting message put on the queue four times", messages_doubled),
    Fault("rubbish", "rubbish put into all queues", rubbish_in_the_queue),
    Fault("disk", "the disk of stored files full for 5 s", disk_full),
    Fault("tables", "parsed tables of runs changed on the disk", tables_damaged),
]


SCENES = 3
"""Sites that stand beside each other where pytest has so many processes: faults mostly wait."""


def in_scene(place: int, fault: Fault) -> Any:
    return pytest.param(fault, id=fault.name, marks=pytest.mark.xdist_group(f"scene-{place % SCENES}"))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    scene = Scene(tmp_path_factory.mktemp("faults"), [*(fault.name for fault in FAULTS), "flipped"])
    try:
        yield scene
    finally:
        scene.close()
        if len(SEEN) == len(FAULTS) and (table := os.environ.get("FAULTS_TABLE")):
            write_table(Path(table), SEEN)


@pytest.mark.parametrize("fault", [in_scene(place, fault) for place, fault in enumerate(FAULTS)])
def test_a_fault_loses_nothing_doubles_nothing_and_changes_no_score(scene: Scene, fault: Fault) -> None:
    scene.begin(fault.name)
    fault.cause(scene)
    found = scene.end()
    SEEN[fault.name] = (fault.words, found)
    assert (found.lost, found.doubled, found.wrong) == ([], [], []), f"{found.seen}\n{scene.site.logs()}"
    assert len(found.told["values"]) == len(found.told["runs"])
    assert found.failed_jobs == []
    assert not [what for what in found.seen if what.endswith(" 500")]


@pytest.mark.xdist_group(f"scene-{len(FAULTS) % SCENES}")
def test_a_run_of_which_a_byte_was_flipped_is_neither_checked_nor_scored_until_it_is_sent_again(scene: Scene) -> None:
    content, runs = run_text(0, SMALL, "run-0"), "/campaigns/faults/tasks/flipped/runs"
    api = scene.api()
    worker = scene.site.servers.processes["worker"].pid
    os.killpg(worker, signal.SIGSTOP)  # the byte changes between upload and check
    try:
        assert api.submit(runs, content, team="north", tag="run-0")[0] == 201
        (name,) = scene.await_row(STORED_FILE, "flipped")
        path = scene.files / name
        path.write_bytes(content.replace(b"Q0 d1 ", b"Q0 d7 ", 1))
    finally:
        os.killpg(worker, signal.SIGCONT)
    scene.await_row("SELECT 1 FROM campaign_job WHERE state = 'failed' AND message LIKE %s", f"%{name}%")
    assert api.ask("GET", f"{runs}/run-0")[1]["state"] == "received"
    assert scene.health()["damaged_files"] == 1
    assert not path.exists()
    assert api.submit(runs, content, team="north", tag="run-0", replace="true")[0] == 201
    assert api.wait(f"{runs}/run-0")["state"] == "valid"
    assert scene.health()["damaged_files"] == 0
    assert path.read_bytes() == content
