"""All files of many runs as one zip that is made while it is sent: it is never held in memory or on disk.

Runs come first, then their table and checksums, which are collected meanwhile, and the names of those whose
file is missing or is not what the team sent.
"""

import logging
from collections.abc import Iterable, Iterator

from campaign.models import Run, Task
from campaign.runs.exports.file_names import ArchiveNames
from campaign.runs.exports.run_lists import runs_csv, runs_in_order, runs_json
from campaign.runs.selectors.reading import sent_file
from campaign.storage.interface import StorageAwayError, is_lost
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.streamed_zip import StreamedZip

CHUNK = 1 << 18
GZIP_MAGIC = b"\x1f\x8b"
README = """Runs of {task}, {campaign}

runs/<team>/<tag>    the files as they were sent, byte for byte; a tag that was sent again has the attempt behind it
runs.csv             one row a run: team, tag, state, decision, answers, counts; `file` is its name in here
runs.json            the same and more: the header of the file (ir_metadata), every problem with line and remedy
SHA256SUMS           check it all by: sha256sum -c SHA256SUMS
MISSING.txt          only if there is one: runs whose file is lost or damaged, and so not in here

{count} runs: {chosen}.
Their state is in the table: rejected and withdrawn runs are here too unless they were filtered out.
"""
logger = logging.getLogger(__name__)


class RunArchive:
    """Iterate once for the bytes of the zip."""

    def __init__(self, task: Task, keys: list[int], chosen: str) -> None:
        self._task, self._keys, self._chosen = task, keys, chosen
        self._zip = StreamedZip()
        self._names = ArchiveNames()
        self._files: dict[int, str] = {}
        self._missing: list[str] = []

    def __iter__(self) -> Iterator[bytes]:
        yield from self._zip.text("README.txt", [self._readme()])
        for run in runs_in_order(self._keys):
            yield from self._run(run)
        yield from self._zip.text("runs.csv", runs_csv(self._task, self._keys, self._files))
        yield from self._zip.text("runs.json", runs_json(self._keys, self._files))
        if self._missing:
            yield from self._zip.text("MISSING.txt", (f"{line}\n" for line in self._missing))
        yield from self._zip.end()

    def _readme(self) -> str:
        campaign = self._task.campaign.title
        return README.format(task=self._task.title, campaign=campaign, count=len(self._keys), chosen=self._chosen)

    def _run(self, run: Run) -> Iterator[bytes]:
        try:
            file = sent_file(run, found_by="a download of many runs")
        except StorageAwayError:  # no file is missing for that: the download breaks off
            raise
        except DamagedFileError as problem:
            self._lost(run, str(problem), problem)
            return
        except OSError as problem:  # its text names folders of the server
            if is_lost(problem):
                raise
            self._lost(
                run, "its file cannot be read now. Tell the operators of the site, and download again later", problem
            )
            return
        with file:
            is_gzip = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            file.seek(0)
            tag = run.tag if run.attempt == 1 else f"{run.tag}.{run.attempt}"
            name = self._names.name("runs", run.team.slug, tag, suffix=".gz" if is_gzip else ".txt")
            self._files[run.pk] = name
            self._zip.sums.append((run.sha256, name))
            content = self._read(run, name, iter(lambda: file.read(CHUNK), b""))
            yield from self._zip.entry(name, content, size=run.size, is_packed=is_gzip)

    def _read(self, run: Run, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        try:
            yield from chunks
        except OSError as problem:
            self._lost(run, f"{name} is cut short: the storage stopped in the middle", problem)

    def _lost(self, run: Run, what: str, problem: Exception) -> None:
        logger.error("archive of %s: run %s: %s (%s)", self._task, run.pk, what, problem)
        self._missing.append(f"{run.team.slug} {run.tag}, attempt {run.attempt}: {what}")
