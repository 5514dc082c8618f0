"""How the command ends when it is not wanted any more."""

import signal


def end_quietly() -> None:
    """Let Ctrl-C and a closed pipe end the program as they end most others: at once and without a word.

    An interrupt that the program was started to ignore stays ignored.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def load_polars() -> None:
    """Import polars without the handler that it puts before ours: with that one Ctrl-C would wait for the end of a read."""
    import polars  # noqa: F401

    end_quietly()
