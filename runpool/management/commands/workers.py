"""Tells which workers answer, on all machines of the site."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaign.queue.broker import broker_answers
from runpool.operations.workers import queues_without, workers_that_answer


class Command(BaseCommand):
    help = "List the workers that answer, on all machines, with their queues. Exit code 1 if a queue has no worker."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        if not broker_answers():
            raise CommandError("The broker does not answer. Start it, and check RUNPOOL_BROKER_URL.")
        found = workers_that_answer()
        for worker in found:
            self.stdout.write(f"{worker.name}: {', '.join(worker.queues)}")
        missing = queues_without(found)
        if missing:
            raise CommandError(f"Nobody takes from {', '.join(missing)}. Start workers of these queues.")
