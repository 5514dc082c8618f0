"""Every model of the four apps is in archives, or left out with a reason."""

import pytest
from django.apps import apps

from runpool.archive.contents import LEFT_OUT, TABLES
from runpool.archive.table import Scope
from tests.pure_code import APPS
from tests.world import make_world


def models() -> set[type]:
    return {model for app in APPS for model in apps.get_app_config(app).get_models()}


def test_every_model_is_kept_or_left_out_with_a_reason() -> None:
    kept = {table.model for table in TABLES if not table.model._meta.auto_created}
    assert not kept & LEFT_OUT.keys()
    assert all(LEFT_OUT.values())
    assert models() == kept | LEFT_OUT.keys(), "declare the new models in runpool/archive/tables/"


def test_names_of_tables_are_one_each() -> None:
    paths = [(bool(table.within), table.name) for table in TABLES]
    assert len(paths) == len(set(paths))


@pytest.mark.django_db
def test_the_world_of_the_round_trip_has_rows_in_nearly_every_table() -> None:
    cast = make_world().cast
    scope = Scope(cast.campaign, [cast.task], False)
    empty = {
        table.model.__name__
        for table in TABLES
        if not table.rows_of(scope, cast.task if table.within else None).exists()
    }
    added_by_the_round_trip = {
        "Adjudication",
        "Allowance",
        "AssigningRules",
        "BoardSettings",
        "Leaderboard",
        "PracticeGrade",
        "JudgedBefore",
        "Milestone",
        "Notice_teams",
    }
    assert empty <= added_by_the_round_trip | {"PublishedTrust", "RunProblem", "Subtopic", "Judgment"}
