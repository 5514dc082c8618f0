"""What the database names of the storage, what is there, and what of it nobody names."""

import re
from collections.abc import Iterator

from django.apps import apps
from django.db.models import FileField, Model

from campaign.models import DamagedFile
from campaign.storage.interface import INCOMING, Facts, files, locked_names
from campaign.storage.owners import FOLDER as OWNERS
from campaign.storage.quarantine import FOLDER as QUARANTINE

NOT_BY_CONTENT = frozenset({QUARANTINE, INCOMING, OWNERS, "docnos"})
"""Folders beside those of files by content: damaged files, uploads that arrive, names of sites, indexes that are made anew."""
BY_CONTENT = re.compile(r"[a-z-]+/([0-9a-f]{2})/\1[0-9a-f]{62}(\.\w+)?")
"""How the site names what it stores. What has another name is not the site's, and never taken away."""
Column = tuple[type[Model], FileField]


def file_columns() -> list[Column]:
    """Every column of the database that names stored files; those of new models are found by themselves."""
    found = ((model, field) for model in apps.get_models() for field in model._meta.local_fields)
    return [(model, field) for model, field in found if isinstance(field, FileField)]


def named_files() -> set[str]:
    """The names of all files that a row refers to."""
    names: set[str] = set()
    for model, field in file_columns():
        # Without an order: what rows are ordered by would be read too, and one date that cannot be read would end it.
        names.update(model._base_manager.order_by().values_list(field.name, flat=True).distinct().iterator())
    return names - {""}


def users_of(name: str) -> list[str]:
    """What rests on the file, in words."""
    return [
        _in_words(row)
        for model, field in file_columns()
        for row in model._base_manager.filter(**{field.name: name}).order_by("pk")[:10]
    ]


def _in_words(row: Model) -> str:
    kind, named = str(row._meta.verbose_name), str(row)
    what = named if named.startswith(kind) else f"{kind} {named}"
    task = getattr(row, "task", None)
    return what if task is None or named.endswith(str(task)) else f"{what} of {task}"


def contradicting_rows() -> Iterator[str]:
    """Rows whose checksum is not that in the name of their file: one of the two was changed behind the site's back."""
    for model, field in file_columns():
        columns = {column.name for column in model._meta.local_fields}
        checksum = field.name.removesuffix("file") + "sha256"
        if field.name.endswith("file") and checksum in columns:
            for row in model._base_manager.exclude(**{field.name: ""}).only(field.name, checksum).iterator():
                if getattr(row, checksum) not in getattr(row, field.name).name:
                    yield f"{row._meta.verbose_name} {row.pk}: {checksum} and the name of its file differ"


def stored_files() -> Iterator[str]:
    """The names of all files by content that are there."""
    return (found.name for found in _by_content())


def _by_content() -> Iterator[Facts]:
    return (found for found in files().listed(without=NOT_BY_CONTENT) if BY_CONTENT.fullmatch(found.name))


def stored_sizes() -> dict[str, tuple[int, int]]:
    """By folder: how many files lie there, and their bytes. Reads the whole storage."""
    sizes: dict[str, tuple[int, int]] = {}
    for found in files().listed(without=NOT_BY_CONTENT):
        folder = found.name.partition("/")[0] if "/" in found.name else "others"
        count, total = sizes.get(folder, (0, 0))
        sizes[folder] = count + 1, total + found.size
    return sizes


def unnamed_files(older_than: float) -> list[str]:
    """Files that no row refers to, untouched for so many seconds: younger ones may belong to an upload that is arriving."""
    named = named_files()
    return [found.name for found in _by_content() if found.name not in named and found.age > older_than]


def remove_unnamed(name: str, older_than: float) -> int | None:
    """Remove such a file; return its size, or None if somebody stored the same bytes again or named it meanwhile."""
    with locked_names(alone=True):
        is_named = any(model._base_manager.filter(**{field.name: name}).exists() for model, field in file_columns())
        try:
            found = files().facts(name)
        except FileNotFoundError:
            return None
        if is_named or found.age <= older_than:
            return None
        files().delete(name)
    DamagedFile.objects.filter(name=name).delete()
    return found.size


def remove_left_over(older_than: float) -> int:
    """Remove uploads and writes that dead processes left half-done; return how many."""
    return files().remove_unfinished(older_than)
