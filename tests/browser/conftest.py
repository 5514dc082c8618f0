"""Real Chromium against a real server. Skipped where there is no Chromium, unless TEST_REQUIRE names "browser"."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.test import Client

from campaign.models import User
from judging.models import Assignment
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.browser.desk_driver import ready
from tests.requirements import BROWSER, lacking

# Playwright's synchronous interface runs an event loop in this thread, which Django would take for an async view.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
PATIENCE_MS = 60_000
"""Until a state counts as missing: a busy machine is late by seconds."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        lacking(BROWSER)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield running
        running.close()


class InFlight:
    """How many requests the live server is working on, the sign-ins of the test's own client included.

    A closed page may leave a request behind. Its locks and those of the flush would make a deadlock on PostgreSQL,
    and a row that it writes during the flush would refer to a deleted one: those that come then are refused.
    """

    QUIET_SECONDS = 0.05
    PATIENCE_SECONDS = 60.0

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.changed_at = time.monotonic()
        self.refuses = False

    def started(self, **signal: object) -> None:
        with self.lock:
            if self.refuses:
                raise LateRequestError
            self._change(1)

    def finished(self, **signal: object) -> None:
        with self.lock:
            self._change(-1)

    def _change(self, by: int) -> None:
        self.count += by
        self.changed_at = time.monotonic()

    def settle(self) -> None:
        """Refuse requests from the moment on at which nothing has been in flight for a while."""
        give_up_at = time.monotonic() + self.PATIENCE_SECONDS
        while time.monotonic() < give_up_at:
            with self.lock:
                self.refuses = self.count <= 0 and time.monotonic() - self.changed_at > self.QUIET_SECONDS
            if self.refuses:
                return
            time.sleep(0.01)


class LateRequestError(Exception):
    """The page that sent this request is closed, and the rows of its test are about to go."""


IN_FLIGHT = InFlight()


@pytest.fixture(scope="session", autouse=True)
def requests_in_flight_are_counted() -> Iterator[None]:
    request_started.connect(IN_FLIGHT.started)
    request_finished.connect(IN_FLIGHT.finished)
    yield
    request_started.disconnect(IN_FLIGHT.started)
    request_finished.disconnect(IN_FLIGHT.finished)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    try:
        return (yield)
    finally:
        IN_FLIGHT.refuses = False


@pytest.fixture(autouse=True)
def nothing_in_flight_when_the_database_is_flushed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Asks for the database first, so that it is torn down between the page and the flush."""
    if "live_server" in request.fixturenames:
        request.getfixturevalue("transactional_db")
        IN_FLIGHT.count = 0  # a response that an earlier test did not close never finished
        yield
        IN_FLIGHT.settle()
    else:
        yield


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page in a context of its own; an error in a script fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    errors: list[str] = []
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


@pytest.fixture
def sign_in(live_server: Any) -> Callable[[Any, User], None]:
    def put_session(page: Any, user: User) -> None:
        client = Client()
        client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])

    return put_session


@pytest.fixture
def open_desk(page: Any, sign_in: Callable[[Any, Any], None], live_server: Any) -> Callable[..., Any]:
    """Opens the desk of an assignment for its assessor; `troubles`: scripts that spoil the browser before, `at`: another tab."""

    def opened(assignment: Assignment, *troubles: str, at: Any = None) -> Any:
        tab = at or page
        sign_in(tab, assignment.assessor)
        for trouble in troubles:
            tab.context.add_init_script(trouble)
        tab.goto(live_server.url + assignment.pool.task.url("desk", topic_number=assignment.topic.number))
        ready(tab)
        return tab

    return opened


@pytest.fixture
def open_page(page: Any, sign_in: Callable[[Any, Any], None], live_server: Any) -> Callable[[Any, str], Any]:
    def opened(user: Any, url: str) -> Any:
        sign_in(page, user)
        page.goto(live_server.url + url)
        return page

    return opened
