"""Registers a test collection with ir_datasets. Import this file, then load the collection by the name in DATASET below.

Its files are looked for beside this file, then in the folder of ir_datasets; what is missing is fetched from the site
that made this file. Each is checked by its SHA-256 before it is read. What the site gives to members only needs a
token, made on its page /account/tokens/, in the environment variable RUNPOOL_TOKEN.
Topics in FACTS["topics_not_counted"] are in the qrels and in no published mean: leave them out to get the same means.
"""

import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import ir_datasets
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, TrecQrel
from ir_datasets.indices import PickleLz4FullStore

FACTS: dict[str, Any] = {}

DATASET: str = FACTS["dataset"]
TOKEN = "RUNPOOL_TOKEN"
HERE = Path(__file__).resolve().parent
PIECE = 1 << 20
SILENCE = 120


class Document(NamedTuple):
    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}".strip()


class Subtopic(NamedTuple):
    number: str
    text: str


class Query(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str
    subtopics: tuple[Subtopic, ...]

    def default_text(self) -> str:
        return self.title


class _NoRedirect(HTTPRedirectHandler):
    """A token is for the site alone: it must not follow a redirect to another."""

    def redirect_request(self, *args: Any) -> None:
        return None


class CollectionFile:
    """One file of the collection; its checksum is that of the unpacked text."""

    def __init__(self, kind: str) -> None:
        self.facts: dict[str, Any] = FACTS["files"][kind]
        self.name: str = self.facts["name"]
        self.is_packed = self.name.endswith(".gz")
        self._checked: Path | None = None

    @property
    def folder(self) -> Path:
        return Path(ir_datasets.util.home_path()).joinpath(*DATASET.split("/"))

    def path(self) -> Path:
        if self._checked is None:
            found = [folder / self.name for folder in (HERE, self.folder) if (folder / self.name).is_file()]
            self._checked = self._sound(found[0]) if found else self._fetched()
        return self._checked

    def lines(self) -> Iterator[str]:
        with self._opened(self.path()) as file:
            for line in file:
                yield line.decode("utf-8")

    def _opened(self, path: Path) -> Any:
        return gzip.open(path, "rb") if self.is_packed else open(path, "rb")

    def _sound(self, path: Path) -> Path:
        if not self._was_found_sound(path):
            digest = hashlib.sha256()
            with self._opened(path) as file:
                for piece in iter(lambda: file.read(PIECE), b""):
                    digest.update(piece)
            if digest.hexdigest() != self.facts["sha256"]:
                raise RuntimeError(
                    f"{path} is not the file of which this module knows the SHA-256. Delete it to have it fetched again; "
                    f"if the collection has changed, download this module again as well: {FACTS['page']}"
                )
            self._keep_in_mind(path)
        return path

    def _was_found_sound(self, path: Path) -> bool:
        """Reading gigabytes in every process would take long: what was sound stays so until the file is another one."""
        mark = self.folder / f"{self.name}.sound"
        return mark.is_file() and mark.read_text(encoding="utf-8") == self._mark(path)

    def _keep_in_mind(self, path: Path) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{self.name}.sound").write_text(self._mark(path), encoding="utf-8")

    def _mark(self, path: Path) -> str:
        facts = path.stat()
        return f"{self.facts['sha256']} {path} {facts.st_size} {facts.st_mtime_ns}"

    def _fetched(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=self.folder, prefix=f"{self.name}.")
        try:
            with os.fdopen(handle, "wb") as out, self._answer() as answer:
                for piece in iter(lambda: answer.read(PIECE), b""):
                    out.write(piece)
            self._sound(Path(part))
            os.replace(part, self.folder / self.name)
        finally:
            if os.path.exists(part):
                os.remove(part)
        return self.folder / self.name

    def _answer(self) -> Any:
        token = os.environ.get(TOKEN, "")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        beside = f"Or download {self.name} from {FACTS['page']} and put it beside {Path(__file__).name}."
        try:
            return build_opener(_NoRedirect).open(Request(self.facts["url"], headers=headers), timeout=SILENCE)
        except HTTPError as problem:
            needs = f"Set {TOKEN} to a token of somebody who may have it. " if problem.code in (401, 403, 404) else ""
            raise RuntimeError(f"{self.facts['url']}: {problem.code} {problem.reason}. {needs}{beside}") from problem
        except URLError as problem:
            raise RuntimeError(f"{self.facts['url']} cannot be reached: {problem.reason}. {beside}") from problem


class Documents(BaseDocs):
    def __init__(self) -> None:
        super().__init__()
        self._file = CollectionFile("documents")

    def docs_path(self, force: bool = True) -> str:
        return str(self._file.path() if force else self._file.folder / self._file.name)

    @ir_datasets.util.use_docstore
    def docs_iter(self) -> Iterator[Document]:
        for line in self._file.lines():
            entry = json.loads(line)
            yield Document(entry["docno"], entry["title"], entry["text"])

    def docs_store(self, field: str = "doc_id", **options: Any) -> Any:
        store = f"{self._file.name}.{self._file.facts['sha256'][:16]}.pklz4"
        return PickleLz4FullStore(
            path=str(self._file.folder / store),
            init_iter_fn=self.docs_iter,
            data_cls=Document,
            lookup_field=field,
            index_fields=["doc_id"],
            **options,
        )

    def docs_cls(self) -> Any:
        return Document

    def docs_count(self) -> int:
        return int(self._file.facts["count"])

    def docs_namespace(self) -> str:
        return DATASET


class Queries(BaseQueries):
    def __init__(self) -> None:
        super().__init__()
        self._file = CollectionFile("topics")

    def queries_path(self) -> str:
        return str(self._file.path())

    def queries_iter(self) -> Iterator[Query]:
        for line in self._file.lines():
            entry = json.loads(line)
            subtopics = tuple(Subtopic(one["number"], one["text"]) for one in entry.get("subtopics", ()))
            yield Query(entry["number"], entry["title"], entry["description"], entry["narrative"], subtopics)

    def queries_cls(self) -> Any:
        return Query

    def queries_count(self) -> int:
        return int(self._file.facts["count"])

    def queries_namespace(self) -> str:
        return DATASET


class Qrels(BaseQrels):
    """Negative grades are left out: they say that a document was not judged, or could not be."""

    def __init__(self) -> None:
        super().__init__()
        self._file = CollectionFile("qrels")

    def qrels_path(self) -> str:
        return str(self._file.path())

    def qrels_iter(self) -> Iterator[TrecQrel]:
        for line in self._file.lines():
            topic, subtopic, docno, grade = line.split()
            if int(grade) >= 0:
                yield TrecQrel(topic, docno, int(grade), subtopic)

    def qrels_cls(self) -> Any:
        return TrecQrel

    def qrels_count(self) -> int:
        return int(self._file.facts["count"])

    def qrels_defs(self) -> dict[int, str]:
        return {int(grade): label for grade, label in FACTS["grades"].items()}


def register() -> None:
    if DATASET not in list(ir_datasets.registry):
        parts = {"documents": Documents, "topics": Queries, "qrels": Qrels}
        constituents = [part() for kind, part in parts.items() if kind in FACTS["files"]]
        ir_datasets.registry.register(DATASET, ir_datasets.Dataset(*constituents))


register()
