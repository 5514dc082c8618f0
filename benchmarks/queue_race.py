"""`python -m benchmarks.queue_race`: many messages through the queue of files, by real processes that race.

Every message must arrive, and only once; then nothing may be left in the folder.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from kombu import Connection, Queue

from campaign.queue import file_transport

QUEUE = Queue("race", durable=True)
LAST = "last"


def connect(folder: Path) -> Connection:
    file_transport.register()
    return Connection("files://localhost", transport_options={"folder": str(folder)})


def write(folder: Path, first: int, count: int) -> None:
    with connect(folder) as connection:
        producer = connection.Producer()
        for number in range(first, first + count):
            producer.publish({"number": number}, routing_key=QUEUE.name)


def read(folder: Path, out: Path) -> None:
    """Until a message says that it is the last; it stays for the other readers."""
    over = False

    def take(body: dict[str, int | str], message: Any) -> None:
        nonlocal over
        over = body["number"] == LAST
        if over:
            message.requeue()
        else:
            numbers.write(f"{body['number']}\n")
            message.ack()

    with out.open("w") as numbers, connect(folder) as connection, connection.Consumer(QUEUE, callbacks=[take]) as one:
        one.qos(prefetch_count=1)
        while not over:
            connection.drain_events(timeout=60)


def race(folder: Path, messages: int, writers: int, readers: int) -> dict[str, float | int]:
    started = time.monotonic()
    queue, share = folder / "queue", messages // writers
    writing = [_start("write", queue, number * share, share) for number in range(writers)]
    reading = [_start("read", queue, folder / f"{number}.txt") for number in range(readers)]
    failed = sum(process.wait() != 0 for process in writing)
    with connect(queue) as connection:
        connection.Producer().publish({"number": LAST}, routing_key=QUEUE.name)
    failed += sum(process.wait() != 0 for process in reading)
    seen = Counter(line for number in range(readers) for line in (folder / f"{number}.txt").read_text().split())
    left = [path for path in queue.rglob("*") if path.is_file() and path.name != "lock"]
    return {
        "messages": share * writers,
        "lost": share * writers - len(seen),
        "doubled": sum(count > 1 for count in seen.values()),
        "failed processes": failed,
        "files left": len(left) - 1,  # the message that ended the readers
        "seconds": round(time.monotonic() - started, 1),
    }


def _start(*arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "benchmarks.queue_race", *map(str, arguments)])


def main() -> None:
    if sys.argv[1:2] == ["write"]:
        return write(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    if sys.argv[1:2] == ["read"]:
        return read(Path(sys.argv[2]), Path(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("messages", 100_000), ("writers", 2), ("readers", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(race(Path(folder), **vars(options))))
    return None


if __name__ == "__main__":
    main()
