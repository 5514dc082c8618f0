"""What pages and boards say of a frozen pool follows from what it holds, not from what its settings promise."""

from collections.abc import Callable

import pytest

from campaign.models import Topic
from evaluation.selectors.measures import board_cautions, task_pool_cautions
from judging.qrels.services.releases import qrels_release
from pooling.core.strategies.spec import PoolSpec
from pooling.models import PoolEntry
from pooling.services.pools import pool_freeze
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import assign, client_of, judge

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


@pytest.mark.parametrize(
    "written", [{}, {"unjudged_as": "left out", "cannot_judge_as": "left out"}], ids=["-1", "left out"]
)
def test_a_board_counts_the_pooled_documents_of_scored_topics_that_have_no_grade_and_names_the_measures(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, written: dict[str, str]
) -> None:
    Topic.objects.create(
        task=with_runs.task, number="2", position=2
    )  # nobody judges it, so that no run is scored on it
    make_valid_run(with_runs.task, with_runs.team, "three", {"1": list("ab"), "2": list("abc")})
    pool = pool_freeze(
        actor=with_runs.organiser, task=with_runs.task, spec=PoolSpec.with_defaults("depth-k", {"depth": 3})
    )
    assignment = assign(pool, with_runs.task.topics.get(number="1"), with_runs.assessor, with_runs.organiser)
    for docno, grade in (("a", 1), ("b", None), ("c", 0)):
        judge(assignment, docno, grade)
    with django_capture_on_commit_callbacks(execute=True):
        qrels = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool, **written)
    said, _ = board_cautions(qrels, ["P@2", "bpref", "Judged@2"])
    assert said == (
        "P@2: in scored topics qrels v1 has no grade for 2 pooled documents. What has no grade counts as not relevant, also "
        "within the depth of the pool. Judge them and release again."
    )
    judge(assignment, "b", 0)
    judge(assignment, "f", 1)
    with django_capture_on_commit_callbacks(execute=True):
        whole = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool, **written)
    assert whole.unjudged_count == 3
    assert "has no grade" not in " ".join(board_cautions(whole, ["P@2", "bpref", "Judged@2"]))
