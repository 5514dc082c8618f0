"""`python -m benchmarks.documents`: large lists of docnos, or documents, through an import; and the pages of what came of it.

    RUNPOOL_DATABASE_URL=postgres://... .venv/bin/python -m benchmarks.documents --documents 100000 1000000 [--texts] [--again]

With RUNPOOL_DATABASE_URL it works on a database beside the one that is named (dropped at the end),
else on SQLite in a folder of its own.
Check, import and index each run in a process of their own, as in a worker: their seconds, the processor time of the process
("at work"; the database's is not in it), and the most memory that it had. The peer is the driver alone, which writes the same
rows into the same table at once: COPY on PostgreSQL, else executemany. `--texts` sends documents of 100 words instead of docnos;
`--again` sends half of the file once more, with as many new ones; `--without-peer` saves the time of the peer.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks.load_database import own_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.test import Client

    from campaign.models import Import, Task, User

TEXT = " ".join(f"word{number}" for number in range(100))
TIMES = 40
COLUMNS = ("collection_id", "docno", "title", "text", "has_text")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--without-peer", action="store_true")
    options = parser.parse_args()
    for documents in options.documents:
        with _own_site():
            _in_own_process(_measure, documents, options.texts, options.again, not options.without_peer)


@contextlib.contextmanager
def _own_site() -> Iterator[None]:
    server = os.environ.get("RUNPOOL_DATABASE_URL", "")
    with contextlib.ExitStack() as ending:
        folder = ending.enter_context(tempfile.TemporaryDirectory(prefix="runpool-documents-"))
        before = dict(os.environ)
        os.environ |= {
            "RUNPOOL_SECRET_KEY": "a benchmark",
            "RUNPOOL_UPLOAD_LIMIT_BYTES": str(4 << 30),
            "RUNPOOL_DATA_DIR": folder,
            "RUNPOOL_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "runpool.settings",
        }
        if server:
            os.environ["RUNPOOL_DATABASE_URL"] = ending.enter_context(own_database(server))
        yield
        os.environ.clear()
        os.environ.update(before)


def _in_own_process(act: Callable[..., None], *arguments: object) -> None:
    process = get_context("spawn").Process(target=act, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def _measure(documents: int, texts: bool, again: bool, with_peer: bool) -> None:
    user, task = _site()
    print(f"{documents:,} {'documents' if texts else 'docnos'}, load {os.getloadavg()[0]:.1f}", flush=True)
    if with_peer:
        print(f"  {'the same rows by the driver':32}{_peer(task, documents, texts):8.1f} s", flush=True)
    started = time.monotonic()
    _import(user, task, range(documents), texts)
    _pages(user, task, documents)
    print(f"  all, and pages: {time.monotonic() - started:.1f} s")
    if again:
        print("  half of them again, and as many new ones", flush=True)
        _import(user, task, range(documents // 2, documents // 2 + documents), texts)


def _site() -> tuple[User, Task]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    setup_test_environment()
    from campaign.models import User
    from campaign.setup.services.campaigns import campaign_create
    from campaign.setup.services.tasks import task_create

    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    user = User.objects.create(username="ann", email="ann@example.org")
    campaign = campaign_create(actor=user, slug="bench", title="Bench")
    return user, task_create(actor=user, campaign=campaign, slug="runs", title="Runs")


def _docno(number: int) -> str:
    return f"collection_doc_{number % 97:02}_{number:08}"


def _peer(task: Task, documents: int, texts: bool) -> float:
    """The rows go again afterwards; what is measured later finds an empty table."""
    from django.db import connection, transaction

    from campaign.models import Collection, Document

    collection = Collection.objects.create(campaign=task.campaign, slug="peer", title="Peer")
    text = TEXT if texts else ""
    rows = ((collection.pk, _docno(number), "", text, texts) for number in range(documents))
    started = time.monotonic()
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY campaign_document ({', '.join(COLUMNS)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(COLUMNS))
            insert = f"INSERT INTO campaign_document ({', '.join(COLUMNS)}) VALUES ({marks})"
            cursor.executemany(insert, rows)  # type: ignore[arg-type]
    seconds = time.monotonic() - started
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE campaign_document" if connection.vendor == "postgresql" else "DELETE FROM campaign_document"
        )
    assert not Document.objects.exists()
    collection.delete()
    return seconds


def _import(user: User, task: Task, numbers: range, texts: bool) -> None:
    from campaign.collection.services.imports import import_claim_apply
    from campaign.models import Task

    import_ = _received(user, task, numbers, texts)
    _in_own_process(_step, "check import", {"import_id": str(import_.pk)})
    assert import_claim_apply(import_), import_.problems
    _in_own_process(_step, "apply import", {"import_id": str(import_.pk)})
    collection_id = Task.objects.values_list("collection_id", flat=True).get(pk=task.pk)
    _in_own_process(_step, "index docnos", {"collection_id": collection_id})


def _received(user: User, task: Task, numbers: range, texts: bool) -> Import:
    from campaign.collection.services.imports import import_store

    with tempfile.TemporaryFile() as file:
        if texts:
            file.writelines(b'{"docno": "%s", "text": "%s"}\n' % (_docno(n).encode(), TEXT.encode()) for n in numbers)
        else:
            file.writelines(b"%s\n" % _docno(number).encode() for number in numbers)
        file.seek(0)
        return import_store(
            actor=user, task=task, kind="documents", file=file, file_name="d.txt", options={"docnos_only": not texts}
        )


def _step(name: str, arguments: dict[str, object]) -> None:
    import django

    django.setup()
    from campaign.queue.jobs import Progress, find_job

    work = find_job(name)
    assert work
    started, used = time.monotonic(), time.process_time()
    work.body(Progress(0, 0), **arguments)
    seconds, used = time.monotonic() - started, time.process_time() - used
    print(f"  {name:32}{seconds:8.1f} s, {used:.1f} s of it at work;{_peak_mib():6.0f} MiB at most", flush=True)


def _peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _pages(user: User, task: Task, documents: int) -> None:
    from django.test import Client

    client = Client()
    client.force_login(user)
    documents_page = task.url("document_list")
    last = sorted(_docno(number) for number in range(max(0, documents - 5000), documents))
    for what, address in (
        ("first page of the list", documents_page),
        ("last page of the list", f"{documents_page}?after={last[-40]}"),
        ("search for the start of a docno", f"{documents_page}?search={last[0][:-2]}"),
        ("page of the task", task.url("task_detail")),
    ):
        took = [_page_ms(client, address) for _ in range(TIMES)]
        print(f"  {what:32}{median(took):8.1f} ms, p95 {quantiles(took, n=20)[-1]:.1f} ms of the processor", flush=True)


def _page_ms(client: Client, address: str) -> float:
    started = time.process_time()
    answer = client.get(address)
    assert answer.status_code == 200, address
    return (time.process_time() - started) * 1000


if __name__ == "__main__":
    main()
