"""A run goes from the quickest kind of test to the slowest and ends with the first kind that fails; then it says what it took.

The seconds that each folder may take stand in CONTRIBUTING.md.
"""

import re
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.places import REPOSITORY

STAGES = ("pure", "database", "site", "browser")
"""Pure code; pages, API and services on rows; tests that start processes or a whole site; what only Chromium shows."""
SITE_FOLDERS = ("tests/flows/", "tests/packaging/", "tests/upgrades/", "tests/runpool/backup/", "tests/runpool/demo/")
LONGEST = (
    "test_journeys.py",
    "browser/test_pages.py",
    "test_adaptive.py",
    "test_scripted_campaign.py",
    "test_upgrades.py",
    "test_wheel.py",
    "test_life_of_a_campaign.py",
    "test_remote_campaign.py",
)
"""They begin first in their stage: a long test that begins last keeps one worker busy alone."""
STAGE = "stage"
PROCESSOR = "processor"
SLOWEST_SHOWN = 20


def stage_of(item: pytest.Item) -> int:
    """The place of the test's kind in STAGES."""
    if item.get_closest_marker("browser"):
        return 3
    if item.get_closest_marker("embedded") or item.nodeid.startswith(SITE_FOLDERS):
        return 2
    return 1 if item.get_closest_marker("database") else 0


def sort_by_stage(items: list[pytest.Item]) -> None:
    """Within a stage, the order stays as it was drawn, but for the longest."""
    places: dict[pytest.Item, tuple[int, int]] = {}
    for item in items:
        stage = stage_of(item)
        item.user_properties.append((STAGE, stage))
        places[item] = stage, _place_among_longest(item.location[0])
    items.sort(key=places.__getitem__)


@cache
def _place_among_longest(file: str) -> int:
    return next((place for place, name in enumerate(LONGEST) if name in file), len(LONGEST))


def budgets() -> dict[str, int]:
    """The seconds of one core that a folder may take, from the table in CONTRIBUTING.md."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {
        folder: int(seconds) for folder, seconds in re.findall(r"^\| `(tests/\w*)`.*\| (\d+) s", text, re.MULTILINE)
    }


class Stages:
    """In the process that reports: it ends the run after a stage that failed, and adds up seconds."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.session: pytest.Session | None = None
        self.failed: int | None = None
        self.stop_file: Path | None = None
        self.seconds: Counter[str] = Counter()
        self.processor: Counter[str] = Counter()
        self.stages: dict[str, int] = {}
        self.moments: defaultdict[int, list[float]] = defaultdict(list)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        properties = dict(report.user_properties)
        stage = properties.get(STAGE)
        if not isinstance(stage, int):
            return
        self.stages[report.nodeid] = stage
        self.moments[stage] += report.start, report.stop
        self.processor[report.nodeid] = float(str(properties.get(PROCESSOR, 0)))
        if report.failed:
            self.failed = stage if self.failed is None else min(self.failed, stage)
        elif self.failed is not None and stage > self.failed and report.when == "call":
            self._stop(f"the stage {STAGES[self.failed]!r} failed; later ones are left out")

    def _stop(self, why: str) -> None:
        distributed: Any = self.config.pluginmanager.get_plugin("dsession")
        if distributed is not None:
            distributed.shouldstop = why
            self.stop_file = _stop_file(distributed.nodemanager.testrunuid)
            self.stop_file.touch()
        elif self.session is not None:
            self.session.shouldfail = why

    def pytest_sessionfinish(self) -> None:
        if self.stop_file is not None:
            self.stop_file.unlink(missing_ok=True)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if len(self.seconds) < 2 * SLOWEST_SHOWN:
            return
        terminalreporter.section("seconds")
        for line in (*self._slowest(), "", *self._by_stage(), "", *self._by_folder()):
            terminalreporter.write_line(line)
        terminalreporter.section("not run here, and what it needs")
        for line in _not_run(terminalreporter.stats.get("skipped", [])) or ["nothing was left out"]:
            terminalreporter.write_line(line)

    def _slowest(self) -> Iterator[str]:
        for test, seconds in self.seconds.most_common(SLOWEST_SHOWN):
            yield f"{seconds:7.1f}  {test}"

    def _by_stage(self) -> Iterator[str]:
        """Processor seconds are those of the tests and of the processes that they ended: no server's, and no start of a run."""
        for stage in sorted(self.moments):
            tests = [test for test, own in self.stages.items() if own == stage]
            first, last = min(self.moments[stage]), max(self.moments[stage])
            yield (
                f"{sum(self.seconds[test] for test in tests):7.1f}  {STAGES[stage]}: {len(tests)} tests in {last - first:.0f} s"
                f" by the clock, {sum(self.processor[test] for test in tests):.0f} s of the processors"
            )

    def _by_folder(self) -> Iterator[str]:
        allowed, folders = budgets(), Counter[str]()
        for test, seconds in self.seconds.items():
            parts = test.partition("::")[0].split("/")
            folders["/".join(parts[:2]) if len(parts) > 2 else "tests/"] += seconds
        for folder, seconds in folders.most_common():
            most = allowed.get(folder, allowed["tests/"])
            over = f"  over its budget of {most} s: see CONTRIBUTING.md" if seconds > most else ""
            yield f"{seconds:7.1f}  {folder}{over}"
        yield f"{sum(folders.values()):7.1f}  all"


class MeasuresTests:
    """In the process that runs tests: each says the processor time that it took."""

    def __init__(self) -> None:
        self._before = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self._before = _processor_seconds()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.when == "teardown":
            item.user_properties.append((PROCESSOR, _processor_seconds() - self._before))


def _processor_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


class StopsEarly:
    """In a worker: it leaves the tests that wait for it, which would otherwise run for minutes after the end was decided."""

    def __init__(self, config: pytest.Config) -> None:
        self._stop_file = _stop_file(config.workerinput["testrunuid"])  # type: ignore[attr-defined]  # of xdist

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        done = yield
        if self._stop_file.exists():
            item.session.shouldstop = "an earlier stage failed"
        return done


def _stop_file(run: str) -> Path:
    return Path(tempfile.gettempdir()) / f"runpool-tests-end-{run}"


def _not_run(skipped: list[Any]) -> list[str]:
    reasons = Counter(report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple))
    return [f"{count:7}  {reason.removeprefix('Skipped: ')}" for reason, count in reasons.most_common()]
