"""People who use the site at once, each in a thread: teams that upload, assessors that judge, readers that read."""

import contextlib
import hashlib
import http.client
import itertools
import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from benchmarks.load_database import rows_of
from benchmarks.load_runs import multipart, run_text

PATIENCE = 120
CSRF = "x" * 32
READ = ("/", "/c/load/", "/c/load/load/", "/c/load/load/leaderboard/", "/c/load/load/leaderboard/1/")
Address = tuple[str, int]


@dataclass
class Timing:
    """How long the requests of one kind took, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def at(self, percent: int) -> float:
        """Return the percentile, infinite without requests."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else float("inf")

    def as_json(self) -> dict[str, Any]:
        figures = {"count": len(self.seconds), "p50": self.at(50), "p95": self.at(95), "most": self.at(100)}
        return {**{name: round(figure, 3) for name, figure in figures.items()}, "errors": self.errors[:5]}


@dataclass
class Upload:
    """One run: by the API, or by the page as its script sends it."""

    tag: str
    sha256: str
    path: str
    headers: dict[str, str]
    body: bytes
    status: int = 0
    answer: bytes = b""


class Load:
    def __init__(
        self,
        people: dict[str, Any],
        *,
        pages: Address,
        uploads: Address,
        each: int,
        readers: int,
        pace: float = 1.0,
        judging: Address | None = None,
    ) -> None:
        """`pace`: seconds from one judgment, or page, of a person to the next."""
        self._people, self._readers, self._pace = people, readers, pace
        self._pages, self._to, self._judging = pages, uploads, judging or pages
        self._over = threading.Event()
        self._timings = {name: Timing() for name in ("upload", "judgment", "page")}
        self._saved: list[str] = []
        self.uploads = [
            _upload(people["page"], member, number) for number in range(each) for member in people["members"]
        ]

    def timings(self) -> dict[str, Timing]:
        return self._timings

    def taken(self) -> list[Upload]:
        return [upload for upload in self.uploads if upload.status in (200, 201)]

    def judgments_lost(self, database: str) -> list[str]:
        """Acts that the site said it had saved, and does not have, by their UUIDs."""
        stored = {uuid.UUID(str(one)) for [one] in rows_of(database, "SELECT uuid FROM judging_judgment")}
        return [one for one in self._saved if uuid.UUID(one) not in stored]

    def refused(self) -> list[str]:
        others = [upload for upload in self.uploads if upload.status not in (200, 201)]
        return [f"{upload.tag}: {upload.status} {upload.answer[:300]!r}" for upload in others]

    def upload_all(self, *, in_turn: bool) -> None:
        """All at once, or each team one after the other, as the upload page and the check script send several files."""
        teams = len(self._people["members"]) if in_turn else len(self.uploads)
        with ThreadPoolExecutor(teams) as threads:
            list(threads.map(self._upload_each, [self.uploads[number::teams] for number in range(teams)]))

    def _upload_each(self, uploads: Sequence[Upload]) -> None:
        for upload in uploads:
            self._upload(upload)

    def send(self, upload: Upload) -> None:
        """One more upload, now."""
        self.uploads.append(upload)
        self._upload(upload)

    def _upload(self, upload: Upload) -> None:
        def send(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
            connection.request("POST", upload.path, upload.body, upload.headers)
            return connection.getresponse()

        upload.status, upload.answer = self._timed("upload", connect(self._to), send)

    @contextlib.contextmanager
    def judging_and_reading(self) -> Iterator[None]:
        count = len(self._people["judges"]) + self._readers
        with ThreadPoolExecutor(count) as threads:
            futures = [threads.submit(self._judge, judge) for judge in self._people["judges"]]
            futures += [threads.submit(self._read, number) for number in range(self._readers)]
            try:
                yield
            finally:
                self._over.set()
            for future in futures:
                future.result()

    def _judge(self, judge: dict[str, Any]) -> None:
        connection = connect(self._judging)
        path = f"/c/load/load/judge/{judge['topic']}/judgments/"
        headers = {"Content-Type": "application/json", "X-CSRFToken": CSRF, "Cookie": cookies(judge["session"])}
        places = itertools.cycle(judge["docnos"])
        while not self._over.wait(self._pace * random.uniform(0.9, 1.1)):
            act = {"uuid": str(uuid.uuid4()), "docno": next(places), "verdict": "graded", "grade": random.randint(0, 1)}
            sent = {"assessor": judge["user_id"], "assignment": judge["assignment"], "judgments": [act]}
            status, answer = self._timed(
                "judgment", connection, asking("POST", path, json.dumps(sent).encode(), headers)
            )
            if status == 200:
                self._saved += [one["uuid"] for one in json.loads(answer)["results"] if one["state"] == "saved"]

    def _read(self, number: int) -> None:
        connection = connect(self._pages)
        member = self._people["members"][number % len(self._people["members"])]
        own = ("/c/load/load/runs/", "/c/load/load/runs/new/")
        headers = {"Cookie": cookies(member["session"])}
        while not self._over.wait(self._pace * random.uniform(0.5, 1.5)):
            path = random.choice((*READ, *own))
            self._timed("page", connection, asking("GET", path, b"", headers))

    def _timed(
        self,
        name: str,
        connection: http.client.HTTPConnection,
        ask: Callable[[http.client.HTTPConnection], http.client.HTTPResponse],
    ) -> tuple[int, bytes]:
        start = time.monotonic()
        try:
            status, body = asked_again(connection, ask)
        except (OSError, http.client.HTTPException) as problem:
            connection.close()
            self._timings[name].errors.append(repr(problem))
            return 0, repr(problem).encode()
        self._timings[name].seconds.append(time.monotonic() - start)
        if status >= 400:
            self._timings[name].errors.append(f"{status} {body[:200]!r}")
        return status, body


def asked_again(
    connection: http.client.HTTPConnection, ask: Callable[[http.client.HTTPConnection], http.client.HTTPResponse]
) -> tuple[int, bytes]:
    """Ask; like a browser once more where the server has closed a kept connection at that moment."""
    is_kept = connection.sock is not None
    try:
        answer = ask(connection)
    except (ConnectionError, http.client.RemoteDisconnected):
        connection.close()
        if not is_kept:
            raise
        answer = ask(connection)
    return answer.status, answer.read()


def asking(
    method: str, path: str, body: bytes, headers: dict[str, str]
) -> Callable[[http.client.HTTPConnection], http.client.HTTPResponse]:
    def ask(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        connection.request(method, path, body or None, headers)
        return connection.getresponse()

    return ask


def connect(to: Address) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(*to, timeout=PATIENCE)


def cookies(session: str) -> str:
    return f"sessionid={session}; csrftoken={CSRF}"


def _upload(page: str, member: dict[str, Any], number: int) -> Upload:
    tag = f"{member['team']}-{number}"
    return upload_of(page, member, number, tag, run_text(tag, random.Random(tag)))


def upload_of(page: str, member: dict[str, Any], number: int, tag: str, content: bytes) -> Upload:
    """Every second one by the API, the others by the page as its script sends them."""
    sha256 = hashlib.sha256(content).hexdigest()
    if number % 2:
        kind, body = multipart({"team": member["team"], "tag": tag}, f"{tag}.txt", content)
        path = "/api/v1/campaigns/load/tasks/load/runs"
        return Upload(tag, sha256, path, {"Authorization": f"Bearer {member['token']}", "Content-Type": kind}, body)
    fields = {"team": str(member["team_id"]), "tag": tag, "kind": "automatic", "priority": "1"}
    kind, body = multipart({"csrfmiddlewaretoken": CSRF, **fields}, f"{tag}.txt", content)
    headers = {"Cookie": cookies(member["session"]), "Content-Type": kind, "HX-Request": "true"}
    return Upload(tag, sha256, f"{page}runs/new/", headers, body)
