#!/usr/bin/env python
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "campaign.project.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:  # says in words what to set; where Python met it helps nobody
        sys.exit(f"error: {problem}")
