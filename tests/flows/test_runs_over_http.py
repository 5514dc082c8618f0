"""Runs come in over real connections, to a real web server and a real worker: from invitation to an accepted run."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from email import message_from_bytes
from pathlib import Path
from threading import Event

import pytest

from campaign import queues
from tests.flows.http_clients import Api, Visitor, multipart, start_and_break_off
from tests.sites import EMBEDDED, Site, running_site

pytestmark = pytest.mark.embedded
BLUEPRINT = """
slug = "small"
title = "Small matters"
open = true

[[agreements]]
title = "Terms of use"
text = "Use the documents for research only."

[[tasks]]
slug = "kitchen"
title = "Kitchen"
docno_policy = "any"

[[tasks.questions]]
key = "neural"
label = "Does it use a neural model?"
kind = "yes/no"
required = true
"""
TASK = "/campaigns/small/tasks/kitchen"
RUN = b"1 Q0 d1 1 2.0 north-1\n1 Q0 d2 2 1.0 north-1\n2 Q0 d3 1 1.0 north-1\n"
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, first_site: Path) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with running_site(EMBEDDED, folder, first=first_site) as site:
        (folder / "campaign.toml").write_text(BLUEPRINT)
        (folder / "topics.tsv").write_text("1\tboiling an egg\n2\tsharpening a knife\n")
        site.manage("create_user", "olga")
        site.manage("create_campaign", str(folder / "campaign.toml"), "--as", "olga")
        site.manage("import_topics", "small/kitchen", str(folder / "topics.tsv"), "--as", "olga")
        site.manage("open_task", "small/kitchen", "--as", "olga")
        yield site


@pytest.fixture(scope="module")
def nora_in_a_browser(site: Site) -> Visitor:
    visitor = Visitor(site.url)
    visitor.sign_up("nora")
    return visitor


@pytest.fixture(scope="module")
def nora(site: Site, nora_in_a_browser: Visitor) -> Api:
    """Owns the registered team North; what she does is done by the API alone, but for the token."""
    api = Api(site.url, nora_in_a_browser.make_token())
    assert api.ask("POST", "/teams", {"name": "North"})[0] == 201
    _, campaign = api.ask("GET", "/campaigns/small")
    agreements = [agreement["id"] for agreement in campaign["agreements"]]
    status, _ = api.ask("POST", "/campaigns/small/registrations", {"team": "north", "agreements": agreements})
    assert status == 201
    return api


def mails(site: Site, address: str) -> list[str]:
    found = []
    for path in sorted((site.folder / "mail").glob("*.log")):
        for raw in path.read_bytes().split(b"-" * 79 + b"\n"):
            mail = message_from_bytes(raw)
            if mail["To"] == address:
                found.append(mail.get_payload(decode=True).decode())
    return found


def awaited_mail(site: Site, address: str, words: str) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for text in mails(site, address):
            if words in text:
                return text
        time.sleep(0.2)
    raise AssertionError(f"no mail with “{words}” came to {address}: {mails(site, address)}")


def test_from_a_mailed_invitation_to_an_accepted_run_by_the_check_script(site: Site, nora: Api, tmp_path: Path) -> None:
    assert nora.ask("POST", "/teams/north/invitations", {"email": "sven@example.org"})[0] == 201
    [link] = re.findall(r"http://\S+/teams/join/\S+", awaited_mail(site, "sven@example.org", "invites you"))

    sven = Visitor(site.url)
    # The log-in leads to signing up, and that leads back to the invitation.
    sign_up = re.findall(r'href="(/account/signup/\?next=[^"]+)"', sven.get(link))
    page = sven.sign_up("sven", sign_up[0].replace("&amp;", "&"))
    assert "North" in page
    assert "North" in sven.send(sven.address)
    api = Api(site.url, sven.make_token())
    assert [team["slug"] for team in api.ask("GET", "/teams")[1]["items"]] == ["north"]

    script, run = tmp_path / "check.py", tmp_path / "sven-1.txt"
    script.write_text(sven.get("/c/small/kitchen/check-script/"))
    run.write_bytes(RUN.replace(b"north-1", b"sven-1").replace(b"2.0", b"two"))
    command = [sys.executable, "-I", str(script), str(run)]
    environment = {**os.environ, "RUNPOOL_TOKEN": api.token}
    refused = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert refused.returncode == 1
    assert "line 1" in refused.stdout
    run.write_bytes(RUN.replace(b"north-1", b"sven-1"))
    submit = [*command, "--submit", "--team", "north", "--answer", "neural=yes"]
    sent = subprocess.run(submit, capture_output=True, text=True, timeout=120, env=environment)
    assert sent.returncode == 0, sent.stdout + sent.stderr
    status, accepted = api.ask("GET", f"{TASK}/runs/sven-1")
    assert (status, accepted["state"]) == (200, "valid")
    assert accepted["sha256"] in awaited_mail(site, "sven@example.org", accepted["sha256"])
    awaited_mail(site, "sven@example.org", "accepted")


def test_one_request_submits_a_run_and_its_problems_can_be_read(nora: Api) -> None:
    bad = RUN.replace(b"d2", b"d1")
    status, sent = nora.submit(f"{TASK}/runs", bad, team="north", tag="north-1", answers='{"neural": false}')
    assert status == 201
    assert sent["state"] in ("received", "rejected"), "the check may be done before the answer is written"
    assert nora.wait(f"{TASK}/runs/north-1")["state"] == "rejected"
    _, problems = nora.ask("GET", f"{TASK}/runs/north-1/problems")
    assert [(problem["code"], problem["line"]) for problem in problems["items"]] == [("docno_duplicate", 2)]
    status, _ = nora.submit(f"{TASK}/runs", RUN, team="north", tag="north-1", answers='{"neural": false}')
    assert status == 201
    assert nora.wait(f"{TASK}/runs/north-1")["state"] == "valid"


def test_an_upload_that_is_broken_off_leaves_nothing(site: Site, nora: Api) -> None:
    fields = {"team": "north", "tag": "broken", "answers": '{"neural": false}'}
    body = multipart(fields, "broken.txt", b"1 Q0 d 1 1 broken\n" * 400_000)
    before = stored_files(site)
    start_and_break_off(site.url, f"{TASK}/runs", nora.token, body[: len(body) // 2], len(body))
    time.sleep(2)
    assert nora.ask("GET", f"{TASK}/runs/broken")[0] == 404
    assert stored_files(site) == before
    assert nora.ask("GET", "/me")[0] == 200


def test_a_large_upload_is_never_held_in_the_memory_of_the_web_process(site: Site, nora: Api) -> None:
    line = b"1 Q0 document-number-%09d 1 1 large\n"
    content = b"".join(line % number for number in range(2_000_000))
    assert len(content) > 70 * MEGABYTE
    nora.ask("GET", "/me")
    before = peak_memory(site)
    status, problem = nora.submit(f"{TASK}/runs", content, team="north", tag="large", answers='{"neural": false}')
    assert status == 201, problem
    assert peak_memory(site) - before < 40 * MEGABYTE
    run = nora.wait(f"{TASK}/runs/large", 120)
    assert run["state"] == "valid"  # the best thousand count
    assert nora.ask("POST", f"{TASK}/runs/large/withdraw")[0] == 200


def stored_files(site: Site) -> set[str]:
    return {str(path.relative_to(site.folder)) for path in (site.folder / "files").rglob("*") if path.is_file()}


def peak_memory(site: Site) -> int:
    """Of the web server's processes, each at its own highest so far, the largest: bytes."""
    master = site.servers.processes["web"].pid
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    peaks = [re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()) for pid in children]
    return max(int(peak.group(1)) * 1024 for peak in peaks if peak)


WITH_DEADLINE = """
from datetime import timedelta
from django.utils import timezone
from campaign.models import Task, Team
task = Task.objects.get(slug="kitchen")
task.pk, task.slug, task.questions, task.max_runs_per_team = None, "race", [], 40
task.closes_at = timezone.now() + timedelta(hours=1)
task.save()
print(Team.objects.get(slug="north").pk)
"""
DEADLINE_IS_NOW = """
from django.utils import timezone
from campaign.models import Task
now = timezone.now()
Task.objects.filter(slug="race").update(closes_at=now)
print(now.timestamp())
"""


def test_all_runs_sent_at_once_before_the_deadline_are_taken_and_one_whose_last_byte_is_late_is_not(
    site: Site, nora: Api, nora_in_a_browser: Visitor
) -> None:
    team = site.manage("shell", "--no-imports", "-c", WITH_DEADLINE).strip()
    page, content = "/c/small/race/runs/new/", b"1 Q0 d1 1 2.0 late\n" * 10_000
    token = nora_in_a_browser.cookies()["csrftoken"]

    def body(tag: str) -> bytes:
        fields = {"csrfmiddlewaretoken": token, "team": team, "tag": tag, "kind": "automatic", "priority": "1"}
        return multipart(fields, f"{tag}.txt", content)

    begun, over = Event(), Event()

    def until_the_deadline() -> None:
        begun.set()
        assert over.wait(120)

    with ThreadPoolExecutor(31) as threads:
        late = threads.submit(nora_in_a_browser.post, page, body("late"), pause=until_the_deadline)
        assert begun.wait(60)
        answers = list(threads.map(lambda number: nora_in_a_browser.post(page, body(f"run{number}")), range(30)))
        deadline = float(site.manage("shell", "--no-imports", "-c", DEADLINE_IS_NOW))
        over.set()
        assert [status for status, _ in answers] == [303] * 30
        status, text = late.result()
    assert status == 422
    assert "The deadline was" in text
    assert "and the last byte of your file arrived at" in text
    times = [run["submitted_at"] for run in nora.ask("GET", "/campaigns/small/tasks/race/runs")[1]["items"]]
    assert len(times) == 30
    assert all(datetime.fromisoformat(at).timestamp() < deadline for at in times)


def await_end_of_jobs(site: Site) -> None:
    unfinished = "SELECT count(*) FROM campaign_job WHERE state IN ('queued', 'working')"
    deadline = time.monotonic() + 120
    with closing(sqlite3.connect(site.folder / "runpool.sqlite3", timeout=60)) as rows:
        while rows.execute(unfinished).fetchone()[0]:
            assert time.monotonic() < deadline, "jobs do not end"
            time.sleep(0.1)


def test_mails_go_out_while_the_worker_of_the_checks_is_busy(site: Site, nora: Api) -> None:
    checks = site.servers.processes["worker"].pid
    await_end_of_jobs(site)  # stopped in the middle of a write, it would hold up all writers of SQLite
    os.killpg(checks, signal.SIGSTOP)  # as by a check that takes hours
    try:
        assert nora.ask("POST", "/teams/north/invitations", {"email": "busy@example.org"})[0] == 201
        awaited_mail(site, "busy@example.org", "invites you")
    finally:
        os.killpg(checks, signal.SIGCONT)


def test_rubbish_in_the_queue_ends_no_worker_and_workers_answer(site: Site, nora: Api) -> None:
    before = {name: process.pid for name, process in site.servers.processes.items()}
    waiting = site.folder / "queue" / "waiting" / "celery"
    waiting.mkdir(exist_ok=True)
    for number, rubbish in enumerate(
        (b"", b"{", b"[]", b'{"body": "e30=", "properties": {"body_encoding": "base64"}}')
    ):
        (waiting / f"{number:020d}-{number:032x}").write_bytes(rubbish)
    (waiting / "a folder").mkdir()
    status, run = nora.submit(
        f"{TASK}/runs", RUN.replace(b"north-1", b"tough"), team="north", tag="tough", answers='{"neural": false}'
    )
    assert status == 201, run
    assert nora.wait(f"{TASK}/runs/tough")["state"] == "valid"
    both = ",".join(f"{name}@{socket.gethostname()}" for name in ("worker", "quick-worker"))
    assert site.celery("inspect", "ping", "--timeout", "30", "--destination", both).count("pong") == 2
    workers = site.manage("workers")
    assert [line.partition("@")[0] for line in workers.splitlines()] == ["quick-worker", "worker"]
    assert "sweep, mail" in workers
    with closing(sqlite3.connect(site.folder / "runpool.sqlite3")) as database:
        beats = dict(database.execute("SELECT name, queues FROM campaign_workerheartbeat").fetchall())
    assert beats.keys() == set(both.split(","))
    assert {name for taken in beats.values() for name in json.loads(taken)} == set(queues.ALL)
    assert not site.servers.restart_dead()
    assert {name: process.pid for name, process in site.servers.processes.items()} == before
