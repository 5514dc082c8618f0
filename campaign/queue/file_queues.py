"""Queues of messages as files of one folder, shared by processes of one machine. Standard library only.

    new/                          what is being written: nobody reads here
    waiting/<queue>/<message>     whole messages, oldest name first
    taken/<reader>/<queue>/...    messages that a reader has not finished; its `lock` is held while the reader lives
    bindings/<exchange>/<hash>    which queue gets what is sent to an exchange
    aside/                        what was in the way and is no message; the last of them are kept

Whatever changes place does so by one rename: no reader sees half a message, and two never get the same one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import re
import shutil
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import quote, unquote
from uuid import uuid4

logger = logging.getLogger(__name__)

MESSAGE_NAME = re.compile(r"\d{20}-[0-9a-f]{32}")
MOST_SET_ASIDE = 100
LEFT_BEHIND_SECONDS = 3600
"""What is being written for so long was left by a process that died."""

_readers_of_this_process: set[str] = set()


class Taken(NamedTuple):
    tag: str
    content: bytes


class Binding(NamedTuple):
    """`reader`: the queue is only of use while this one lives; empty for a queue that lasts."""

    routing_key: str
    pattern: str
    queue: str
    reader: str


class FileQueues:
    """One process's view of the folder. It becomes a reader, with a lock of its own, when it first takes a message."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._listed: dict[str, deque[str]] = {}
        self._reader = ""
        self._lock: BinaryIO | None = None
        for name in ("new", "waiting", "taken", "bindings", "aside"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def put(self, queue: str, content: bytes) -> None:
        self._write(self.folder / "waiting" / _folder_name(queue) / f"{time.time_ns():020d}-{uuid4().hex}", content)

    def take(self, queue: str) -> Taken | None:
        """The oldest message of the queue, which is this reader's until it is forgotten or given back."""
        home = self.folder / "taken" / self.reader / _folder_name(queue)
        while name := self._next_name(queue):
            home.mkdir(parents=True, exist_ok=True)
            try:
                (self.folder / "waiting" / home.name / name).rename(home / name)
            except FileNotFoundError:  # another reader was first
                continue
            try:
                return Taken(f"{home.name}/{name}", (home / name).read_bytes())
            except OSError as problem:
                self._set_aside(home / name, str(problem))
        return None

    def forget(self, tag: str) -> None:
        """The message is done with."""
        (self.folder / "taken" / self.reader / tag).unlink(missing_ok=True)

    def give_back(self, tag: str) -> None:
        _move_if_there(self.folder / "taken" / self.reader / tag, self.folder / "waiting" / tag)

    def refuse(self, taken: Taken, why: str) -> None:
        """The content is no message: keep it for whoever wants to know where it came from."""
        self._set_aside(self.folder / "taken" / self.reader / taken.tag, why)

    def size(self, queue: str) -> int:
        return sum(1 for _ in (self.folder / "waiting" / _folder_name(queue)).glob("*"))

    def purge(self, queue: str) -> int:
        messages = list((self.folder / "waiting" / _folder_name(queue)).glob("*"))
        for message in messages:
            message.unlink(missing_ok=True)
        return len(messages)

    def delete(self, queue: str) -> None:
        self._listed.pop(queue, None)
        shutil.rmtree(self.folder / "waiting" / _folder_name(queue), ignore_errors=True)

    def bind(self, exchange: str, binding: Binding) -> None:
        content = json.dumps(binding).encode()
        self._write(self.folder / "bindings" / _folder_name(exchange) / _hash(content), content)

    def unbind(self, exchange: str, queue: str) -> None:
        for path, binding in self._bindings(exchange):
            if binding.queue == queue:
                path.unlink(missing_ok=True)

    def bindings(self, exchange: str) -> list[Binding]:
        return [binding for _, binding in self._bindings(exchange)]

    @property
    def reader(self) -> str:
        if not self._reader:
            self._become_reader()
        return self._reader

    def close(self) -> None:
        """What this reader has not finished waits again."""
        if self._lock is not None:
            _readers_of_this_process.discard(self._reader)
            self._lock.close()
            self._reclaim(self._reader)
            self._lock, self._reader = None, ""

    def tidy(self) -> None:
        """Take over from readers that died, and remove what they left."""
        for home in (self.folder / "taken").iterdir():
            if home.name in _readers_of_this_process:
                continue
            try:
                with (home / "lock").open("rb+") as lock:
                    fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    self._reclaim(home.name)
            except OSError:  # it lives, or somebody else buries it
                continue
        _remove(path for path in (self.folder / "new").iterdir() if _age_seconds(path) > LEFT_BEHIND_SECONDS)
        _remove(sorted((self.folder / "aside").iterdir(), key=_age_seconds)[MOST_SET_ASIDE:])

    def _become_reader(self) -> None:
        # Locked before it has its place: nobody finds a reader that lives and is not locked. A lock of the process, not
        # of the open file: the children of a worker that was killed must not keep it.
        name = uuid4().hex
        home = self.folder / "new" / name
        home.mkdir(parents=True)
        self._lock = (home / "lock").open("wb")
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        _readers_of_this_process.add(name)
        home.rename(self.folder / "taken" / name)
        self._reader = name

    def _reclaim(self, reader: str) -> None:
        home = self.folder / "taken" / reader
        for message in home.glob("*/*"):
            _move_if_there(message, self.folder / "waiting" / message.parent.name / message.name)
        for exchange in (self.folder / "bindings").iterdir():
            self._unbind_reader(unquote(exchange.name), reader)
        shutil.rmtree(home, ignore_errors=True)

    def _unbind_reader(self, exchange: str, reader: str) -> None:
        for path, binding in self._bindings(exchange):
            if binding.reader == reader:
                path.unlink(missing_ok=True)
                if all(other.queue != binding.queue for other in self.bindings(exchange)):
                    self.delete(binding.queue)

    def _bindings(self, exchange: str) -> list[tuple[Path, Binding]]:
        found = []
        for path in (self.folder / "bindings" / _folder_name(exchange)).glob("*"):
            try:
                routing_key, pattern, queue, reader = map(str, json.loads(path.read_bytes()))
            except FileNotFoundError:  # unbound at this moment
                continue
            except (OSError, ValueError, TypeError) as problem:
                self._set_aside(path, str(problem))
            else:
                found.append((path, Binding(routing_key, pattern, queue, reader)))
        return found

    def _next_name(self, queue: str) -> str | None:
        # A list serves many calls: another for each message would make a long backlog slower and slower.
        names = self._listed.get(queue)
        if not names:
            names = self._listed[queue] = deque(sorted(self._list(queue)))
        return names.popleft() if names else None

    def _list(self, queue: str) -> list[str]:
        names = []
        with suppress(FileNotFoundError), os.scandir(self.folder / "waiting" / _folder_name(queue)) as entries:
            for entry in entries:
                if MESSAGE_NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    names.append(entry.name)
                else:
                    self._set_aside(Path(entry.path), "neither its name nor its kind is a message's")
        return names

    def _write(self, path: Path, content: bytes) -> None:
        draft = self.folder / "new" / uuid4().hex
        try:
            draft.write_bytes(content)
            _move(draft, path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def _set_aside(self, path: Path, why: str) -> None:
        with suppress(FileNotFoundError):
            path.rename(self.folder / "aside" / uuid4().hex)
            logger.warning("%a in the queue is no message and was put aside: %s", str(path), why)


def _folder_name(name: str) -> str:
    quoted = quote(name, safe="@")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted or "%"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _move(source: Path, target: Path) -> None:
    try:
        source.replace(target)
    except FileNotFoundError:  # the folder of a queue is made by its first message
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)


def _move_if_there(source: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        _move(source, target)


def _age_seconds(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def _remove(paths: object) -> None:
    for path in paths:  # type: ignore[attr-defined]
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
