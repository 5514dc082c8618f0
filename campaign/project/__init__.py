"""Named by units and scripts of version 1.0: whoever starts it is told what to start."""

import sys

sys.stderr.write(
    "error: campaign.project is now runpool. Start gunicorn with runpool.wsgi, and Celery with -A runpool; "
    "DJANGO_SETTINGS_MODULE is runpool.settings. The samples in deploy/ have the new names.\n"
)
raise SystemExit(3)
