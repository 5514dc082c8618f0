import os
import sys
from typing import Any

from celery import Celery
from celery.signals import beat_init, setup_logging, worker_init, worker_process_shutdown, worker_ready, worker_shutdown
from kombu.transport import TRANSPORT_ALIASES

from campaign.log import traces
from campaign.queue import file_transport
from runpool import start

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "runpool.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # it would run them, for a second, and drop what they find

sys.excepthook = start.tell_uncaught  # Celery reads the settings where nobody could catch what is wrong with them
file_transport.register()
# In place of kombu's own; by name, since it loads the client of Redis, which many sites need not have.
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "campaign.queue.redis_transport:Transport")
app = Celery("runpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@worker_init.connect  # type: ignore[untyped-decorator]
@beat_init.connect  # type: ignore[untyped-decorator]
def refuse_what_the_checks_refuse(**_options: Any) -> None:
    from runpool.checks import OF_SETTINGS  # no model can be imported before the apps are ready

    start.end_if_refused(lambda: start.require_checked(OF_SETTINGS))


@setup_logging.connect  # type: ignore[untyped-decorator]
def leave_logging_to_django(**_options: Any) -> None:
    """Celery sets up no logging where somebody listens here: workers and beat log as the web server does."""


@worker_ready.connect  # type: ignore[untyped-decorator]
def start_heartbeat(sender: Any, **_options: Any) -> None:
    from campaign.queue.workers import WorkerBeat

    sender.app.heartbeat = WorkerBeat(sender.hostname, list(sender.app.amqp.queues.consume_from))
    sender.app.heartbeat.start()


@worker_shutdown.connect  # type: ignore[untyped-decorator]
def stop_heartbeat(**_options: Any) -> None:
    heartbeat = getattr(app, "heartbeat", None)  # none where it never reached the broker
    if heartbeat is not None:
        heartbeat.stop()


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def send_spans(**_options: Any) -> None:
    """A worker's child is replaced now and then, and runs no exit handlers."""
    traces.flush()
