"""Commands that tests call change how their process takes signals; the next test must not see it."""

import signal

import pytest

from evaluation.command.main import main as evaluation
from pooling.command.main import main as pooling


@pytest.mark.parametrize("main", [evaluation, pooling])
@pytest.mark.parametrize("turn", [1, 2])
def test_a_closed_pipe_ends_a_command_and_never_the_process_of_the_tests(turn: int, main: object) -> None:
    assert signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL
    assert callable(main)
    main(["strategies" if main is pooling else "measures"])
