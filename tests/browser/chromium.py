"""The browser that tests drive."""

import os
import shutil
from pathlib import Path

# The shell is the same browser without its windows, and a fifth faster.
INSTALLED = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), "/usr/bin/chromium")
CHROMIUM = Path(os.environ.get("TEST_CHROMIUM", INSTALLED))
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
