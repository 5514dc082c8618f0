"""What people do while something fails: teams upload, an assessor judges. Everybody tries again, as people and browsers do."""

import hashlib
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.flows.http_clients import Api, Visitor

TOPICS, DOCUMENTS = 20, 2000
SMALL, LARGE = 50, DOCUMENTS
DEPTHS = (SMALL, LARGE, SMALL, SMALL, LARGE, SMALL)
"""Of the runs of a scene; the number of a run is its place here."""
JUDGED_DOCNOS = [f"judged-{number}" for number in range(6000)]
PATIENCE_SECONDS = 180
FAILURES = (OSError, http.client.HTTPException, json.JSONDecodeError)
"""Connections that are refused or cut, time-outs, and answers that are cut."""


def run_text(number: int, depth: int, tag: str) -> bytes:
    """A run whose order follows from its number alone: the same run has the same scores after every fault."""
    order = random.Random(number)
    lines = []
    for topic in range(1, TOPICS + 1):
        documents = order.sample(range(depth), depth)
        lines += [
            f"{topic} Q0 d{document} {rank} {depth - rank} {tag}\n" for rank, document in enumerate(documents, start=1)
        ]
    return "".join(lines).encode()


@dataclass
class Work:
    """Acts and what was answered; threads write into it."""

    api: Api
    task: str
    assessor: Visitor
    who: dict[str, int]
    docnos: list[str]
    sent: dict[str, str] = field(default_factory=dict)
    judged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    slowest_seconds: float = 0.0

    def start(self) -> None:
        jobs = [(self._upload, number, depth) for number, depth in enumerate(DEPTHS)]
        self._threads = [threading.Thread(target=act, args=rest) for act, *rest in jobs]
        self._threads.append(threading.Thread(target=self._judge))
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        for thread in self._threads:
            thread.join()

    def _upload(self, number: int, depth: int) -> None:
        tag = f"run-{number}"
        content = run_text(number, depth, tag)
        sha256 = hashlib.sha256(content).hexdigest()
        time.sleep(0.3 * number)

        def submit() -> bool:
            status, answer = self.api.submit(
                f"/campaigns/faults/tasks/{self.task}/runs", content, team="north", tag=tag
            )
            if status == 201:
                self.sent[tag] = answer["sha256"]
                return answer["sha256"] == sha256
            if status == 422 and self._was_taken_before(tag, sha256):
                self.sent[tag] = sha256
                return True
            return self._failed(f"upload {status}")

        self._until_done(submit, f"upload of {tag}")

    def _was_taken_before(self, tag: str, sha256: str) -> bool:
        """An upload whose answer was lost: the second try is told that the tag is in use."""
        status, run = self.api.ask("GET", f"/campaigns/faults/tasks/{self.task}/runs/{tag}")
        return status == 200 and run["sha256"] == sha256

    def _judge(self) -> None:
        for docno in self.docnos:
            act = {"uuid": str(uuid4()), "docno": docno, "verdict": "graded", "grade": 1}
            self._until_done(lambda act=act: self._send(act), f"judgment of {docno}")
            time.sleep(0.15)

    def _send(self, act: dict[str, Any]) -> bool:
        body = json.dumps({**self.who, "judgments": [act]}).encode()
        address = f"{self.assessor.url}/c/faults/judged/judge/1/judgments/"
        request = urllib.request.Request(
            address, body, {"Content-Type": "application/json", "X-CSRFToken": self.assessor.cookies()["csrftoken"]}
        )
        try:
            with self.assessor.opener.open(request, timeout=30) as response:
                [result] = json.loads(response.read())["results"]
        except urllib.error.HTTPError as problem:
            return self._failed(f"judgment {problem.code}")
        if result["state"] != "saved":
            return self._failed(f"judgment {result['message']}")
        self.judged.append(act["uuid"])
        return True

    def _until_done(self, act: Any, what: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            started = time.monotonic()
            try:
                is_done = act()
            except FAILURES as problem:
                is_done = self._failed(f"{what.split()[0]} {type(problem).__name__}")
            self.slowest_seconds = max(self.slowest_seconds, time.monotonic() - started)
            if is_done:
                return
            time.sleep(0.4)
        self.refused.append(what)

    def _failed(self, what: str) -> bool:
        self.failures.append(what)
        return False
