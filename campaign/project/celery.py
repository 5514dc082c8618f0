import os

from celery import Celery

from campaign.project import file_transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")

file_transport.register()
app = Celery("runpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")
