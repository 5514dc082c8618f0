"""Faults in the middle of work, on real processes: nothing is lost, nothing is done twice, every score is right.

Six uploads (of 1,000 to 40,000 lines) come in while an assessor judges; then something fails. The processes are those of a
site on PostgreSQL and Redis. FAULTS_TABLE names a file that gets the table of what was seen.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from campaign.queues import ALL as QUEUES
from tests.faults.scene import Aftermath, Scene

RUBBISH = [
    b"",
    b"no message",
    b"{}",
    b'{"body": 1}',
    b"\xff\xfe" * 100,
    b'{"body": "e30=", "headers": {}, "properties": {}}',
]
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


OF_PROCESSES = [
    Fault("none", "nothing fails", nothing),
    Fault("worker-checks", "worker killed while it checks a run", kill("worker", "check run")),
    Fault("worker-scores", "worker killed while it scores", kill("worker", "score task")),
    Fault("worker-often", "worker killed three times in a row while it checks", kill_worker_again_and_again),
    Fault("quick-worker", "worker of mails and of the sweep killed", kill("quick-worker")),
    Fault("web", "web server killed during uploads and judgments", kill("web")),
    Fault("beat", "beat killed", kill("sweep")),
    Fault("everything", "all processes killed at once", kill_all),
]
OF_SERVERS = [
    Fault("redis-away", "Redis away for 6 s", redis_away),
    Fault("redis-flushed", "Redis flushed four times", redis_flushed),
    Fault("redis-restarted", "Redis killed during a check, back empty", redis_restarted_empty),
    Fault("postgres-restarted", "PostgreSQL restarted twice", postgres_restarted),
    Fault("postgres-killed", "PostgreSQL killed during a check, recovered", postgres_killed),
    Fault("postgres-away", "PostgreSQL away for 6 s", postgres_away),
]
OF_MESSAGES_AND_FILES = [
    Fault("doubled", "every waiting message put on the queue four times", messages_doubled),
    Fault("rubbish", "rubbish put into all queues", rubbish_in_the_queue),
    Fault("disk", "the disk of stored files full for 5 s", disk_full),
    Fault("tables", "parsed tables of runs changed on the disk", tables_damaged),
]
FAULTS = [*OF_PROCESSES, *OF_SERVERS, *OF_MESSAGES_AND_FILES]


def require_nothing_lost(scene: Scene, fault: Fault) -> None:
    scene.begin(fault.name)
    fault.cause(scene)
    found = scene.end()
    SEEN[fault.name] = (fault.words, found)
    assert (found.lost, found.doubled, found.wrong) == ([], [], []), f"{found.seen}\n{scene.site.logs()}"
    assert len(found.told["values"]) == len(found.told["runs"])
    assert found.failed_jobs == []
    assert not [what for what in found.seen if what.endswith(" 500")], f"{found.seen}\n{scene.site.errors()}"
