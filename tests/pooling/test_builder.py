"""The builder: figures of any strategy, two settings side by side, and previews that a job computes."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.cache import cache, caches
from django.core.management import CommandError, call_command
from django.test import Client

from campaign.models import Collection, Document, Job, Run, Task
from campaign.queue.jobs import enqueue
from campaign.storage.disk import place
from pooling.core.preview.differences import Differences
from pooling.core.preview.values import PoolFigures
from pooling.core.strategies import registry
from pooling.core.strategies.families import in_families
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from pooling.jobs import _is_done_elsewhere
from pooling.models import Pool
from pooling.selectors import previews
from pooling.selectors.pools import FREEZE_POOL
from pooling.selectors.previews import compute, computed_before, previewed
from pooling.selectors.runs import head_key, valid_runs
from pooling.services.pools import pool_freeze
from pooling.services.previews import PREVIEW_POOL, preview_request
from tests.factories import Cast, make_topics
from tests.judging.makers import assign, judge
from tests.pooling.makers import depth_k, make_valid_run
from tests.pooling.test_declared_strategy import TOY
from tests.pooling.test_pool_pages import page, words

pytestmark = pytest.mark.django_db
Commit = Callable[..., Any]


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    cache.clear()
    make_topics(cast.task, ["1", "2", "3"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b", "c"], "2": ["x", "y"], "3": ["p"]})
    make_valid_run(cast.task, cast.other_team, "beta", {"1": ["b", "d"], "2": ["x"]}, priority=2)
    return cast


@pytest.fixture
def organiser(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


@pytest.fixture
def slow_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is too large for a page."""
    monkeypatch.setattr(previews, "QUICK_ROWS", 0)


def refuse(*args: object) -> Any:
    raise PoolSpecError("Topic 1 has 2 documents and 3 strata. Use fewer strata.")


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = {name: getattr(TOY, name) for name in TOY.__dataclass_fields__}
    monkeypatch.setitem(registry.STRATEGIES, "toy", type(TOY)(**{**declared, "select": refuse}))


def test_the_builder_names_what_each_run_and_each_topic_gets(with_runs: Cast, organiser: Client) -> None:
    response = organiser.get(page(with_runs, "pool_create"), {"depth": 1})
    text = words(response)
    assert "alpha: 66 %" in text  # a b x p of its 6 documents
    assert "beta: 66 %" in text  # b x of b d x
    assert "the same share of all" in text
    assert "1: 2 documents" in text
    assert "P@1, RR@1, Success@1, DCG@1 and ERR@1 are exact" in text
    left_out = words(organiser.get(page(with_runs, "pool_create"), {"depth": 1, "max_priority": 1}))
    assert re.search(r"beta Team \d+ 2 not pooled 33 %", left_out)
    deeper = words(organiser.get(page(with_runs, "pool_create"), {"strategy": "depth-k", "depth": 2}))
    assert "least 83 %: alpha" in deeper


def test_documents_without_text_are_counted_and_warned_of(with_runs: Cast, organiser: Client) -> None:
    collection = Collection.objects.create(campaign=with_runs.campaign, slug="news", title="News")
    Task.objects.filter(pk=with_runs.task.pk).update(collection=collection)
    for docno, has_text in (("a", True), ("b", True), ("x", False)):
        Document.objects.create(collection=collection, docno=docno, has_text=has_text)
    text = words(organiser.get(page(with_runs, "pool_create"), {"depth": 1}))
    assert "2 documents without text" in text  # x, and p, which the collection does not have
    assert "2 pooled documents have no text in the collection." in text


def test_the_pace_of_the_tasks_own_judgments_is_used_and_named(with_runs: Cast, organiser: Client) -> None:
    assert "at 30 s per document, assumed" in words(organiser.get(page(with_runs, "pool_create")))
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(1))
    assignment = assign(pool, with_runs.task.topics.get(number="1"), with_runs.assessor, with_runs.organiser)
    for docno, active_ms in (("a", 8_000), ("b", 14_000)):
        judge(assignment, docno, 1, active_ms=active_ms)
    text = words(organiser.get(page(with_runs, "pool_create"), {"depth": 2}))
    assert "at 11 s per document, measured: the median of 2 judgments of this task" in text
    assert "2 documents judged already" in text
    chosen = words(organiser.get(page(with_runs, "pool_create"), {"seconds": 60}))
    assert "at 60 s per document, assumed" in chosen


def test_documents_that_were_pooled_and_never_judged_are_still_to_judge(with_runs: Cast, organiser: Client) -> None:
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(1))
    assignment = assign(pool, with_runs.task.topics.get(number="1"), with_runs.assessor, with_runs.organiser)
    judge(assignment, "a", 1)
    asked = {"depth": 1, "seconds": 600}
    text = words(organiser.get(page(with_runs, "pool_create"), asked))
    assert "3 documents to judge" in text
    assert "4 in the pool: 0 new, 4 in an earlier version, 3 of these not judged yet" in text
    assert "30 min at 600 s per document" in text
    assert ": 7 (+3), 1.0 h" in text
    question = words(organiser.get(page(with_runs, "pool_create"), {**asked, "ask": 1}))
    assert (
        "Every pair is in an earlier version; 3 of the 4 are not judged yet, judgments of the rest are kept."
        in question
    )
    assert "30 min of judging at 600 s per document." in question


def test_the_question_says_what_the_new_version_leaves_out_and_what_becomes_of_assignments(
    with_runs: Cast, organiser: Client
) -> None:
    first = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(2))
    question = words(organiser.get(page(with_runs, "pool_create"), {"depth": 1, "ask": 1}))
    assert "2 pairs of pool 1 are in it no more. Assignments of pool 1 stay with that version;" in question
    assert "is newer" not in words(organiser.get(first.get_absolute_url()))
    pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(1))
    shown = words(organiser.get(first.get_absolute_url()))
    assert "Pool 2 is newer: only its topics are offered for assigning." in shown


def side_by_side(cast: Cast, a: dict[str, Any], **b: Any) -> str:
    return f"{page(cast, 'pool_create')}?{urlencode({**b, 'a': urlencode(a)})}"


def test_two_settings_stand_side_by_side_with_what_one_has_and_the_other_has_not(
    with_runs: Cast, organiser: Client
) -> None:
    text = words(organiser.get(side_by_side(with_runs, {"depth": 1}, depth=2)))
    assert "Strategy depth-k, k = 1 depth-k, k = 2" in text
    assert "In no earlier version 4 6 To judge 4 6" in text
    assert "Only in A: 0 documents; only in B: 2 documents; in both: 4 documents." in text
    response = organiser.get(page(with_runs, "pool_differences") + "?" + urlencode({"depth": 2, "a": "depth=1"}))
    assert sorted(response.content.splitlines()) == [b"1 d b", b"2 y b"]
    assert response["Content-Type"] == "text/plain; charset=utf-8"


def test_keeping_a_setting_leads_to_the_same_one_twice_and_turning_a_knob_keeps_a(
    with_runs: Cast, organiser: Client
) -> None:
    html = organiser.get(page(with_runs, "pool_create"), {"depth": 3}).content.decode()
    assert "?depth=3&amp;a=depth%3D3" in html
    compared = organiser.get(side_by_side(with_runs, {"depth": 3}, depth=2)).content.decode()
    assert '<input type="hidden" name="a" value="depth=3">' in compared
    assert "?depth=3&amp;a=depth%3D2" in compared, "A and B can be swapped"


@pytest.mark.parametrize("kept", ["depth=0", "strategy=none", "x" * 1900, "&".join(["depth=1"] * 60), "depth=1%00"])
def test_a_kept_setting_that_is_none_is_said_or_left_out(with_runs: Cast, organiser: Client, kept: str) -> None:
    for name in ("pool_create", "pool_preview"):
        assert organiser.get(page(with_runs, name), {"depth": 1, "a": kept}).status_code == 200
    assert organiser.get(page(with_runs, "pool_differences"), {"a": kept}).status_code in (200, 302)
    too_long = organiser.get(page(with_runs, "pool_create"), {"a": "y" * 2001})
    assert too_long.status_code == 422
    assert "The settings kept as A are too long" in words(too_long)


@pytest.mark.usefixtures("refusing")
def test_settings_that_do_not_fit_the_runs_are_answered_in_words_everywhere(
    with_runs: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    for name, query in (("pool_create", {}), ("pool_preview", {}), ("pool_create", {"ask": 1})):
        response = organiser.get(page(with_runs, name), {"strategy": "toy", **query})
        assert response.status_code == 422
        assert "Topic 1 has 2 documents and 3 strata. Use fewer strata." in words(response)
    assert organiser.post(page(with_runs, "pool_create") + "?strategy=toy").status_code == 422
    compared = words(organiser.get(side_by_side(with_runs, {"strategy": "toy"}, depth=1)))
    assert "There is no pool A. Topic 1 has 2 documents" in compared
    spec = PoolSpec.with_defaults("toy").to_json()
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(FREEZE_POOL, task_id=with_runs.task.pk, actor_id=with_runs.organiser.pk, spec=spec, confirmed=None)
    assert "Use fewer strata." in words(organiser.get(page(with_runs, "pool_list")))
    address = f"{with_runs.campaign.slug}/{with_runs.task.slug}"
    with pytest.raises(CommandError, match=r"Use fewer strata\."):
        call_command("freeze_pool", address, "--as", with_runs.organiser.username, "--strategy", "toy")
    assert not Pool.objects.exists()


@pytest.mark.usefixtures("slow_runs")
def test_a_preview_that_takes_long_is_a_job_which_the_page_waits_for(
    with_runs: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    with django_capture_on_commit_callbacks(execute=False):
        html = organiser.get(page(with_runs, "pool_create"), {"depth": 2}).content.decode()
    job = Job.objects.get()
    assert f'hx-get="{page(with_runs, "pool_preview")}?depth=2&amp;waits={job.pk}"' in html
    Job.objects.update(done=1, total=2, state=Job.WORKING)
    waiting = organiser.get(page(with_runs, "pool_preview"), {"depth": 2, "waits": job.pk})
    assert "1 of 2 runs" in words(waiting)
    assert Job.objects.count() == 1, "a second organiser waits for the same job"
    Job.objects.update(state=Job.QUEUED)
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(PREVIEW_POOL, **job.arguments)
        Job.objects.all().delete()
        preview_request(actor=with_runs.organiser, asked=previewed(with_runs.task, depth_k(2)))
    assert "6 documents to judge" in words(
        organiser.get(page(with_runs, "pool_preview"), {"depth": 2, "waits": job.pk})
    )


@pytest.mark.usefixtures("slow_runs")
def test_a_job_that_failed_is_told_to_who_waited_and_tried_again_on_demand(with_runs: Cast, organiser: Client) -> None:
    organiser.get(page(with_runs, "pool_create"))
    Job.objects.update(state=Job.FAILED, message="A file is damaged.")
    failed = Job.objects.get()
    said = words(organiser.get(page(with_runs, "pool_preview"), {"waits": failed.pk}))
    assert "There is no preview. A file is damaged. Press Preview to try again." in said
    organiser.get(page(with_runs, "pool_create"))
    assert Job.objects.filter(state=Job.QUEUED).exists()


@pytest.mark.parametrize("waits", ["", "x", "-1", "9" * 40, "٣"])
@pytest.mark.usefixtures("slow_runs")
def test_any_text_can_stand_for_the_job_that_is_waited_for(with_runs: Cast, organiser: Client, waits: str) -> None:
    assert organiser.get(page(with_runs, "pool_preview"), {"waits": waits}).status_code == 200


def test_a_preview_is_computed_once_until_runs_pools_or_settings_change(
    with_runs: Cast, organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    organiser.get(page(with_runs, "pool_create"), {"depth": 2})
    assert computed_before(previewed(with_runs.task, depth_k(2))) is not None
    assert computed_before(previewed(with_runs.task, depth_k(3))) is None
    make_valid_run(with_runs.task, with_runs.team, "late", {"1": ["z"]})
    assert computed_before(previewed(with_runs.task, depth_k(2))) is None
    organiser.get(page(with_runs, "pool_create"), {"depth": 2})
    pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(1))
    assert "5 in an earlier version, 5 of these not judged yet" in words(
        organiser.get(page(with_runs, "pool_create"), {"depth": 2})
    )


def test_of_two_jobs_for_one_preview_the_later_leaves_it_to_the_earlier(with_runs: Cast) -> None:
    first = preview_request(actor=with_runs.organiser, asked=previewed(with_runs.task, depth_k(2)))
    Job.objects.update(state=Job.WORKING)
    second = enqueue(PREVIEW_POOL, **first.arguments)
    assert second.pk != first.pk
    assert _is_done_elsewhere(second.pk)
    assert not _is_done_elsewhere(first.pk)


def test_differences_are_kept_with_the_figures(with_runs: Cast, organiser: Client) -> None:
    organiser.get(side_by_side(with_runs, {"depth": 1}, depth=2))
    kept = computed_before(previewed(with_runs.task, depth_k(2), depth_k(1)))
    assert kept is not None
    assert isinstance(kept.differences, Differences)


def test_strategies_stand_in_groups_with_a_sentence_each_and_a_recommendation(
    with_runs: Cast, organiser: Client
) -> None:
    answer = organiser.get(page(with_runs, "pool_create"), {"strategy": "statap"})
    shown = words(answer)
    assert all(method.purpose and method.purpose in shown for method in STRATEGIES.values())
    assert "Depth-k unless judging all of it costs too much" in shown
    assert [label for label, _ in in_families(STRATEGIES)] == re.findall(
        r'<optgroup label="([^"]+)"', answer.content.decode()
    )
    assert sum(len(members) for _, members in in_families(STRATEGIES)) == len(STRATEGIES)


def test_settings_are_explained_by_the_names_that_messages_use_also_after_a_change_of_strategy(
    with_runs: Cast, organiser: Client
) -> None:
    changed = {"strategy": "budget", "fields_of": "depth-k"}
    for answer in (organiser.get(page(with_runs, name), changed) for name in ("pool_create", "pool_preview")):
        assert "What the settings mean" in words(answer)
        assert "Judgments in all total So many documents are judged" in words(answer)


def test_a_list_that_no_address_can_hold_is_refused_at_its_field(with_runs: Cast, organiser: Client) -> None:
    rates = " ".join(f"{bound}:0.5" for bound in range(1, 200))
    answer = organiser.get(page(with_runs, "pool_create"), {"strategy": "stratified", "rates": rates})
    assert answer.status_code == 422
    assert "Give at most 600 characters." in words(answer)
    assert 'maxlength="600"' in answer.content.decode()


def figures_with(cast: Cast, depth: int) -> PoolFigures:
    figures = compute(previewed(cast.task, depth_k(depth))).figures
    assert figures is not None
    return figures


def test_heads_that_are_kept_together_give_the_figures_that_the_runs_give(with_runs: Cast) -> None:
    caches["bulk"].clear()
    fresh = figures_with(with_runs, depth=1)
    runs = valid_runs(with_runs.task)
    caches["bulk"].delete_many([head_key(run) for run in runs])
    for run in runs:
        place(run.file.name).unlink()
    assert repr(figures_with(with_runs, depth=1)) == repr(fresh)  # a share of no runs is NaN, which equals nothing
    assert figures_with(with_runs, depth=2).total > fresh.total


def test_a_run_that_comes_to_stand_elsewhere_in_the_order_keeps_its_own_head(with_runs: Cast) -> None:
    fresh = figures_with(with_runs, depth=1)
    Run.objects.filter(task=with_runs.task, tag="alpha").update(tag="zeta")
    drawn = {run.tag: run.contributed for run in figures_with(with_runs, depth=1).runs}
    assert drawn == {run.tag.replace("alpha", "zeta"): run.contributed for run in fresh.runs}
