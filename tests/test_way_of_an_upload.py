"""How many files a reader goes through who follows a run by go-to-definition, from the page that takes it to its scores."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import TestCase

from campaign.models import Run
from campaign.queue.jobs import find_job
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.runs.views.upload import run_create
from evaluation.models import Evaluation
from tests.campaign.runs.makers import signed_in
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_topics, run_lines
from tests.pure_code import APPS

ROOT = Path(__file__).resolve().parents[1]
MOST = 150
"""Of the three steps together: the page, the check of the run, its scores and the working board. With room for one more."""


@contextmanager
def files_of_calls(below: Callable[..., Any] | None = None) -> Iterator[set[str]]:
    """The files of the product whose functions are called within; only by this function where one is named."""
    found: set[str] = set()
    first = inspect.unwrap(below).__code__ if below else None

    def note(frame: FrameType, event: str, argument: Any) -> None:
        path = _product_file(frame.f_code) if event == "call" else ""
        if path and (first is None or _is_below(frame, first)):
            found.add(path)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _product_file(code: CodeType) -> str:
    """Empty for what others wrote, and for what runs as a module is imported."""
    return _product_path(code.co_filename) if code.co_flags & inspect.CO_OPTIMIZED else ""


@cache
def _product_path(name: str) -> str:
    path = Path(name)
    inside = path.relative_to(ROOT) if ROOT in path.parents else Path("outside")
    return str(inside) if inside.parts[0] in APPS else ""


def _is_below(frame: FrameType | None, first: CodeType) -> bool:
    while frame is not None and frame.f_code is not first:
        frame = frame.f_back
    return frame is not None


def test_a_run_is_followed_from_its_upload_to_its_scores_through_few_files(cast: Cast) -> None:
    find_job(CHECK_RUN)
    cast.task.measures = ["nDCG@10", "AP"]
    cast.task.save()
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b", "x", "y"])
    make_qrels(cast.task, {"1": {"a": 1, "b": 2}, "2": {"x": 1, "y": 2}}, cast.organiser)
    make_valid_run(cast.task, cast.other_team, "other", {"1": ["b"], "2": ["y"]})
    file = SimpleUploadedFile("bm25.txt", run_lines({"1": ["a", "b"], "2": ["x", "y"]}, "bm25"))
    form = {"team": cast.team.pk, "tag": "bm25", "kind": "automatic", "priority": 1, "file": file}
    client = signed_in(cast.member)

    with TestCase.captureOnCommitCallbacks() as asked_for, files_of_calls(below=run_create) as page:
        client.post(cast.task.url("run_create"), form)
    with files_of_calls() as jobs, TestCase.captureOnCommitCallbacks(execute=True):
        for ask in asked_for:
            ask()

    run = Run.objects.get(tag="bm25")
    assert Evaluation.objects.filter(run=run).exists()
    together = sorted(page | jobs)
    assert len(together) <= MOST, f"{len(together)} files: {together}"
