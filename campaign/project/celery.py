import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

from campaign.project import file_transport, redis_transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")

file_transport.register()
redis_transport.register()
app = Celery("runpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@setup_logging.connect  # type: ignore[untyped-decorator]
def leave_logging_to_django(**_options: Any) -> None:
    """Celery sets up no logging where somebody listens here: workers and beat log as the web server does."""
