"""Standard output and error that may be closed or full, and the signals that end the command."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class OutputError(Exception):
    """Nothing, or not all, could be printed."""


@contextmanager
def printing() -> Iterator[None]:
    """Make an OutputError of what goes wrong while something is printed."""
    try:
        yield
    except OSError as problem:
        raise OutputError(f"the results could not be written: {problem.strerror or problem}") from None


def refuse_closed_output() -> None:
    """Raise OutputError where there is no standard output: its number may by then belong to another file."""
    if sys.stdout is None:
        raise OutputError("the standard output is closed")


def flush_output() -> None:
    """Flush the standard output; what cannot be written is dropped, so that Python does not try it again when it ends."""
    try:
        with printing():
            sys.stdout.flush()
    except OutputError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise


def write_error(text: str) -> None:
    """Write to the standard error, if there is one."""
    if sys.stderr is not None:
        sys.stderr.write(text)


def end_quietly() -> None:
    """Let Ctrl-C and a closed pipe end the program at once and without a message, as they end most programs.

    An interrupt that the program was started to ignore stays ignored.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def load_polars() -> None:
    """Import polars, for the main thread, without the handler that it puts before that of Ctrl-C.

    With that one Ctrl-C would wait for the end of a read.
    """
    if "polars" in sys.modules:
        return
    handler = signal.getsignal(signal.SIGINT)
    import polars  # noqa: F401

    if handler is not None:
        signal.signal(signal.SIGINT, handler)
