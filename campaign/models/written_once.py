"""Rows that are written once: pools, judgments, qrels, evaluations, leaderboards, audit events.

Two layers refuse a second write: the model and its manager, in words; and a trigger of the database, which also holds against a
shell or another program. `RefuseSecondWrite` (campaign/models/triggers.py) is the operation of migrations that makes it.
"""

from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


class WrittenOnceError(TypeError):
    """This row was written once and stays as it is."""


class WrittenOnceQuerySet(models.QuerySet[M]):
    def update(self, **values: Any) -> int:
        self._require_changeable(values)
        return super().update(**values)

    def delete(self) -> tuple[int, dict[str, int]]:
        if not self._written_once().may_be_deleted:
            self._refuse("deleted")
        return super().delete()

    def bulk_update(self, objs: Iterable[M], fields: Iterable[str], *args: Any, **kwargs: Any) -> int:
        self._require_changeable(fields)
        return super().bulk_update(objs, fields, *args, **kwargs)

    def bulk_create(  # type: ignore[override]
        self, objs: Iterable[M], batch_size: int | None = None, *, ignore_conflicts: bool = False, **options: Any
    ) -> list[M]:
        """Insert rows; unlike Django's, it takes the options by name only, and none that updates rows."""
        if any(options.values()):
            self._refuse("changed")
        return super().bulk_create(objs, batch_size, ignore_conflicts)

    def update_or_create(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse("changed")

    def _written_once(self) -> "type[WrittenOnce]":
        return self.model  # type: ignore[return-value]

    def _require_changeable(self, names: Iterable[str]) -> None:
        if not set(names) <= self._written_once().changeable:
            self._refuse("changed")

    def _refuse(self, what: str) -> NoReturn:
        raise self._written_once().refusal(what)


class WrittenOnce(models.Model):
    """`changeable`: columns that may be set later; `instead`: what to do instead of a change, for the error's reader."""

    changeable: ClassVar[frozenset[str]] = frozenset()
    may_be_deleted: ClassVar[bool] = False
    instead: ClassVar[str] = ""

    objects = WrittenOnceQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def refusal(cls, what: str) -> WrittenOnceError:
        return WrittenOnceError(
            f"{str(cls._meta.verbose_name_plural).capitalize()} are never {what}. {cls.instead}".strip()
        )

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise self.refusal("changed")
        # Without this, a new object with the key of an old one would overwrite it.
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        if not self.may_be_deleted:
            raise self.refusal("deleted")
        return super().delete(*args, **kwargs)
