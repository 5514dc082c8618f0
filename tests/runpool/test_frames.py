"""Calls below a roomy function meet no edge of a chunk of frames."""

import resource
import sys
import threading
from collections.abc import Callable

import pytest

from runpool.charsets import wsgi_in_utf8
from runpool.frames import roomy

CALLS = 500
DEEP = 300


def _leaf() -> None:
    pass


def _worst(depth: int) -> int:
    """The most page faults of CALLS calls in a loop, at any depth from here on."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(CALLS):
        _leaf()
    faults = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before
    return max(faults, _worst(depth - 1)) if depth else faults


def _in_a_thread(work: Callable[[], int]) -> int:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def _in_a_request() -> int:
    answer = wsgi_in_utf8(lambda *_: [b"%d" % _worst(DEEP)])({}, print)
    return int(b"".join(answer))


@pytest.mark.skipif(sys.platform != "linux", reason="counts page faults of a thread")
def test_a_call_in_a_loop_takes_memory_anew_at_no_depth_of_a_request() -> None:
    assert _in_a_thread(_in_a_request) < CALLS


def test_a_roomy_function_answers_fails_and_is_called_as_before() -> None:
    @roomy
    def shares(of: int, *, among: int = 2) -> float:
        return of / among

    assert shares(6) == 3
    with pytest.raises(ZeroDivisionError) as failed:
        shares(6, among=0)
    assert [entry.name for entry in failed.traceback][-1] == "shares"
