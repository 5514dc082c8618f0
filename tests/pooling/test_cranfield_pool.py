"""The pools of 15 real runs over 225 topics, drawn through preview and freezing."""

import csv
import gzip

import pytest
from django.core.files.base import ContentFile

from campaign.models import Run, Task
from campaign.storage import store
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool
from pooling.selectors import pool_preview, pool_table
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_team, make_topics
from tests.places import CRANFIELD
from tests.pooling.makers import depth_k

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.cranfield,
    pytest.mark.skipif(
        not CRANFIELD.is_dir(), reason="the Cranfield collection is not beside the checkout (../shared/data/cranfield)"
    ),
]


@pytest.fixture
def task(cast: Cast) -> Task:
    numbers = [line.split("\t", 1)[0] for line in (CRANFIELD / "topics.tsv").read_text().splitlines()]
    make_topics(cast.task, numbers)
    with (CRANFIELD / "runs.csv").open() as table:
        rows = list(csv.DictReader(table))
    teams = {group: make_team(group, campaign=cast.campaign) for group in {row["group"] for row in rows}}
    for row in rows:
        stored = store(ContentFile((CRANFIELD / f"runs/{row['tag']}.txt.gz").read_bytes()), folder="runs")
        Run.objects.create(
            task=cast.task,
            team=teams[row["group"]],
            tag=row["tag"],
            state=Run.VALID,
            file=stored.name,
            file_name=f"{row['tag']}.txt.gz",
            size=stored.size,
            sha256=stored.sha256,
            submitted_by=cast.member,
        )
    return cast.task


def top_by_the_contract(depth: int) -> set[tuple[str, str]]:
    """Read line by line, with nothing of ours: score descending, then docno descending by bytes."""
    pairs = set()
    for path in (CRANFIELD / "runs").glob("*.txt.gz"):
        held: dict[str, list[tuple[float, bytes]]] = {}
        with gzip.open(path, "rb") as lines:
            for line in lines:
                topic, _, docno, _, score, _ = line.split()
                held.setdefault(topic.decode(), []).append((float(score), docno))
        for topic, documents in held.items():
            pairs |= {(topic, docno.decode()) for _, docno in sorted(documents, reverse=True)[:depth]}
    return pairs


@pytest.mark.parametrize(("depth", "size"), [(10, 8_027), (20, 15_210)])
def test_the_cranfield_pool_is_the_union_of_the_tops_under_the_scoring_contract(
    cast: Cast, task: Task, depth: int, size: int
) -> None:
    """By the rank column, which the contract ignores, the runs would pool 8,026 and 15,262: it breaks ties otherwise."""
    spec = depth_k(depth)
    preview = pool_preview(task, spec)
    assert preview.size == size
    assert {size.value: size.pairs for size in preview.figures.compared} == {
        5: 4_200,
        10: 8_027,
        20: 15_210,
        50: 35_009,
    }
    pool = pool_freeze(actor=cast.organiser, task=task, spec=spec)
    assert (pool.size, pool.entries.count()) == (size, size)
    assert set(pool_table(pool).select("topic", "docno").iter_rows()) == top_by_the_contract(depth)


def test_freezing_cranfield_again_gives_the_same_file(cast: Cast, task: Task) -> None:
    spec = depth_k(seed=3)
    first = pool_freeze(actor=cast.organiser, task=task, spec=spec)
    pool_freeze(actor=cast.organiser, task=task, spec=depth_k(seed=4))
    again = pool_freeze(actor=cast.organiser, task=task, spec=spec)
    assert Pool.objects.filter(task=task).count() == 3
    assert first.sha256 == again.sha256


@pytest.mark.parametrize(
    ("spec", "sha256"),
    [
        (depth_k(10), "25a912180c9892fab884b6e173b32f4d7db2f53a4bcce05a7f8db3eee1b297b7"),
        (depth_k(20, seed=3), "34c35c821a8598a428df07512600445b0d61c65f693343847495aefd1a495c6f"),
        (depth_k(5, order="run_count", seed=7), "d27cf8171bbe8208b1a9aca449b34f3f5ede1015a8d2e13e3eab421c0b865240"),
        (depth_k(7, order="best_position", seed=1), "dcafd132dfd46f39f94d3b8808b7eaa5b03875c11255f05a0fe513ba1cbf9412"),
    ],
)
def test_the_files_of_depth_k_pools_are_those_of_the_first_version(
    cast: Cast, task: Task, spec: PoolSpec, sha256: str
) -> None:
    assert pool_freeze(actor=cast.organiser, task=task, spec=spec).sha256 == sha256
