"""What is verified of the site as a whole: its stored files and its log."""

from collections.abc import Iterator
from itertools import islice

from django.apps import apps
from django.db.models import DateField

from campaign.database.nearest_moments import FIRST_READ
from campaign.database.readable import named, rows_without_moment
from campaign.formats.moments import LAST_YEAR
from campaign.integrity import MOST_OF_A_KIND, Extent, Finding, first_of
from campaign.models import AuditEvent
from campaign.storage.checksums import is_closed, is_intact
from campaign.storage.inventory import BY_CONTENT, contradicting_rows, named_files, stored_files, users_of
from campaign.storage.owners import is_own, leave_file
from campaign.storage.quarantine import forget_damage, set_aside
from campaign.web.links import absolute

FOUND_BY = "a verification of the site"
OPEN = "Give it to that user (chown), with the folders above it and all that was copied like it, then verify again."
RESTORE = "Restore it from a backup under its name in the storage, then verify again."

RENAMED = "The row was changed behind the site's back: restore it from a backup, then verify again."


def verify_files(extent: Extent) -> Iterator[Finding]:
    """Every stored file that a row names; damaged ones are set aside, those that are whole again are recorded as restored."""
    named, lacking = sorted(named_files()), 0
    for place, name in enumerate(named, start=1):
        if place % 1000 == 0:
            extent.report(f"{place:,} of {len(named):,} files")
        extent.looked["files"] += 1
        if not BY_CONTENT.fullmatch(name):
            lacking += 1
            yield Finding(
                "files", name, f"no name that the site gives to a file; {', '.join(users_of(name))}.", RENAMED
            )
            continue
        if is_intact(name):
            forget_damage(name)
            continue
        damaged, users = set_aside(name, found_by=FOUND_BY), users_of(name)
        if users and damaged:  # else the row went while the files were read, or its bytes came in again
            what, remedy = ("damaged, set aside" if damaged.moved_to else "missing"), RESTORE
            if is_closed(name):
                what, remedy = "the user who runs the site may not read it", OPEN
            lacking += 1
            yield Finding("files", name, f"{what}; {', '.join(users)}.", remedy)
    if not is_own() and not lacking:
        leave_file(absolute("/"))
        extent.notes.append(
            "The storage lacked the file of this site, and none of its files: it is taken for the site's now."
        )
    unnamed = set(stored_files()) - set(named)
    extent.notes += [
        f"{name}: in no row; removed by the daily cleaning when it is a day old." for name in sorted(unnamed)
    ]


def verify_checksums(extent: Extent) -> Iterator[Finding]:
    """Rows whose checksum is not that in the name of their file."""
    remedy = "One of the two was changed behind the site's back: restore the row from a backup."
    for text in contradicting_rows():
        subject, _, what = text.partition(": ")
        yield Finding("files", subject, f"{what}.", remedy)


def verify_dates(extent: Extent) -> Iterator[Finding]:
    """A row with a day or moment that not every time zone has, or that is none: pages show the nearest one."""
    for model in apps.get_models():
        for column in model._meta.local_concrete_fields:
            if not isinstance(column, DateField):  # a moment is one too
                continue
            extent.looked["columns of dates"] += 1
            for pk in islice(rows_without_moment(model, column), MOST_OF_A_KIND):
                years = f"from year {FIRST_READ} to {LAST_YEAR}"
                text = f"Its {column.name} is no date {years}: pages show the nearest one, and files may fail."
                remedy = f"Set the column {column.column} of the table {model._meta.db_table} to a date that can be."
                yield Finding("dates", named(model, pk), text, remedy)


def verify_log(extent: Extent) -> Iterator[Finding]:
    """The log has keys in the order of time. Keys that are missing prove nothing: transactions that are undone use some up."""
    extent.looked["entries of the log"] += AuditEvent.objects.count()
    keys, more = first_of(AuditEvent.objects.filter(verb=""))
    if keys:
        also = f" and {more:,} more" if more else ""
        text = f"Entries {', '.join(keys)}{also} do not say what was done."
        yield Finding("audit", "the log", text, "Restore the database from a backup of before the change.")
