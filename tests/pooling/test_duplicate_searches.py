"""The search for near-identical texts of a pool: what is kept of it, and that it may run twice."""

import pytest
from django.core.exceptions import ValidationError

from campaign.models import Collection, Document, Job
from campaign.queue.jobs import JobFailed, Progress, enqueue
from pooling.jobs import find_duplicates
from pooling.models import DuplicateSearch, Pool, Twin
from pooling.selectors.duplicates import FIND_DUPLICATES, latest_search
from pooling.services.duplicates import duplicates_find, search_request
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import make_pool
from tests.pooling.makers import depth_k, make_valid_run

pytestmark = pytest.mark.django_db
SAME = "the council of the town has decided to build a new bridge over the river"


@pytest.fixture
def pool(cast: Cast) -> Pool:
    first, second = make_topics(cast.task, ["1", "2"])
    make_texts(make_collection(cast.task, ["a", "b", "c", "d"]), a=SAME, c=SAME.upper(), d=SAME)
    return make_pool(cast.task, {first: ["b", "c", "a"], second: ["d", "b"]}, cast.organiser)


def make_texts(collection: Collection, **texts: str) -> None:
    for docno, text in texts.items():
        Document.objects.filter(collection=collection, docno=docno).update(title="", text=text, has_text=bool(text))


def found(pool: Pool) -> list[tuple[str, str, str, int]]:
    return list(Twin.objects.filter(pool=pool).values_list("topic__number", "docno", "representative", "place"))


def run_job(pool: Pool) -> Job:
    job = enqueue(FIND_DUPLICATES, task_id=pool.task_id, pool_id=pool.pk)
    find_duplicates.body(Progress(job.pk, job.attempts), **job.arguments)
    return job


def test_classes_are_of_one_topic_and_the_document_that_is_judged_first_stands_for_them(pool: Pool) -> None:
    search = duplicates_find(pool=pool)
    assert found(pool) == [("1", "c", "c", 2), ("1", "a", "c", 2)]
    assert (search.handling, search.documents) == (DuplicateSearch.OFF, 4)


def test_the_job_run_twice_finds_the_same_and_once_more_what_changed(pool: Pool) -> None:
    run_job(pool)
    before = found(pool)
    run_job(pool)
    assert found(pool) == before
    make_texts(pool.task.collection, a="another text", b=SAME)
    run_job(pool)
    assert found(pool) == [("1", "b", "b", 1), ("1", "c", "b", 1), ("2", "d", "d", 1), ("2", "b", "d", 1)]


def test_a_search_that_breaks_off_while_it_writes_leaves_what_was_found(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_job(pool)
    before = found(pool)

    def dies(*args: object, **options: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(Twin.objects, "bulk_create", dies)
    with pytest.raises(ConnectionError):
        run_job(pool)
    assert found(pool) == before


def test_without_a_text_nothing_is_compared(pool: Pool) -> None:
    Document.objects.filter(collection=pool.task.collection_id).update(has_text=False, text="")
    assert duplicates_find(pool=pool).documents == 0
    assert found(pool) == []


def test_while_one_is_judged_for_its_class_the_classes_stay(pool: Pool) -> None:
    duplicates_find(pool=pool)
    DuplicateSearch.objects.update(handling=DuplicateSearch.ONE)
    make_texts(pool.task.collection, a="another text")
    with pytest.raises(ValidationError, match="Choose another handling"):
        search_request(pool)
    with pytest.raises(JobFailed, match="Choose another handling"):
        run_job(pool)
    assert len(found(pool)) == 2


@pytest.mark.sqlite("pooling.selectors.duplicates.latest_search")
def test_freezing_a_pool_asks_for_the_search_once(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_collection(cast.task, ["a", "b"])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2))
    job = latest_search(pool)
    assert job is not None
    assert job.arguments == {"task_id": cast.task.pk, "pool_id": pool.pk}
    assert pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2)) == pool
    assert Job.objects.filter(name=FIND_DUPLICATES).count() == 1
