"""Qrels of earlier versions must mean the same afterwards."""

import pytest
from django.db import DatabaseError, connection, transaction

from judging.models import Qrels
from tests.old_versions import as_it_was


@pytest.mark.django_db(transaction=True)
def test_qrels_from_before_there_were_samples_hold_none_and_stay_written_once() -> None:
    with as_it_was(campaign="0023_natural_order", judging="0004_relevance_of_qrels") as old:
        user = old.get_model("campaign", "User").objects.create(username="olga")
        campaign = old.get_model("campaign", "Campaign").objects.create(slug="c", title="C")
        task = old.get_model("campaign", "Task").objects.create(campaign=campaign, slug="t", title="T")
        values = {"file": "qrels/q.txt", "sha256": "1" * 64, "topics": ["1"], "judgment_count": 1, "relevant_count": 1}
        made = old.get_model("judging", "Qrels").objects.create(
            task=task, version=1, source="judged", released_by=user, **values
        )
    qrels = Qrels.objects.get(pk=made.pk)
    assert (qrels.sampled_by, qrels.sample_file, qrels.files) == ("", "", {"overall": "qrels/q.txt"})
    assert qrels.checksums == {"version": 1, "sha256": "1" * 64, "subtopic_sha256": ""}
    with pytest.raises(DatabaseError, match="written once"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE judging_qrels SET sampled_by = 'stratum'")
