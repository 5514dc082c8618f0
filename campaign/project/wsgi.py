import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")
# Web servers only: their threads share these connections to PostgreSQL. A worker's processes are forked and have one each.
os.environ.setdefault("DATABASE_POOL", "8")
application = get_wsgi_application()

# Before the first request: else each of the first ones waits a second for the import of all pages, in the middle of a burst.
get_resolver().url_patterns  # noqa: B018
