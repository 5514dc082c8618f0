import os

from django.core.asgi import get_asgi_application

from runpool import postgresql
from runpool.charsets import asgi_in_utf8
from runpool.start import web_application
from runpool.static_files import collect_first

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "runpool.settings")
postgresql.bound_waits()
application = asgi_in_utf8(web_application(get_asgi_application, prepare=collect_first))
