"""An import of judgments beside another one, and beside a desk. Needs a database with several writers: PostgreSQL."""

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection

from campaign.collection.services.imports import import_claim_apply, import_receive
from campaign.models import Import
from campaign.queue.jobs import inline
from judging.judgment_imports.services import JUDGMENTS_JOBS, judgments_apply
from judging.models import Assignment, Judgment
from tests.factories import Cast, make_cast
from tests.judging.judgment_imports.test_judgment_imports import lines, row, told
from tests.judging.makers import client_of, judge, make_assignment
from tests.judging.meanwhile import open_transaction
from tests.judging.test_pages import act, post_acts
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

THEN = "2026-03-01T12:00:00Z"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


@pytest.fixture
def own(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2"])


def confirmed(cast: Cast) -> Import:
    """A file of a grade 1 for each of both documents, checked and about to be stored."""
    content = lines(row(cast, "D1", judged_at=THEN), row(cast, "D2", judged_at=THEN))
    with inline():
        received = import_receive(
            actor=cast.organiser, task=cast.task, kind=Import.JUDGMENTS, file=ContentFile(content.encode()), file_name="a",
            jobs=JUDGMENTS_JOBS,
        )  # fmt: skip
    received.refresh_from_db()
    assert import_claim_apply(received)
    return received


def grades() -> list[tuple[str, int | None, bool]]:
    return sorted(Judgment.objects.values_list("docno", "grade", "is_current"))


def test_two_imports_of_one_file_at_once_store_each_judgment_once(cast: Cast, own: Assignment) -> None:
    first, second = confirmed(cast), confirmed(cast)
    with open_transaction() as meanwhile:
        judgments_apply(first)
        other = meanwhile(lambda: judgments_apply(second))
        assert not other.done()
    other.result()
    second.refresh_from_db()
    assert (first.state, second.state, told(second)) == (Import.DONE, Import.DONE, {})
    assert grades() == [("D1", 1, True), ("D2", 1, True)]


def test_a_desk_waits_for_an_import_of_its_topic_and_its_judgment_is_stored_after_it(
    cast: Cast, own: Assignment
) -> None:
    received, client = confirmed(cast), client_of(cast, "assessor")
    with open_transaction() as meanwhile:
        judgments_apply(received)
        posted = meanwhile(lambda: post_acts(client, own, [act("D1", 3)]))
        assert not posted.done()
    assert (posted.result().status_code, posted.result().json()["results"][0]["state"]) == (200, "saved")
    assert grades() == [("D1", 1, False), ("D1", 3, True), ("D2", 1, True)]


def test_a_desk_whose_database_does_not_wait_so_long_is_told_to_send_its_judgment_again(
    cast: Cast, own: Assignment
) -> None:
    received, client, acts = confirmed(cast), client_of(cast, "assessor"), [act("D1", 3)]
    client.raise_request_exception = False

    def post() -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        return post_acts(client, own, acts)

    with open_transaction() as meanwhile:
        judgments_apply(received)
        answer = meanwhile(post).result()
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert post_acts(client, own, acts).json()["results"][0]["state"] == "saved"
    assert grades() == [("D1", 1, False), ("D1", 3, True), ("D2", 1, True)]


def test_an_import_waits_for_a_judgment_of_the_desk_and_keeps_it_as_the_later_one(cast: Cast, own: Assignment) -> None:
    received = confirmed(cast)
    with open_transaction() as meanwhile:
        judge(own, "D1", 3)
        applied = meanwhile(lambda: judgments_apply(received))
        assert not applied.done()
    applied.result()
    received.refresh_from_db()
    assert (received.state, grades()) == (Import.DONE, [("D1", 1, False), ("D1", 3, True), ("D2", 1, True)])
