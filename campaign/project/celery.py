import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")

app = Celery("runpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")
