"""What the desk asks the database with every save must not grow with the square of the assignment: see `among`."""

import pytest
from django.db import connection

from judging.models import Assignment
from judging.selectors.desk import last_judgments, undoable, unjudged
from tests.factories import Cast, make_topics
from tests.judging.makers import assign, make_pool
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db]


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    require_postgresql(connection.vendor)
    [topic] = make_topics(cast.task, ["401"])
    pool = make_pool(cast.task, {topic: [f"D{number}" for number in range(500)]}, cast.organiser)
    return assign(pool, topic, cast.assessor, cast.organiser)


@pytest.mark.parametrize("asked", [unjudged, undoable, last_judgments])
def test_conditions_on_documents_are_hashed_and_not_asked_for_each_one(assignment: Assignment, asked: object) -> None:
    plan = asked(assignment).explain()  # type: ignore[operator]
    filters = [line for line in plan.splitlines() if "Filter:" in line and "SubPlan" in line]
    assert filters
    assert all(line.count("SubPlan") == line.count("hashed SubPlan") for line in filters), plan
    assert "Nested Loop" not in plan
