"""Which workers answer, on whichever machine, and which queues nobody takes from."""

from dataclasses import dataclass

from celery import current_app

from campaign import queues

ANSWER_SECONDS = 5.0
"""Those that have not answered by then count as away. A worker with processes for its jobs answers while they work."""


@dataclass(frozen=True, slots=True)
class Worker:
    """`name`: its own, and its machine behind the @."""

    name: str
    queues: tuple[str, ...]


def workers_that_answer(seconds: float = ANSWER_SECONDS) -> list[Worker]:
    """By name. It takes the whole time, since nobody knows how many there are."""
    answers = current_app.control.inspect(timeout=seconds).active_queues() or {}
    return [Worker(name, tuple(queue["name"] for queue in taken)) for name, taken in sorted(answers.items())]


def queues_without(workers: list[Worker]) -> list[str]:
    taken = {queue for worker in workers for queue in worker.queues}
    return [queue for queue in queues.ALL if queue not in taken]
