"""Several people who do something at the same moment, each on a connection of their own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.core.exceptions import ValidationError
from django.db import connection

AT_ONCE = 8


def at_once(act: Callable[[int], object], times: int = AT_ONCE) -> list[str]:
    """The error message of each of several threads that act at the same moment; empty for those that succeed."""
    start = Barrier(times)

    def told(number: int) -> str:
        start.wait(120)
        try:
            act(number)
        except ValidationError as problem:
            return " ".join(problem.messages)
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(told, range(times)))
