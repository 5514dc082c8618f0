"""What earlier versions stored must mean the same afterwards."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


@pytest.mark.django_db(transaction=True)
def test_a_task_that_wanted_every_topic_answered_still_does() -> None:
    executor = MigrationExecutor(connection)
    latest = [key for key in executor.loader.graph.leaf_nodes() if key[0] == "campaign"]
    executor.migrate([("campaign", "0001_initial")])
    try:
        old = executor.loader.project_state([("campaign", "0001_initial")]).apps
        campaign = old.get_model("campaign", "Campaign").objects.create(slug="c", title="C")
        tasks = old.get_model("campaign", "Task").objects
        strict = tasks.create(campaign=campaign, slug="strict", title="S", all_topics_required=True)
        lenient = tasks.create(campaign=campaign, slug="lenient", title="L")
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(latest)
    new = executor.loader.project_state(latest).apps.get_model("campaign", "Task").objects
    assert new.get(pk=strict.pk).rule_severities == {"topic_missing": "error"}
    assert new.get(pk=lenient.pk).rule_severities == {}
