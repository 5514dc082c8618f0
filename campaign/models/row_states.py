"""Rows that change lawfully, such as settings: what the site itself left of each, so that `manage.py verify` sees other changes.

Whatever writes such a row through Django adds a `RowState` in the same transaction. SQL behind the site's back adds none.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from django.db import models, transaction

from campaign.database.clock import MadeAtField
from campaign.models.written_once import WrittenOnce

M = TypeVar("M", bound="KeepsStates")
AT_ONCE = 1000
CHARACTERS_OF_A_CHECKSUM = 16


class RowState(WrittenOnce):
    """What a row held after the site wrote it: a checksum of each of its columns."""

    instead = "Another state is a new row."

    table = models.CharField(max_length=63, blank=True, help_text="Empty: from here on every row has a state.")
    row = models.BigIntegerField(help_text="Its key.")
    parent = models.BigIntegerField(help_text="The key of the row that it goes with: of its task, say.")
    checksums = models.JSONField(help_text="By name of the column; empty: the site deleted the row.")
    kept_at = MadeAtField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["table", "row", "id"], name="row_state_newest")]

    def __str__(self) -> str:
        return f"state of row {self.row} of {self.table}"


class KeepsStatesQuerySet(models.QuerySet[M]):
    def update(self, **values: Any) -> int:
        if not is_kept(self.model, values):
            return super().update(**values)
        with transaction.atomic(self.db):
            keys = _locked(
                self, no_key=True
            )  # rows that refer to these, such as runs to their task, can still be written
            rows = super(KeepsStatesQuerySet, self.filter(pk__in=keys)).update(**values)
            states_keep(self.model, keys)
        return rows

    def bulk_create(self, objs: Any, *args: Any, **options: Any) -> list[M]:
        with transaction.atomic(self.db):
            made = super().bulk_create(objs, *args, **options)
            states_keep(self.model, [row.pk for row in made])
        return made

    def delete(self) -> tuple[int, dict[str, int]]:
        with transaction.atomic(self.db):
            keys = _locked(self)
            _keep_ends(self.model, keys)
            # Not by these conditions again, which others may meet by now, and some of these rows no longer.
            return models.QuerySet(self.model, using=self.db).filter(pk__in=keys).delete()

    delete.alters_data = delete.queryset_only = True  # type: ignore[attr-defined]  # as Django's: no method of managers


class KeepsStates(models.Model):
    """`unkept`: columns that tell what was done, and are no work of anybody.

    `goes_with`: the relation to the row above; empty where there is none.
    """

    unkept: ClassVar[frozenset[str]] = frozenset()
    goes_with: ClassVar[str] = "task"

    objects = KeepsStatesQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        names = kwargs.get("update_fields")
        if names is not None and not is_kept(type(self), names):
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            super().save(*args, **kwargs)
            states_keep(type(self), [self.pk])

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        with transaction.atomic():
            _keep_ends(type(self), _locked(type(self)._base_manager.filter(pk=self.pk)))
            return super().delete(*args, **kwargs)


def kept_columns(model: type[KeepsStates]) -> list[str]:
    return [field.attname for field in _fields(model)]


def is_kept(model: type[KeepsStates], names: Any) -> bool:
    """Whether one of these fields, by the names that `update` takes, is among those that states are kept of."""
    return any({field.name, field.attname} & set(names) for field in _fields(model))


def _fields(model: type[KeepsStates]) -> "list[models.Field[Any, Any]]":
    return [field for field in model._meta.local_concrete_fields if field.attname not in model.unkept]


def checksums_of(columns: Sequence[str], values: Sequence[Any]) -> dict[str, str]:
    """The values as the database gives them, which is the same for both databases."""
    return {column: _checksum(value) for column, value in zip(columns, values, strict=True)}


def _checksum(value: Any) -> str:
    plain = value + 0.0 if isinstance(value, float) else value  # SQLite has no negative zero
    text = json.dumps(plain, default=str, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:CHARACTERS_OF_A_CHECKSUM]


def states_keep(model: type[KeepsStates], keys: Sequence[int]) -> None:
    """Add what these rows hold, in the transaction that wrote them or holds their locks."""
    columns = kept_columns(model)
    _insert(model, keys, columns, lambda values: checksums_of(columns, values))


def _locked(rows: "models.QuerySet[Any]", *, no_key: bool = False) -> list[int]:
    """The keys. Locked first: a state read of a row that another transaction is changing would be older than its own."""
    return list(rows.select_for_update(of=("self",), no_key=no_key).order_by("pk").values_list("pk", flat=True))


def _keep_ends(model: type[KeepsStates], keys: Sequence[int]) -> None:
    """Of locked rows, and of those that are deleted with them: a restored or moved site gives keys of deleted rows again."""
    _insert(model, keys, [], lambda values: {})
    for relation in model._meta.related_objects:
        below = relation.related_model
        if relation.on_delete is models.CASCADE and issubclass(below, KeepsStates):
            for start in range(0, len(keys), AT_ONCE):
                with_these = {f"{relation.field.name}__in": keys[start : start + AT_ONCE]}
                _keep_ends(below, _locked(below._base_manager.filter(**with_these)))


def _insert(model: type[KeepsStates], keys: Sequence[int], columns: list[str], checksums: Any) -> None:
    above = f"{model.goes_with}_id" if model.goes_with else "pk"
    for start in range(0, len(keys), AT_ONCE):
        found = model._base_manager.filter(pk__in=keys[start : start + AT_ONCE]).order_by("pk")
        RowState.objects.bulk_create(
            RowState(table=model._meta.db_table, row=row, parent=parent, checksums=checksums(values))
            for row, parent, *values in found.values_list("pk", above, *columns)
        )
