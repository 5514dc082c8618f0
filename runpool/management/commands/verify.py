"""Compares what the site stores with what it rests on: files, pools, judgments, qrels, scores, boards, errata, runs, the log."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from campaign.integrity import SAMPLE, Finding
from campaign.models import Verification
from campaign.storage.interface import StorageAwayError
from campaign.text.plurals import number_of
from campaign.version import OF_VERSION
from runpool.operations.health import unfinished
from runpool.operations.integrity import SECTIONS
from runpool.operations.verifications import new_seed, verification_make


class Command(BaseCommand):
    help = (
        "Verify stored files by their checksums, and what is computed by the data that it was computed from. The site may run "
        "at the same time. Nothing is changed, but damaged files are set aside. Exit code 1 if anything is found."
    )
    requires_system_checks = (OF_VERSION,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        about = "; ".join(f"{name}: {words}" for name, words in SECTIONS.items())
        parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"without one, all of them. {about}")
        parser.add_argument(
            "--sample", type=int, default=SAMPLE, metavar="N", help="number of scores, and of boards, to compute anew"
        )
        parser.add_argument("--all-scores", action="store_true", help="compute all scores anew")
        parser.add_argument(
            "--seed", type=int, metavar="N", help="seed of the sample; without it, a seed is drawn and printed"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        unknown = sorted(set(options["sections"]) - set(SECTIONS))
        if unknown:
            self.stderr.write(f"There is no section {', '.join(unknown)}. There are: {', '.join(SECTIONS)}.")
            raise SystemExit(2)
        if options["sample"] < 0:
            self.stderr.write("--sample takes a number of 0 or more.")
            raise SystemExit(2)
        sections = [name for name in SECTIONS if name in (options["sections"] or SECTIONS)]
        Verification.objects.exists()  # without a database each of the sections would break off by itself
        if cut_off := unfinished():
            self.stderr.write(f"{cut_off}. Type the same command again: it goes on. Then verify.")
            raise SystemExit(2)
        seed = new_seed() if options["seed"] is None else options["seed"]
        try:
            verification = verification_make(
                sections=sections,
                sample=None if options["all_scores"] else options["sample"],
                seed=seed,
                report=self._nothing if options["json"] else self._progress,
                tell=self._nothing if options["json"] else self._tell,
            )
        except StorageAwayError as problem:
            self.stderr.write(f"The storage of files does not answer: {problem.reason} Then verify again.")
            raise SystemExit(2) from problem
        self._print(verification, as_json=options["json"])
        if verification.found:
            raise SystemExit(1)

    def _nothing(self, said: object) -> None:
        """Programs read one object at the end."""

    def _progress(self, words: str) -> None:
        self.stdout.write(f"{words} …")

    def _tell(self, finding: Finding) -> None:
        self.stderr.write(f"{finding.section}: {finding}")

    def _print(self, verification: Verification, *, as_json: bool) -> None:
        if as_json:
            findings = verification.findings.values("section", "subject", "text", "remedy")
            parts = {name: getattr(verification, name) for name in ("sections", "seed", "looked", "notes", "found")}
            self.stdout.write(json.dumps({**parts, "findings": list(findings)}, indent=1))
            return
        for note in verification.notes:
            self.stdout.write(note)
        for what, count in verification.looked.items():
            self.stdout.write(f"{count:,} {what}")
        self.stdout.write(f"{number_of(verification.found, 'finding')}; seed of the sample {verification.seed}")
