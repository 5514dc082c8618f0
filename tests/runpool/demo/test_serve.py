"""The end of a site's processes, with real processes: none may outlive the one that started it."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runpool.demo.serve import FolderTakenError, Servers, sole_user_of
from runpool.operations.restarts import restarts_in_words

STARTER = """
import sys
from pathlib import Path
from runpool.demo import serve

serve.GRACE_SECONDS = 1.0
serve.FIRST_PAUSE_SECONDS, serve.LONGEST_PAUSE_SECONDS = 0.1, 0.4

class Sleepers(serve.Servers):
    def start(self):
        self._guard = serve._start_guard()
        self._start("polite", "tests.runpool.demo.sleeper")
        self._start("stubborn", "tests.runpool.demo.sleeper", "stubborn")

    def wait_until_ready(self, seconds=30):
        pass

def told():
    print(*[process.pid for process in sleepers.processes.values()], flush=True)

sleepers = Sleepers(port=0, log_folder=Path(sys.argv[1]))
try:
    serve.run_until_interrupted(sleepers, told, lambda name: told())
except RuntimeError as problem:
    print(problem, flush=True)
"""


@contextmanager
def starter(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A process that has started two others, one of which ends only by force."""
    command = [sys.executable, "-c", STARTER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        started = [int(pid) for pid in process.stdout.readline().split()]
        assert len(started) == 2
        assert within(10, lambda: all((folder / f"{name}.log").read_text() for name in ("polite", "stubborn")))
        try:
            yield process, started
        finally:
            process.kill()
            for pid in filter(is_alive, started):
                os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_however_the_starter_ends_its_processes_end_with_it(tmp_path: Path, number: signal.Signals) -> None:
    with starter(tmp_path) as (process, started):
        assert all(map(is_alive, started))
        process.send_signal(number)
        assert within(15, lambda: not any(map(is_alive, started)))


def test_a_process_that_died_is_started_again_and_ends_with_the_others(tmp_path: Path) -> None:
    with starter(tmp_path) as (process, [polite, stubborn]):
        os.kill(stubborn, signal.SIGKILL)
        assert process.stdout is not None
        again = [int(pid) for pid in process.stdout.readline().split()]
        assert again[0] == polite
        assert again[1] != stubborn
        assert all(map(is_alive, again))
        process.send_signal(signal.SIGKILL)
        assert within(15, lambda: not any(map(is_alive, again)))


def test_a_process_that_ends_again_and_again_takes_nothing_else_down(tmp_path: Path) -> None:
    with starter(tmp_path) as (process, [polite, dying]):
        assert process.stdout is not None
        for _ in range(7):
            os.kill(dying, signal.SIGKILL)
            after, dying = map(int, process.stdout.readline().split())
            assert after == polite
        assert is_alive(polite)
        assert restarts_in_words(tmp_path).endswith(": stubborn 7 times")
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0


def test_each_further_restart_comes_after_a_longer_pause(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Servers, "_start", lambda self, name, *command: None)
    servers = Servers(port=0, log_folder=tmp_path)
    with subprocess.Popen([sys.executable, "-c", ""], start_new_session=True) as ended:
        ended.wait()
    servers.processes["worker"], servers._commands["worker"] = ended, ("module",)
    restarted_at: list[float] = []
    for step in range(0, 2400, 5):
        monkeypatch.setattr(time, "monotonic", lambda now=step / 10: now)
        restarted_at += [step / 10] * len(servers.restart_dead())
    pauses = [after - before for before, after in itertools.pairwise(restarted_at)]
    assert pauses == sorted(pauses)
    assert (pauses[0], max(pauses)) == (1.5, 60.5)  # half a second between two looks


def test_a_second_interrupt_does_not_keep_the_first_from_ending_every_process(tmp_path: Path) -> None:
    with starter(tmp_path) as (process, started):
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
            time.sleep(0.2)
        assert process.wait(15) == 0
        assert not any(map(is_alive, started))


def test_a_folder_serves_one_demo_at_a_time(tmp_path: Path) -> None:
    with sole_user_of(tmp_path), pytest.raises(FolderTakenError, match="already"), sole_user_of(tmp_path):
        pass
    with sole_user_of(tmp_path):
        pass
