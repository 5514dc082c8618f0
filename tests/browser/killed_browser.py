"""A browser with a profile on disk that can be killed as by a power cut, and started again from what the disk has."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.browser.chromium import ARGUMENTS, CHROMIUM


class KilledBrowser:
    def __init__(self, kind: Any, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.context: Any = None

    def start(self) -> Page:
        self.context = self.kind.launch_persistent_context(
            str(self.folder), executable_path=str(CHROMIUM), args=ARGUMENTS
        )
        page: Page = self.context.new_page()
        page.set_default_timeout(60_000)
        return page

    def kill(self) -> None:
        """End all its processes at once, without a word to any page."""
        processes = self._processes()
        assert processes, "The browser does not run."
        with self.context.expect_event("close"):
            for process in processes:
                os.kill(process, signal.SIGKILL)
        while self._processes():
            time.sleep(0.02)

    def _processes(self) -> list[int]:
        """Those that were started with this profile."""
        return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if self._is_own(path)]

    def _is_own(self, path: Path) -> bool:
        try:
            return f"--user-data-dir={self.folder}".encode() in path.read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile
            return False
