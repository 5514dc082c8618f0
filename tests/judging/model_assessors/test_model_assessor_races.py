"""Model assessors that are made at the same moment. Needs several writers: PostgreSQL."""

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from judging.model_assessors import services
from judging.models import ModelAssessor
from tests.campaign.concurrency import at_once
from tests.factories import Cast, make_cast
from tests.judging.makers import make_model_assessor
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def test_of_model_assessors_of_one_name_made_at_once_one_is_made_and_the_others_are_refused_as_later_ones(
    cast: Cast,
) -> None:
    told = at_once(lambda number: make_model_assessor(cast.task, cast.organiser), times=4)
    with pytest.raises(ValidationError) as later:
        make_model_assessor(cast.task, cast.organiser)
    assert sorted(told) == sorted(["", *[" ".join(later.value.messages)] * 3])


def test_a_task_has_no_more_of_them_where_they_are_made_at_once(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_MODEL_ASSESSORS", 2)
    told = at_once(lambda number: make_model_assessor(cast.task, cast.organiser, version=str(number)))
    assert (told.count(""), ModelAssessor.objects.count()) == (2, 2)
