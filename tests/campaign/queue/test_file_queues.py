"""Messages as files: by the module itself, by kombu, and by real processes that race or die."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from kombu import Connection, Exchange, Queue

from benchmarks.queue_race import race
from campaign.queue import file_queues, file_transport
from campaign.queue.file_queues import FileQueues

TAKER = """
import sys
from pathlib import Path
from campaign.queue.file_queues import FileQueues
queues = FileQueues(Path(sys.argv[1]))
print(queues.take("work"), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def queues(tmp_path: Path) -> Iterator[FileQueues]:
    with closing(FileQueues(tmp_path)) as made:
        yield made


def connection(folder: Path) -> Connection:
    file_transport.register()
    return Connection("files://localhost", transport_options={"folder": str(folder)})


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "lock"]


def test_two_writers_and_two_readers_lose_nothing_and_get_nothing_twice(tmp_path: Path) -> None:
    result = race(tmp_path, messages=3000, writers=2, readers=2)
    assert {**result, "seconds": 0} == {
        "messages": 3000, "lost": 0, "doubled": 0, "failed processes": 0, "files left": 0, "seconds": 0
    }  # fmt: skip


def test_messages_come_in_the_order_in_which_they_were_put(queues: FileQueues) -> None:
    for number in range(3):
        queues.put("work", b"%d" % number)
    taken = [queues.take("work") for _ in range(4)]
    assert [one and one.content for one in taken] == [b"0", b"1", b"2", None]


def test_a_message_given_back_is_taken_again_and_a_forgotten_one_is_gone(queues: FileQueues, tmp_path: Path) -> None:
    queues.put("work", b"text")
    first = queues.take("work")
    assert first is not None
    queues.give_back(first.tag)
    assert queues.take("work") == first
    queues.forget(first.tag)
    queues.close()
    assert files(tmp_path) == []


def test_what_a_killed_reader_had_taken_waits_again(queues: FileQueues, tmp_path: Path) -> None:
    queues.put("work", b"text")
    with subprocess.Popen([sys.executable, "-c", TAKER, str(tmp_path)], stdin=-1, stdout=-1) as reader:
        assert reader.stdout is not None
        assert b"text" in reader.stdout.readline()
        queues.tidy()
        assert queues.take("work") is None  # it lives: its message is its own
        os.kill(reader.pid, signal.SIGKILL)
        reader.wait()
    queues.tidy()
    again = queues.take("work")
    assert again is not None
    assert again.content == b"text"


def test_what_is_no_message_is_put_aside_with_a_line_in_the_log(
    queues: FileQueues, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    queues.put("work", b"text")
    folder = tmp_path / "waiting" / "work"
    (folder / "00 a\nfolder").mkdir()
    (folder / "notes.txt").write_text("not a message")
    (folder / f"{0:020d}-{0:032x}").symlink_to("/dev/zero")
    taken = queues.take("work")
    assert taken is not None
    assert taken.content == b"text"
    assert len(list((tmp_path / "aside").iterdir())) == 3
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 3
    assert all("\n" not in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"", b"{", b"[]", b"null", b'{"properties": {}}', b"\xff\xfe", b'{"properties": [], "body": 1}',
        b'{"body": "abc", "properties": {"body_encoding": "base64"}, "headers": {}, "content-type": "application/json"}',
        b'{"body": "gA==", "properties": {"body_encoding": "base64"}, "headers": {}, "content-type": "application/x-pickle"}',
    ],
)  # fmt: skip
def test_a_message_that_cannot_be_read_does_not_keep_back_the_next_one(tmp_path: Path, rubbish: bytes) -> None:
    FileQueues(tmp_path).put("work", rubbish)
    with connection(tmp_path) as one:
        one.Producer().publish({"number": 1}, routing_key="work")
        message = one.default_channel.basic_get("work")
    assert message.payload == {"number": 1}
    assert len(list((tmp_path / "aside").iterdir())) == 1


def test_messages_not_acknowledged_wait_again_when_the_connection_closes(tmp_path: Path) -> None:
    with connection(tmp_path) as one:
        one.Producer().publish({"number": 1}, routing_key="work")
        assert one.default_channel.basic_get("work").payload == {"number": 1}
    with connection(tmp_path) as other:
        assert other.default_channel.basic_get("work", no_ack=True).payload == {"number": 1}
    assert files(tmp_path) == []


def test_news_for_all_reach_every_listener_that_lives_and_leave_nothing(tmp_path: Path) -> None:
    exchange = Exchange("news", type="fanout", durable=False)
    heard: list[str] = []
    with connection(tmp_path) as sender, connection(tmp_path) as first, connection(tmp_path) as second:
        consumers = [
            listener.Consumer(
                Queue(name, exchange, durable=False, auto_delete=True),
                callbacks=[lambda body, message, name=name: heard.append(f"{name} {body}")],
                no_ack=True,
            )
            for name, listener in (("one", first), ("two", second))
        ]
        with consumers[0], consumers[1]:
            sender.Producer(exchange=exchange).publish("hello")
            first.drain_events(timeout=5)
            second.drain_events(timeout=5)
    assert sorted(heard) == ["one hello", "two hello"]
    assert files(tmp_path) == []


def test_the_folder_does_not_grow_by_what_is_left_behind(
    queues: FileQueues, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_queues, "MOST_SET_ASIDE", 2)
    (tmp_path / "new" / "half").write_bytes(b"half a mess")
    (tmp_path / "new" / "fresh").write_bytes(b"half a mess")
    long_ago = time.time() - 2 * file_queues.LEFT_BEHIND_SECONDS
    os.utime(tmp_path / "new" / "half", (long_ago, long_ago))
    for number in range(5):
        (tmp_path / "aside" / str(number)).write_bytes(b"")
    queues.tidy()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["fresh"]
    assert len(list((tmp_path / "aside").iterdir())) == 2


def test_no_name_of_a_queue_leads_out_of_the_folder(queues: FileQueues, tmp_path: Path) -> None:
    for name in ("../../escaped", "..", ".", "", "a/b", "celery@host.celery.pidbox"):
        queues.put(name, b"text")
        taken = queues.take(name)
        assert taken is not None
        queues.give_back(taken.tag)
        assert queues.size(name) == 1
    assert not list(tmp_path.parent.glob("escaped*"))
    assert len(list((tmp_path / "waiting").iterdir())) == 6
