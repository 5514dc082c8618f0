"""How many examples properties draw: few in a usual run of the suite, others each time, and many by `make test-long`."""

from typing import Any

from hypothesis import settings

USUAL, LONG = 50, 1000
"""For a property that says nothing of its own."""


def examples(usual: int, **more: Any) -> settings:
    """So many examples in the usual run, and as many more in the long one as any other property draws more there.

    For what costs much, or needs many examples until a rare case is among them.
    """
    return settings(max_examples=usual * settings().max_examples // USUAL, **more)
