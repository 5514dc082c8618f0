"""Seals of rows that are written once: what they held is known by a chain of checksums, which `manage.py verify` follows.

Whoever writes such a row does not wait for the chain: the sweep seals rows once they are there.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, IntegrityError, OperationalError, connection, transaction
from django.db.models import Max, Q

from campaign.integrity import Extent, Finding, each_by_itself
from campaign.models import Seal
from campaign.models.written_once import WrittenOnce
from campaign.text.plurals import number_of
from runpool.backup import rows

ROWS_OF_A_SEAL, SEALS_AT_ONCE = 5_000, 10
"""A sweep has a minute for everything: 50,000 judgments take about two seconds."""
BUSY = "55P03"
"""PostgreSQL's word for a lock that somebody else holds."""
REMEDY = (
    "The database was changed behind the site's back: restore it from a backup of before the change. If the change was meant, "
    "write down why: the finding stays."
)
BROKEN = "A seal was changed or deleted behind the site's back: compare with those in the backups."
Sealed = type[WrittenOnce]


def sealed_models() -> list[Sealed]:
    """Models whose rows are neither changed nor deleted, by the names of their tables; seals check each other."""
    found = [model for model in apps.get_models() if issubclass(model, WrittenOnce) and not model.may_be_deleted]
    return sorted((model for model in found if model is not Seal), key=lambda model: model._meta.db_table)


def fixed_columns(model: Sealed) -> list[str]:
    return [field.attname for field in rows.columns(model) if field.attname not in model.changeable]


def rows_seal() -> int:
    """Seal rows that have none yet, a bounded number of them; return how many seals were made."""
    sealed = dict(Seal.objects.order_by().values_list("table").annotate(Max("through")))
    made = 0
    for model in sealed_models():
        after = sealed.get(model._meta.db_table, 0)
        if not model._base_manager.filter(pk__gt=after).exists() or (last := _last_settled(model)) is None:
            continue
        while after < last and made < SEALS_AT_ONCE:
            if not (seal := _seal(model, after, last)):
                return made
            after, made = seal.through, made + 1
    return made


def _last_settled(model: Sealed) -> int | None:
    """The largest key, once no row with a smaller one can come any more; None while somebody writes to the table.

    In PostgreSQL keys are given before their rows are seen. Nobody waits: for a lock that is not free the next sweep asks again.
    """
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(f'LOCK TABLE "{model._meta.db_table}" IN SHARE MODE NOWAIT')
            last: int | None = model._base_manager.aggregate(last=Max("pk"))["last"]
            return last
    except OperationalError as problem:
        if getattr(problem.__cause__, "sqlstate", None) != BUSY:
            raise
        return None


def _seal(model: Sealed, after: int, last: int) -> Seal | None:
    """The next seal of the table; None where another process has added one to the chain at this moment."""
    keys = model._base_manager.filter(pk__gt=after, pk__lte=last).order_by("pk").values_list("pk", flat=True)
    through = next(iter(keys[ROWS_OF_A_SEAL - 1 : ROWS_OF_A_SEAL]), last)
    newest = Seal.objects.order_by("-pk").values_list("sha256", flat=True).first()
    columns = fixed_columns(model)
    count, sha256 = _checksum(model, columns, after, through)
    seal = Seal(
        table=model._meta.db_table,
        columns=columns,
        after=after,
        through=through,
        row_count=count,
        rows_sha256=sha256,
        previous=newest or "",
    )
    seal.sha256 = _sha256_of(seal)
    try:
        with transaction.atomic():
            seal.save()
    except IntegrityError:
        return None
    return seal


def _checksum(model: Sealed, columns: list[str], after: int, through: int) -> tuple[int, str]:
    """The number of rows with keys above `after` up to `through`, and the SHA-256 of their values."""
    by_name: dict[str, Any] = {field.attname: field for field in rows.columns(model)}
    digest, count = hashlib.sha256(), 0
    among = Q(pk__gt=after, pk__lte=through)
    for line in rows.lines(model, DEFAULT_DB_ALIAS, fields=[by_name[name] for name in columns], among=among):
        digest.update(rows.NEGATIVE_ZERO.sub(b"0.0", line))
        count += 1
    return count, digest.hexdigest()


def _sha256_of(seal: Seal) -> str:
    names = ("previous", "table", "columns", "after", "through", "row_count", "rows_sha256")
    return hashlib.sha256(json.dumps([getattr(seal, name) for name in names]).encode()).hexdigest()


def verify_seals(extent: Extent) -> Iterator[Finding]:
    """Each seal against the one before, and the rows that it sealed against what they are now."""
    models = {model._meta.db_table: model for model in sealed_models()}
    ends, newest = dict[str, int](), Seal()

    def compare(seal: Seal) -> Iterator[Finding]:
        nonlocal newest
        whole = seal.sha256 == _sha256_of(seal) and seal.previous == newest.sha256
        if not whole or seal.after != ends.get(seal.table, 0):
            yield Finding("seals", str(seal), "It does not follow the seal before it.", BROKEN)
        ends[seal.table], newest = seal.through, seal
        if (model := models.get(seal.table)) is None or not set(seal.columns) <= set(fixed_columns(model)):
            extent.notes.append(
                f"{seal}: this version keeps other columns of {seal.table}; its rows were not compared."
            )
            return
        extent.looked["rows by their seals"] += seal.row_count
        count, sha256 = _checksum(model, seal.columns, seal.after, seal.through)
        if sha256 != seal.rows_sha256:
            yield Finding("seals", _rows_in_words(model, seal), _what_differs(seal, count), REMEDY)

    yield from each_by_itself("seals", Seal.objects.all(), compare)
    for table, model in models.items():
        extent.looked["rows that wait for their seal"] += model._base_manager.filter(pk__gt=ends.get(table, 0)).count()
    if newest.pk:
        extent.notes.append(f"The newest seal is number {newest.pk}, {newest.sha256}.")


def _rows_in_words(model: Sealed, seal: Seal) -> str:
    return f"{model._meta.verbose_name_plural} {seal.after + 1:,} to {seal.through:,}"


def _what_differs(seal: Seal, count: int) -> str:
    day = f"{seal.sealed_at:%Y-%m-%d}"
    if count != seal.row_count:
        return f"{number_of(seal.row_count, 'row')} of them had been sealed on {day}; there are {count:,}."
    return f"At least one of {number_of(count, 'row')} is another than on {day}, when they were sealed."
