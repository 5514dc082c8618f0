#!/usr/bin/env python
import os
import sys

from runpool.start import run_command

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "runpool.settings")
    sys.exit(run_command(sys.argv))
