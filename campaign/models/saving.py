"""Rows with values that one row only may have: another request can take such a value between the check and the saving."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction


@contextmanager
def checked_again(check: Callable[[], object]) -> Iterator[None]:
    """Within, rows are saved that `check` has passed. Where another request was first, it refuses them as it does later ones."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        check()
        raise
