"""What pages and boards say of a frozen pool follows from what it holds, not from what its settings promise."""

import re
from collections.abc import Callable
from copy import copy

import pytest
from django.utils import timezone

from campaign.models import Topic
from campaign.storage.disk import place
from evaluation.selectors.task_measures import board_cautions, task_pool_cautions
from evaluation.services.leaderboards import leaderboard_publish
from judging.assigning.services.assignments import Extent, assignment_add
from judging.models import Qrels
from judging.progress.selectors.pool_share import released_share
from judging.qrels.services.releases import qrels_release
from pooling.core.strategies.spec import PoolSpec
from pooling.models import PoolEntry
from pooling.services.pools import pool_freeze
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import ROLES, assign, client_of, judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    make_topics(cast.task, ["1"])
    make_collection(cast.task, list("abcdef"))
    make_valid_run(cast.task, cast.team, "one", {"1": list("abcd")})
    make_valid_run(cast.task, cast.team, "two", {"1": list("bafe")})
    cast.task.measures = ["P@2", "P@4"]
    cast.task.save()
    return cast


@pytest.mark.parametrize(("total", "unfit", "exact"), [(2, ["P@4"], "P@2"), (6, [], "P@4"), (1, ["P@2, P@4"], "")])
def test_measures_fit_a_budget_as_deep_as_it_holds_every_run(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, total: int, unfit: list[str], exact: str
) -> None:
    spec = PoolSpec.with_defaults("budget", {"total": total})
    assert spec.method.judged_whole(spec.parameters) == 0
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec)
    assignment = assign(pool, with_runs.task.topics.get(), with_runs.assessor, with_runs.organiser)
    for docno in PoolEntry.objects.filter(pool=pool).values_list("docno", flat=True):
        judge(assignment, docno, 1)
    with django_capture_on_commit_callbacks(execute=True):
        qrels = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool)
    for said in (task_pool_cautions(with_runs.task), board_cautions(qrels, ["P@2", "P@4"])):
        assert [line.split(":")[0] for line in said] == unfit
    client = client_of(with_runs, "organiser")
    for address in (pool.get_absolute_url(), qrels.get_absolute_url()):
        shown = " ".join(client.get(address).content.decode().split())
        told = f"Once all are judged, {exact}, " if exact else "No measure is exact: the pool need not hold"
        assert f"<dt>Measures of pooled runs</dt> <dd>{told}" in shown


def test_a_board_names_the_measures_by_which_a_pooled_document_without_a_grade_counts_as_not_relevant(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    pool = pool_freeze(
        actor=with_runs.organiser, task=with_runs.task, spec=PoolSpec.with_defaults("depth-k", {"depth": 3})
    )
    assignment = assign(pool, with_runs.task.topics.get(), with_runs.assessor, with_runs.organiser)
    for docno, grade in (("a", 1), ("b", None), ("c", 0)):
        judge(assignment, docno, grade)
    with django_capture_on_commit_callbacks(execute=True):
        qrels = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool)
    said, _ = board_cautions(qrels, ["P@2", "bpref", "Judged@2"])
    assert said == (
        "P@2: qrels v1 has no grade for 2 pooled documents of the topics that are scored. What has no grade counts as not "
        "relevant, also within the depth of the pool. Judge them and release again."
    )


@pytest.mark.parametrize(("unable", "unjudged"), [("-2", "-1"), ("left out", "left out")])
def test_a_board_counts_the_documents_without_a_grade_in_the_topics_that_are_scored_only(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, unable: str, unjudged: str
) -> None:
    task = with_runs.task
    Topic.objects.create(task=task, number="2", position=2, title="judged by nobody")
    Topic.objects.create(task=task, number="3", position=3, title="not scored")
    make_valid_run(task, with_runs.team, "three", {"2": list("abc"), "3": list("abc")})
    pool = pool_freeze(actor=with_runs.organiser, task=task, spec=PoolSpec.with_defaults("depth-k", {"depth": 3}))
    first, _, third = (
        assign(pool, topic, with_runs.assessor, with_runs.organiser) for topic in task.topics.order_by("position")
    )
    for docno, grade in (("a", 1), ("b", 1), ("c", 0), ("f", 0)):
        judge(first, docno, grade)
    judge(third, "a", 0)

    def released() -> Qrels:
        with django_capture_on_commit_callbacks(execute=True):
            return qrels_release(
                actor=with_runs.organiser,
                task=task,
                pool=pool,
                not_scored=["3"],
                cannot_judge_as=unable,
                unjudged_as=unjudged,
            )

    before = released()
    assert (before.topics, before.unjudged_count) == (["1"], 5)
    assert board_cautions(before, ["P@2"]) == []
    judge(first, "f", None)
    [said] = board_cautions(released(), ["P@2"])
    assert "has no grade for 1 pooled document of the topics that are scored." in said


def test_a_board_says_how_many_documents_have_no_grade_though_the_file_of_the_qrels_is_damaged(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    pool = pool_freeze(
        actor=with_runs.organiser, task=with_runs.task, spec=PoolSpec.with_defaults("depth-k", {"depth": 3})
    )
    judge(assign(pool, with_runs.task.topics.get(), with_runs.assessor, with_runs.organiser), "a", 1)
    with django_capture_on_commit_callbacks(execute=True):
        qrels = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool)
    file = place(str(qrels.file.name))
    file.chmod(0o600)
    file.write_bytes(b"damaged")
    qrels.topics_not_scored = ["2"]  # then the file is asked
    for _ in range(2):
        [said] = board_cautions(qrels, ["P@2"])
        assert f"no grade for {qrels.unjudged_count} pooled documents. How many of them are of topics that are" in said
    qrels.topics_not_scored = []
    [said] = board_cautions(qrels, ["P@2"])
    assert f"no grade for {qrels.unjudged_count} pooled documents of the topics that are scored" in said


def test_a_published_board_tells_every_role_the_share_that_its_qrels_grade_whatever_is_judged_later(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    task, organiser = with_runs.task, with_runs.organiser
    pool = pool_freeze(actor=organiser, task=task, spec=PoolSpec.with_defaults("depth-k", {"depth": 2}))
    first = assign(pool, task.topics.get(), with_runs.assessor, organiser)
    judge(first, "a", 1)
    with django_capture_on_commit_callbacks(execute=True):
        qrels_release(actor=organiser, task=task, pool=pool)
    leaderboard = leaderboard_publish(actor=organiser, task=task, audience="public")
    pages = (leaderboard.get_absolute_url(), leaderboard.get_absolute_url() + "topics/")

    def told() -> set[tuple[str, ...]]:
        texts = [client_of(with_runs, role).get(page).content.decode() for role in ROLES for page in pages]
        return {tuple(re.findall(r"<span>(\d+ % of the pool[^<]*)</span>", text)) for text in texts}

    preview = client_of(with_runs, "organiser").get(task.url("preview_detail", audience="public")).content.decode()
    assert "<span>50 % of the pool graded</span>" in preview
    for published_at, shares in ((None, ()), (timezone.now(), ("50 % of the pool graded",))):
        Qrels.objects.update(published_at=published_at)
        assert told() == {shares}, "of qrels that are not public nothing is told"
    repeat = assignment_add(
        actor=organiser,
        pool=pool,
        topic=task.topics.get(),
        assessor=with_runs.assessor,
        extent=Extent(),
        pass_number=2,
        is_repeat=True,
    )
    assert told() == {("50 % of the pool graded",)}, "a repeat that is drawn changes no number"
    judge(repeat, "a", 0)
    judge(first, "b", 1)
    pool_freeze(actor=organiser, task=task, spec=PoolSpec.with_defaults("depth-k", {"depth": 3}))
    assert told() == {("50 % of the pool graded",)}


def test_the_share_that_qrels_grade_counts_what_earlier_pools_have_beyond_theirs(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    task, organiser = with_runs.task, with_runs.organiser
    pools = [
        pool_freeze(actor=organiser, task=task, spec=PoolSpec.with_defaults("depth-k", {"depth": depth}))
        for depth in (3, 1)
    ]
    judge(assign(pools[1], task.topics.get(), with_runs.assessor, organiser), "a", 1)
    with django_capture_on_commit_callbacks(execute=True):
        qrels = qrels_release(actor=organiser, task=task, pool=pools[1])
    leaderboard_publish(actor=organiser, task=task, audience="public")
    qrels.refresh_from_db()
    share = released_share(qrels)
    assert share is not None
    assert (share.judged, share.total) == (qrels.judgment_count, qrels.judgment_count + qrels.unjudged_count)
    assert 0 < share.judged <= share.total
    for name, value in (
        ("unjudged_as", "0"),
        ("cannot_judge_as", "0"),
        ("source", Qrels.MERGED),
        ("published_at", None),
    ):
        other = copy(qrels)
        setattr(other, name, value)
        assert released_share(other) is None
    qrels.published_at = None
    assert released_share(qrels, will_be_public=True) == share
