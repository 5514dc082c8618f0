"""How earlier states of judgments are found among many."""

import pytest
from django.db import connection

from judging.judgments.selectors.at_revision import judgments_as_of
from judging.models import Judgment


@pytest.mark.django_db
@pytest.mark.sqlite
def test_later_acts_are_looked_for_among_those_about_the_document_and_not_among_all_of_the_person() -> None:
    plan = judgments_as_of(Judgment.objects.all(), number=10).explain()
    if connection.vendor == "sqlite":  # PostgreSQL's plan follows from what it has counted
        assert "SEARCH U0 USING INDEX judgment_by_document (topic_id=? AND docno=?" in plan
