import os
from pathlib import Path

from celery import Celery
from celery.signals import celeryd_init
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")

app = Celery("runpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def make_queue_folders() -> None:
    """The file-based broker expects its folders to exist; other brokers have none."""
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    for key in ("data_folder_in", "data_folder_out", "control_folder"):
        if key in options:
            Path(str(options[key])).mkdir(parents=True, exist_ok=True)


@celeryd_init.connect  # type: ignore[untyped-decorator]
def _prepare_worker(**_: object) -> None:
    make_queue_folders()
