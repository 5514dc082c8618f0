import os

from django.core.wsgi import get_wsgi_application

from runpool import env, postgresql
from runpool.charsets import wsgi_in_utf8
from runpool.start import web_application
from runpool.static_files import collect_first

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "runpool.settings")
env.THREADS_SHARE_CONNECTIONS = True
postgresql.bound_waits()
application = wsgi_in_utf8(web_application(get_wsgi_application, prepare=collect_first))
