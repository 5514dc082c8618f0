"""Rows that change lawfully, such as settings, against what the site itself left of them: a part of `manage.py verify`."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Max, Min, Q, QuerySet

from campaign.database import clock
from campaign.database.readable import Unreadable, named, readable_rows
from campaign.integrity import MEND, Extent, Finding
from campaign.models import RowState
from campaign.models.row_states import AT_ONCE, KeepsStates, checksums_of, kept_columns, states_keep
from campaign.text.plurals import listed

Kept = type[KeepsStates]
KNOWN, BEGUN = "known", "begun"
"""What the site notes of a table, once each: that it keeps states of it, and that from then on every row has one."""
UNTIL_ALL_MACHINES_ARE_UPGRADED = timedelta(days=1)
"""Processes of an earlier version go on for a while, and keep no states."""
LONGEST_FIRST_MIGRATION = timedelta(hours=1)
REMEDY = (
    "The database was changed behind the site's back: restore it from a backup of before the change. If the change was meant, "
    "make it again in the site: write another value, and then this one."
)


def kept_models() -> list[Kept]:
    found = [model for model in apps.get_models() if issubclass(model, KeepsStates)]
    return sorted(found, key=lambda model: model._meta.db_table)


def kept_tables_note() -> None:
    """Note the tables of which states are kept, each when a version first keeps them. Part of the sweep."""
    known = _tables_noted(KNOWN)
    new = [model for model in kept_models() if model._meta.db_table not in known]
    if not new:
        return
    with transaction.atomic():
        _note(KNOWN, new)
        if not known and _is_new_site() and not any(_without_state(model).exists() for model in new):
            _note(BEGUN, new)


def _is_new_site() -> bool:
    """No earlier version has run here: the first table of the site and that of states were made in one go."""
    made = MigrationRecorder(connection).migration_qs.filter(
        app="campaign", name__in=["0001_initial", "0012_row_states"]
    )
    first, last = made.aggregate(first=Min("applied"), last=Max("applied")).values()
    return first is not None and last - first < LONGEST_FIRST_MIGRATION


def row_states_begin() -> str:
    """Let every row have a state: what an earlier version wrote or deleted is taken as it is. Part of the daily cleaning.

    Once for each table, a day after the site first knew it; in a new site at once.
    """
    kept_tables_note()
    recent = clock.within("kept_at", UNTIL_ALL_MACHINES_ARE_UPGRADED, clock.now())
    due = _tables_noted(KNOWN, ~recent) - _tables_noted(BEGUN)
    begun = [model for model in kept_models() if model._meta.db_table in due]
    unreadable = list[str]()
    for model in begun:
        keys = list(model._base_manager.order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(keys), AT_ONCE):
            with transaction.atomic():
                some = model._base_manager.filter(pk__in=keys[start : start + AT_ONCE])
                list(some.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk"))
                rows = list(readable_rows(some.values_list("pk", *kept_columns(model))))
                unreadable += [row.name for row in rows if isinstance(row, Unreadable)]
                states_keep(model, [row[0] for row in rows if not isinstance(row, Unreadable)])
        RowState.objects.bulk_create(
            RowState(table=state.table, row=state.row, parent=state.parent, checksums={}) for state in _gone(model)
        )
        _note(BEGUN, [model])
    missing = f", but for those that cannot be read: {', '.join(unreadable)}" if unreadable else ""
    return f"tables whose every row has a state from now on: {len(begun)}{missing}"


def _note(what: str, models: Sequence[Kept]) -> None:
    # As rows of states, which seals hold: whoever removes such a note, so that changed rows are taken as they are, is found.
    RowState.objects.create(table="", row=0, parent=0, checksums={model._meta.db_table: what for model in models})


def _tables_noted(what: str, when: Q | None = None) -> set[str]:
    notes = RowState.objects.filter(when or Q(), table="").values_list("checksums", flat=True)
    return {table for note in notes for table, noted in note.items() if noted == what}


def _without_state(model: Kept) -> "QuerySet[KeepsStates]":
    return model._base_manager.exclude(pk__in=RowState.objects.filter(table=model._meta.db_table).values("row"))


def verify_row_states(extent: Extent) -> Iterator[Finding]:
    """Every row against its newest state, and the rows whose newest state says that they are there."""
    begun = _tables_noted(BEGUN)
    if later := [model for model in kept_models() if model._meta.db_table not in begun]:
        extent.notes.append(
            f"Rows of {listed([model._meta.db_table for model in later])} are compared from the first daily cleaning that comes "
            "a day after this upgrade."
        )
    for model in kept_models():
        if model._meta.db_table in begun:
            yield from verify_states_of(model, extent)


def verify_states_of(model: Kept, extent: Extent) -> Iterator[Finding]:
    columns, some = kept_columns(model), list[tuple[Any, ...]]()
    for row in readable_rows(model._base_manager.values_list("pk", *columns)):
        if isinstance(row, Unreadable):
            yield Finding("settings", row.name, f"It cannot be read: {row.problem}", MEND)
            continue
        some.append(row)
        if len(some) == AT_ONCE:
            yield from _compared(model, columns, some, extent)
            some = []
    yield from _compared(model, columns, some, extent)
    yield from _missing(model)


def _compared(model: Kept, columns: list[str], rows: list[tuple[Any, ...]], extent: Extent) -> Iterator[Finding]:
    states = _newest(model, [pk for pk, *_ in rows])
    extent.looked["rows by what the site left of them"] += len(rows)
    for pk, *values in rows:
        state = states.get(pk)
        if state is None or not state.checksums:
            yield Finding("settings", named(model, pk), "The site did not write it.", REMEDY)
            continue
        now = checksums_of(columns, values)
        if others := [name for name in columns if state.checksums.get(name, now[name]) != now[name]]:
            text = f"These are others than the site left on {state.kept_at:%Y-%m-%d %H:%M} UTC: {', '.join(others)}."
            yield Finding("settings", named(model, pk), text, REMEDY)


def _newest(model: Kept, keys: list[int]) -> dict[int, RowState]:
    newest = RowState.objects.filter(table=model._meta.db_table, row__in=keys).order_by().values("row")
    return {
        state.row: state for state in RowState.objects.filter(pk__in=newest.annotate(newest=Max("pk")).values("newest"))
    }


def _missing(model: Kept) -> Iterator[Finding]:
    """A row goes with the one above it; then nothing is missing."""
    among, of = dict[str, Any](), ""
    if model.goes_with:
        above: Any = model._meta.get_field(model.goes_with).related_model
        among, of = {"parent__in": above._base_manager.values("pk")}, f" of {above._meta.verbose_name} "
    for state in _gone(model, **among):
        subject = f"{model._meta.verbose_name} {state.row}{of}{state.parent if of else ''}"
        yield Finding("settings", subject, "It is gone, and the site did not delete it.", REMEDY)


def _gone(model: Kept, **among: Any) -> Iterator[RowState]:
    """The newest states of rows that are not there any more, but by these states should be."""
    gone = RowState.objects.filter(table=model._meta.db_table).exclude(row__in=model._base_manager.values("pk"))
    newest = gone.order_by().values("row").annotate(newest=Max("pk")).values("newest")
    return (state for state in RowState.objects.filter(pk__in=newest, **among).order_by("pk") if state.checksums)
