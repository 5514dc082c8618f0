import threading
import time
from itertools import count

import pytest

from campaign.command.reading_ahead import THREADS, map_ahead


def test_results_come_in_the_order_of_the_items_whichever_is_done_first():
    def slow_first(number: int) -> int:
        time.sleep(0.02 * (3 - number % 4))
        return number * number

    assert list(map_ahead(slow_first, range(12))) == [number * number for number in range(12)]


def test_items_are_worked_on_side_by_side():
    together = threading.Barrier(THREADS, timeout=10)
    assert list(map_ahead(lambda _: together.wait() >= 0, range(2 * THREADS))) == [True] * 2 * THREADS


def test_only_a_few_results_wait_to_be_taken():
    begun = []
    results = map_ahead(lambda number: begun.append(number), count())
    next(results)
    next(results)
    results.close()
    assert len(begun) <= 2 + THREADS


def test_an_exception_stands_where_its_result_would():
    results = map_ahead(lambda number: 10 // number, [5, 2, 0, 1])
    assert [next(results), next(results)] == [2, 5]
    with pytest.raises(ZeroDivisionError):
        next(results)
