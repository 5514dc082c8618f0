"""Reads every stored file that the database names and compares its bytes with its checksum."""

from typing import Any

from django.core.management.base import BaseCommand

from campaign.storage.checksums import is_intact
from campaign.storage.inventory import contradicting_rows, named_files, stored_files, users_of
from campaign.storage.quarantine import forget_damage, set_aside


class Command(BaseCommand):
    help = "Verify every stored file; damaged ones are set aside. Exit code 1 if any is damaged or missing."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        named = sorted(named_files())
        faults = list(contradicting_rows())
        for name in named:
            if is_intact(name):
                forget_damage(name)
            else:
                damaged = set_aside(name, found_by="manage.py verify")
                what = "damaged, set aside" if damaged and damaged.moved_to else "missing"
                faults.append(f"{name}: {what}; {', '.join(users_of(name))}")
        unnamed = sorted(set(stored_files()) - set(named))
        for name in unnamed:
            self.stdout.write(f"{name}: in no row; removed by the daily cleaning when it is a day old")
        for fault in faults:
            self.stderr.write(fault)
        self.stdout.write(f"{len(named):,} files verified, {len(faults):,} faults, {len(unnamed):,} files in no row")
        if faults:
            raise SystemExit(1)
