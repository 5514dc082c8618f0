from typing import Any

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, TestCase

from campaign.models import Run, User
from campaign.runs.services.submission import run_submit
from tests.factories import Cast, make_cast, make_collection, make_topics, run_lines

RANKING = {"1": ["a", "b"], "2": ["c"]}


def make_ready_cast(**task_values: Any) -> Cast:
    """A task with two topics and three documents that takes runs."""
    cast = make_cast(**task_values)
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b", "c"])
    return cast


def submit(cast: Cast, tag: str = "bm25", content: bytes | None = None, **values: Any) -> Run:
    """A run through the real service, its job not yet done."""
    content = run_lines(RANKING, tag) if content is None else content
    defaults = {"actor": cast.member, "team": cast.team, "file_name": f"{tag}.txt"}
    return run_submit(task=cast.task, tag=tag, file=ContentFile(content), **{**defaults, **values})


def submit_and_check(cast: Cast, tag: str = "bm25", content: bytes | None = None, **values: Any) -> Run:
    with TestCase.captureOnCommitCallbacks(execute=True):
        run = submit(cast, tag, content, **values)
    run.refresh_from_db()
    return run


def stored_bytes(run: Run) -> bytes:
    with run.file.open() as file:
        return file.read()


def signed_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def post_run(cast: Cast, content: bytes, *, name: str = "bm25.txt", user: User | None = None, **values: Any) -> Any:
    """Send the form of the upload page, and let the check run."""
    form = {
        "team": cast.team.pk,
        "tag": "bm25",
        "kind": "automatic",
        "priority": 1,
        "file": SimpleUploadedFile(name, content),
        **values,
    }
    with TestCase.captureOnCommitCallbacks(execute=True):
        return signed_in(user or cast.member).post(cast.task.url("run_create"), form)
