"""Calls that stay in one piece of memory.

CPython keeps the frames of a thread in chunks of 16 KiB, and gives a chunk back to the kernel as soon as its first frame
ends: a call across an edge, in a loop, is a call of `mmap`, one of `munmap` and some page faults each time. Requests are deep
enough to meet edges; of the processor's time of tests that ask pages, a sixth to a quarter went there.
"""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])
WORDS = 2**15
"""256 KiB, so that the chunk has twice as many; what is not used of them is never touched, so it takes no memory."""


def roomy(function: F) -> F:
    """The function, whose frame claims so much that its chunk has room for hundreds of calls below it."""
    function.__code__ = function.__code__.replace(co_stacksize=WORDS)
    return function
