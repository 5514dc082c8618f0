"""Two who delete their accounts at the same moment. Needs a database with several writers: PostgreSQL."""

import pytest
from django.db import connection

from campaign.models import AuditEvent, Role
from runpool.account_data.services.deletion import user_delete
from tests.campaign.concurrency import at_once
from tests.factories import Cast, make_cast, make_user
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def test_of_two_organisers_who_leave_at_once_one_stays(cast: Cast) -> None:
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ORGANISER)
    people = [cast.organiser, other]
    told = at_once(lambda number: user_delete(actor=people[number], user=people[number]), 2)
    assert sorted(map(bool, told)) == [False, True]
    assert "last organiser" in "".join(told)
    assert Role.objects.filter(campaign=cast.campaign, role=Role.ORGANISER).count() == 1


def test_an_account_that_is_deleted_twice_at_once_is_deleted_once(cast: Cast) -> None:
    assert at_once(lambda _: user_delete(actor=cast.stranger, user=cast.stranger), 4) == [""] * 4
    assert AuditEvent.objects.filter(verb="delete account").count() == 1
