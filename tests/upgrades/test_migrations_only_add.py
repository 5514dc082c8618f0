"""Since the last release, migrations only add; and what was released stays as it is."""

from collections.abc import Iterable, Iterator

import pytest
from django.contrib.auth.models import User
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from campaign.models.triggers import RefuseSecondWrite
from tests.pure_code import WITH_TABLES
from tests.upgrades.additive import Tables, problems_of
from tests.upgrades.released import RELEASES, Release, migration_files, sha256_of

HARMLESS_ALL_THE_SAME: dict[str, str] = {
    "campaign.0004_imports_of_judgments: Create constraint import_kind_is_known on model import: processes of the version before "
    "cannot work with it, or this rule cannot tell": "it takes one kind more, and all that the version before writes",
    "campaign.0006_addresses_in_one_form: Raw Python operation: processes of the version before cannot work with it, or this "
    "rule cannot tell": "addresses change that differ by their Unicode form; the version before finds them as they are now",
}
"""Problems, as the test words them, and why processes of the version before can live with each. Emptied by a release."""


def problems_since(release: Release) -> Iterator[str]:
    loader = MigrationLoader(None)
    released = {node for app in WITH_TABLES for node in loader.graph.forwards_plan((app, release.last[app]))}
    state, tables = loader.project_state(list(release.last.items())), {app: Tables() for app in WITH_TABLES}
    for app, name in released:
        if app in tables:
            tables[app].guarded.update(guarded_by(loader.graph.nodes[app, name].operations))
    for app, name in loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True):
        if (app, name) in released or app not in WITH_TABLES:
            continue
        for operation in loader.graph.nodes[app, name].operations:
            for problem in problems_of(operation, app, state, tables[app]):
                yield f"{app}.{name}: {problem}"
            operation.state_forwards(app, state)


def guarded_by(operations: Iterable[Operation]) -> set[str]:
    return {operation.model_name.lower() for operation in operations if isinstance(operation, RefuseSecondWrite)}


@pytest.mark.parametrize("release", RELEASES[-1:], ids=lambda release: release.version)
def test_migrations_since_the_last_release_only_add(release: Release) -> None:
    found = set(problems_since(release))
    assert found == HARMLESS_ALL_THE_SAME.keys(), "see docs/decisions/0069-wheel-and-releases.md"


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.version)
def test_released_migrations_stay_as_they_are(release: Release) -> None:
    assert sha256_of(migration_files(release)) == release.migrations_sha256


def text(**values: object) -> "models.CharField[str, str]":
    return models.CharField(**{"max_length": 20, **values})  # type: ignore[arg-type]


ADDS: list[Operation] = [
    migrations.AddField("user", "note", text(null=True)),
    migrations.AddField("user", "note", text(db_default="")),
    migrations.AlterField("user", "first_name", text(max_length=200, blank=True)),
    RefuseSecondWrite("group"),
    migrations.AddIndex("user", models.Index(fields=["first_name"], name="by_name")),
]
HARMS: list[Operation] = [
    migrations.AddField("user", "note", text(default="")),
    migrations.RemoveField("user", "first_name"),
    migrations.RenameField("user", "first_name", "name"),
    migrations.AlterField("user", "first_name", text(max_length=3)),
    migrations.AlterField("user", "first_name", text(max_length=150, unique=True)),
    migrations.AlterField("user", "first_name", models.TextField()),
    migrations.AlterField("user", "last_login", models.DateTimeField()),
    migrations.AddConstraint("user", models.CheckConstraint(condition=models.Q(first_name=""), name="nameless")),
    RefuseSecondWrite("user"),
    migrations.DeleteModel("User"),
    migrations.RenameModel("User", "Person"),
    migrations.AlterModelTable("User", "person"),
    migrations.RunSQL("DROP TABLE person"),
]


def problems(*operations: Operation) -> list[str]:
    state, tables = ProjectState(), Tables(guarded={"group"})
    state.add_model(ModelState.from_model(User))
    return [problem for operation in operations for problem in problems_of(operation, "auth", state, tables)]


@pytest.mark.parametrize("operation", ADDS, ids=lambda operation: operation.describe())
def test_what_only_adds_is_let_through(operation: Operation) -> None:
    assert problems(operation) == []


@pytest.mark.parametrize("operation", HARMS, ids=lambda operation: operation.describe())
def test_what_a_running_process_of_the_version_before_would_trip_over_is_named(operation: Operation) -> None:
    assert len(problems(operation)) == 1
    apart = migrations.SeparateDatabaseAndState(database_operations=[operation])
    assert problems(apart) == problems(operation)
    assert problems(migrations.SeparateDatabaseAndState(state_operations=[operation])) == []


def test_a_table_that_came_since_the_release_may_change() -> None:
    new = migrations.CreateModel("Badge", [("id", models.BigAutoField(primary_key=True))])
    unique = models.UniqueConstraint(fields=["id"], name="once")
    assert (
        problems(new, migrations.AddField("badge", "note", text(default="")), migrations.AddConstraint("badge", unique))
        == []
    )
