"""Time and memory of an archive of 100 runs x 50 topics x 1000 documents with 100,000 documents, and of restoring it.

    .venv/bin/python -m benchmarks.archive [--runs 100] [--topics 50] [--depth 1000] [--documents 100000]

It works on a database and a folder of its own (SQLite, removed at the end), in one process: what a worker does. The last line
is the download, in chunks, as a web process sends it.
"""

import argparse
import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

WORDS = [f"word{number}" for number in range(5000)]


def rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measured(what: str, act: Callable[[], Any]) -> Any:
    """Run it, and print how long it took and how much the process grew at most."""
    before, highest, over = rss_mb(), rss_mb(), threading.Event()

    def watch() -> None:
        nonlocal highest
        while not over.wait(0.02):
            highest = max(highest, rss_mb())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    started = time.monotonic()
    found = act()
    seconds = time.monotonic() - started
    over.set()
    watcher.join()
    print(f"{what}: {seconds:.1f} s, process {before:.0f} MB before, at most {highest - before:+.0f} MB", flush=True)
    return found


def make_site(asked: argparse.Namespace) -> Any:
    from django.utils import timezone

    from campaign.models import Campaign, Grade, Role, Task, Topic, User
    from evaluation.services.leaderboards import leaderboard_publish
    from evaluation.services.scoring import task_score

    draw = random.Random(1)
    user = User.objects.create_user("olga", "olga@example.org", "x")
    campaign = Campaign.objects.create(slug="large", title="Large", opened_at=timezone.now())
    Role.objects.create(campaign=campaign, user=user, role=Role.ORGANISER)
    docnos = [f"doc-{number:07}" for number in range(asked.documents)]
    collection = make_documents(campaign, docnos, draw)
    task = Task.objects.create(
        campaign=campaign, slug="main", title="Main", collection=collection, phase=Task.RUNS, measures=["AP", "nDCG@10"]
    )
    for value in (0, 1):
        Grade.objects.create(task=task, value=value, label=str(value), key=str(value), gain=value)
    numbers = [str(number) for number in range(1, asked.topics + 1)]
    Topic.objects.bulk_create(Topic(task=task, number=n, position=int(n), title=f"topic {n}") for n in numbers)
    make_runs(task, user, asked, docnos, draw)
    make_qrels(task, user, docnos, draw)
    task_score(task=task, report=lambda done, total: None)
    leaderboard_publish(actor=user, task=task)
    return campaign, user


def make_documents(campaign: Any, docnos: list[str], draw: random.Random) -> Any:
    from campaign.collection.counts import count_anew
    from campaign.models import Collection, Document

    collection = Collection.objects.create(campaign=campaign, slug="documents", title="Documents")
    text = [" ".join(draw.choices(WORDS, k=150)) for _ in range(200)]
    for start in range(0, len(docnos), 5000):
        Document.objects.bulk_create(
            Document(collection=collection, docno=docno, title=docno, text=draw.choice(text) + draw.choice(text))
            for docno in docnos[start : start + 5000]
        )
    count_anew(collection.pk)
    return collection


def make_runs(task: Any, user: Any, asked: argparse.Namespace, docnos: list[str], draw: random.Random) -> None:
    from django.core.files.base import ContentFile

    from campaign.models import Registration, Run, Team
    from campaign.storage import store

    team = Team.objects.create(slug="alba", name="Alba")
    Registration.objects.create(campaign=task.campaign, team=team, registered_by=user)
    for number in range(asked.runs):
        tag = f"run{number}"
        lines = (
            f"{topic} Q0 {docno} {rank} {1000 - rank} {tag}\n"
            for topic in range(1, asked.topics + 1)
            for rank, docno in enumerate(draw.sample(docnos, asked.depth), start=1)
        )
        stored = store(ContentFile("".join(lines).encode()), folder="runs")
        facts = {"file": stored.name, "file_name": tag, "size": stored.size, "sha256": stored.sha256}
        Run.objects.create(
            task=task, team=team, tag=tag, state=Run.VALID, submitted_by=user, depth=asked.depth, **facts
        )


def make_qrels(task: Any, user: Any, docnos: list[str], draw: random.Random) -> None:
    import polars as pl

    from campaign.formats.qrels.table import QRELS_SCHEMA
    from judging.qrels.services.releases import qrels_import

    numbers, most = task.topics.values_list("number", flat=True), min(500, len(docnos))
    judged = [(n, "0", docno, draw.randrange(2)) for n in numbers for docno in draw.sample(docnos, most)]
    qrels_import(actor=user, task=task, table=pl.DataFrame(judged, schema=QRELS_SCHEMA, orient="row"))


def run(asked: argparse.Namespace) -> None:
    from campaign.models import Archive
    from campaign.queue.jobs import inline
    from campaign.storage.reading import open_verified
    from runpool.archive.services.requests import archive_request, restoration_confirm, restoration_receive

    campaign, user = measured("making the site", lambda: make_site(asked))
    with inline():
        archive = measured("archive", lambda: archive_request(actor=user, campaign=campaign, documents=Archive.TEXTS))
        archive.refresh_from_db()
        print(f"  {archive.size / 2**20:.0f} MB, content {archive.content_sha256}")
        with open_verified(str(archive.file), found_by="a benchmark") as file:
            restoration = measured(
                "check", lambda: restoration_receive(actor=user, file=file, file_name="a.zip", limit=1 << 62)
            )
        restoration.refresh_from_db()
        print(f"  {restoration.state} {restoration.problems.get('shown')}")
        measured("restore", lambda: restoration_confirm(actor=user, restoration=restoration, slug="again"))
        restoration.refresh_from_db()
        print(f"  {restoration.state} {restoration.problems.get('shown')}")
        again = measured(
            "archive of the restored campaign",
            lambda: archive_request(actor=user, campaign=restoration.campaign, documents=Archive.TEXTS),
        )
        again.refresh_from_db()
        print(f"  the same content: {again.content_sha256 == archive.content_sha256}")
    measured("download", lambda: download(str(archive.file)))


def download(name: str) -> None:
    from django.http import FileResponse

    from campaign.storage.reading import open_verified

    file = open_verified(name, found_by="a benchmark")
    for _ in cast(Iterator[bytes], FileResponse(file).streaming_content):
        pass


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    for name, default in (("runs", 100), ("topics", 50), ("depth", 1000), ("documents", 100_000)):
        words.add_argument(f"--{name}", type=int, default=default)
    asked = words.parse_args()
    folder = tempfile.mkdtemp(prefix="runpool-archive-")
    os.environ |= {
        "RUNPOOL_DATA_DIR": folder,
        "RUNPOOL_SECRET_KEY": "a benchmark",
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
    }
    os.environ.pop("RUNPOOL_DATABASE_URL", None)
    try:
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        run(asked)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
