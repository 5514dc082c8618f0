"""What an archive says of itself: its files with their checksums, and one checksum of all that it keeps."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from campaign.formats.shapes import is_storable
from runpool.archive.json_bytes import json_of_bytes
from runpool.archive.zip_io import ArchiveError, Entry

FORMAT = 1
"""Raised when an archive can no longer be read by the versions before."""
MANIFEST, README, CRATE = "manifest.json", "README.md", "ro-crate-metadata.json"
ABOUT = frozenset({README, CRATE})
"""Files that tell of the archive: in the manifest, but no part of its content."""
LARGEST_MANIFEST = 40 << 20


@dataclass(frozen=True, slots=True)
class Ahead:
    """Moments of one column of a table lay more than a day in the future when the archive was made; `latest`: the latest."""

    path: str
    column: str
    latest: datetime

    def __str__(self) -> str:
        return (
            f"{self.path}: moments of “{self.column}” lay in the future when the archive was made, up to "
            f"{self.latest:%d %b %Y, %H:%M} UTC, since a clock was wrong. They stay as they are."
        )

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "column": self.column, "latest": self.latest.isoformat()}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Ahead":
        return cls(str(said["path"]), str(said["column"]), datetime.fromisoformat(said["latest"]).astimezone(UTC))


@dataclass(frozen=True, slots=True)
class Manifest:
    entries: dict[str, Entry]
    content_sha256: str
    campaign: Mapping[str, str]
    tasks: list[dict[str, Any]]
    counts: Mapping[str, int]
    options: Mapping[str, str]
    made_at: str
    runpool: str
    ahead: Sequence[Ahead] = ()

    def to_json(self) -> bytes:
        said = {
            "format": FORMAT,
            "runpool": self.runpool,
            "made_at": self.made_at,
            "campaign": dict(self.campaign),
            "tasks": self.tasks,
            "options": dict(self.options),
            "counts": dict(self.counts),
            **({"moments_ahead": [one.to_json() for one in self.ahead]} if self.ahead else {}),
            "content_sha256": self.content_sha256,
            "files": [
                {"path": entry.path, "size": entry.size, "sha256": entry.sha256}
                for entry in sorted_by_path(self.entries)
            ],
        }
        return (json.dumps(said, indent=1, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Manifest":
        """ArchiveError for what is none, or one of a later version."""
        try:
            said = json_of_bytes(content)
            if not is_storable(said):
                raise ValueError("a text that cannot be stored")
            if int(said["format"]) > FORMAT:
                raise _newer(said)
            entries = [Entry(str(one["path"]), int(one["size"]), str(one["sha256"])) for one in said["files"]]
            made = cls(
                {entry.path: entry for entry in entries},
                str(said["content_sha256"]),
                {name: str(said["campaign"][name]) for name in ("slug", "title")},
                [{name: str(task[name]) for name in ("slug", "title", "phase")} for task in said["tasks"]],
                {str(name): int(count) for name, count in said["counts"].items()},
                {str(name): str(value) for name, value in said["options"].items()},
                str(said["made_at"]),
                str(said["runpool"]),
                [Ahead.from_json(one) for one in said.get("moments_ahead", [])],
            )
        except ArchiveError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as problem:
            message = f"The file {MANIFEST} cannot be read."
            raise ArchiveError("manifest", message, "Get the archive from its source again.") from problem
        if len(made.entries) != len(entries) or made.content_sha256 != content_sha256(entries):
            message = f"The list of files in {MANIFEST} contradicts the checksum of the content."
            raise ArchiveError("changed", message, "The archive was changed: get it from its source again.")
        return made


def content_sha256(entries: Iterable[Entry]) -> str:
    """SHA-256 over the lines "<sha256>  <path>" of all files that are content, sorted by path: what `sha256sum` prints.

    >>> content_sha256([Entry("README.md", 1, "ab")]) == hashlib.sha256(b"").hexdigest()
    True
    """
    kept = {entry.path: entry for entry in entries if entry.path not in ABOUT}
    return hashlib.sha256("".join(f"{e.sha256}  {e.path}\n" for e in sorted_by_path(kept)).encode()).hexdigest()


def sorted_by_path(entries: Mapping[str, Entry]) -> list[Entry]:
    return [entries[path] for path in sorted(entries)]


def _newer(said: Mapping[str, Any]) -> ArchiveError:
    made_by = str(said.get("runpool", "a later version"))[:40]
    message = (
        f"The archive has format {said['format']}, made by Runpool {made_by}; this site reads up to format {FORMAT}."
    )
    return ArchiveError("newer", message, "Have the operators update this site, then send the archive again.")


def crate(manifest: Manifest, day: str) -> bytes:
    """RO-Crate 1.1 metadata. `day`: the date of the campaign, so that the same archive has the same file."""
    files = [
        {"@id": entry.path, "@type": "File", "contentSize": str(entry.size), "sha256": entry.sha256}
        for entry in sorted_by_path(manifest.entries)
    ]
    title = manifest.campaign["title"]
    about = (
        f"Test collection of the campaign {title}: topics, documents, runs, pools, judgments, qrels, scores and boards."
    )
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": title,
        "description": about,
        "datePublished": day,
        "license": "See README.md: the organisers decide.",
        "hasPart": [{"@id": file["@id"]} for file in files],
    }
    described = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    graph = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [described, root, *files]}
    return (json.dumps(graph, indent=1, ensure_ascii=False) + "\n").encode()


README_TEXT = """# {title}

An archive of a Runpool campaign{part}. People are in it under {people}; of the documents it holds {documents}.
The state of its tasks when it was made: {phases}.
{ahead}
## What is in it

- `manifest.json`: every file with its size and SHA-256, and `content_sha256`, the checksum of the whole content.
- `campaign.jsonl`, `tasks.jsonl`, `teams.jsonl`, `people.jsonl`, `audit.jsonl` and others: one row a line, as JSON.
- `collections/<name>/`: document numbers (`docnos.txt`) or documents (`documents.jsonl`).
- `tasks/<task>/topics/`: the topics in TREC markup, XML, tab-separated and JSON lines; `guidelines.md` beside them.
- `tasks/<task>/runs/<team>/`: every run as it was sent, byte for byte; `ir_metadata` of its header as YAML.
- `tasks/<task>/qrels/`: released judgments, in the format of trec_eval.
- `tasks/<task>/pools/`: the pooled documents of each version, one "topic docno" a line.
- `tasks/<task>/judgments/acts.jsonl`: every act of every assessor, also those that were taken back.
- `tasks/<task>/scores/`: the values of each run by topic, as trec_eval prints them, with all digits.
- `tasks/<task>/boards/`: published leaderboards, as they were served.

The archive holds all runs and all judgments, published or not. Look at what you hand on, and to whom.

## Check it, and score it with the usual tools

    python3 -c "import json; [print(f['sha256'], '', f['path']) for f in json.load(open('manifest.json'))['files']]" > sums
    sha256sum -c sums
    trec_eval -q -m ndcg_cut.10 tasks/<task>/qrels/v1.qrels tasks/<task>/runs/<team>/<tag>.run

Runs that were sent packed end in `.gz`: unpack them first for trec_eval. `python -m evaluation` reads them as they are.
In a residual round, runs are scored without the pairs that earlier rounds judged: take these out first.

## Restore it

On any Runpool site: *New campaign*, *Restore an archive*; or `manage.py restore_archive FILE --as USER`.

## Cite it

Name the title, the address of the campaign and the `content_sha256` of `manifest.json`, which names exactly this content.
"""


def readme(manifest: Manifest, *, is_task: bool) -> bytes:
    shown = " ".join(manifest.campaign["title"].split())
    phases = ", ".join(f"`{task['slug']}` {task['phase']}" for task in manifest.tasks) or "no task yet"
    people = "pseudonyms" if manifest.options["people"] == "pseudonyms" else "their names"
    documents = "numbers only" if manifest.options["documents"] == "docnos" else "numbers, titles and texts"
    part = f", its task `{manifest.tasks[0]['slug']}` only" if is_task and manifest.tasks else ""
    ahead = "".join(f"\n{one}\n" for one in manifest.ahead)
    return README_TEXT.format(
        title=shown, part=part, people=people, documents=documents, phases=phases, ahead=ahead
    ).encode()
