import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_process_shutdown
from kombu.transport import TRANSPORT_ALIASES

from campaign import traces
from campaign.project import file_transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")

file_transport.register()
# In place of kombu's own; by name, since it loads the client of Redis, which many sites need not have.
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "campaign.project.redis_transport:Transport")
app = Celery("runpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@setup_logging.connect  # type: ignore[untyped-decorator]
def leave_logging_to_django(**_options: Any) -> None:
    """Celery sets up no logging where somebody listens here: workers and beat log as the web server does."""


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def send_spans(**_options: Any) -> None:
    """A worker's child is replaced now and then, and runs no exit handlers."""
    traces.flush()
