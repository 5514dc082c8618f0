"""docs/guide/operator/more-machines.md on two bare Debian machines and a bucket: every command as it stands there.

Each test goes on where the one before it ended, as an operator does.
"""

import shutil
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.buckets import KEYS, BucketServer, bucket_server
from tests.machines.conftest import bring, version_of
from tests.machines.documents import sections
from tests.machines.machine import Machine, Rack
from tests.machines.site import RUN, board, open_campaign, participant, runs_of, score, until, until_well

pytestmark = pytest.mark.machines
PAGE = "operator/more-machines.md"
FOR_CHECKS, FOR_ALL = ("checks", "heavy", "score"), ("checks", "heavy", "quick", "score")
SLUG = "shared"


@pytest.fixture(scope="module")
def bucket(place_of_machines: Rack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BucketServer]:
    """Machines reach it at the address of the host."""
    with bucket_server(tmp_path_factory.mktemp("bucket") / "log") as server:
        server.door = server.another_door(place_of_machines.net.of_the_host)
        yield server


@pytest.fixture(scope="module")
def second(place_of_machines: Rack) -> Machine:
    return place_of_machines.boot("two")


@pytest.fixture(scope="module")
def values(first: Machine, second: Machine, bucket: BucketServer, wheel: Path) -> str:
    beginning = sections(PAGE)[0]
    return beginning.with_values(
        first=first.address, second=second.address, bucket=bucket.url("site"), version=version_of(wheel),
        key=KEYS["AWS_ACCESS_KEY_ID"], secret=KEYS["AWS_SECRET_ACCESS_KEY"],
    )  # fmt: skip


Follow = Callable[..., None]


@pytest.fixture(scope="module")
def follow(first: Machine, second: Machine, values: str) -> Follow:
    """Type the commands of these sections, each on the machine that its heading names."""
    by_number = {section.title.partition(".")[0]: section for section in sections(PAGE)[1:]}

    def type_them(*numbers: int) -> None:
        for number in numbers:
            section = by_number[str(number)]
            machine = second if "On the second machine" in section.title else first
            started = time.monotonic()
            machine.run(f"{values}\n{section.commands}", timeout=1200)
            print(f"{time.monotonic() - started:6.1f} s  {section.title}")

    return type_them


def workers(machine: Machine) -> list[str]:
    answered = machine.ask("runpool-manage workers").stdout
    return sorted(line.partition(":")[0] for line in answered.splitlines() if "@" in line)


def both_work(machine: Machine) -> bool:
    return workers(machine) == sorted([f"{name}@one" for name in FOR_ALL] + [f"{name}@two" for name in FOR_CHECKS])


def answers(address: str, port: int) -> bool:
    """To somebody on the network who is neither of the machines."""
    try:
        socket.create_connection((address, port), 2).close()
    except OSError:
        return False
    return True


def test_the_first_machine_moves_its_files_and_lets_the_second_in_alone(
    first: Machine, second: Machine, url: str, bucket: BucketServer, follow: Follow
) -> None:
    until_well(120, url)
    open_campaign(first, SLUG)
    before = participant(url, "bea", "early", SLUG)
    status, run = before.submit(runs_of(SLUG), RUN, team="early", tag="early")
    assert status == 201, run
    assert before.wait(f"{runs_of(SLUG)}/early")["state"] == "valid"
    follow(1, 2, 3)
    until_well(120, url)
    assert len(bucket.names("site")) >= 1
    assert answers(first.address, 443)
    assert not any(answers(first.address, port) for port in (5432, 6379, 6380))


def test_the_second_machine_is_set_up_and_its_workers_answer(
    first: Machine, second: Machine, wheel: Path, follow: Follow
) -> None:
    bring(wheel, second)
    shutil.move(first.file("/etc/runpool/second"), second.file("/root"))
    follow(4, 5)
    until(120, lambda: both_work(first))
    follow(6)
    assert second.run("systemctl --failed --no-legend").strip() == ""


def test_the_second_machine_speaks_to_the_database_encrypted_or_not_at_all(second: Machine) -> None:
    code = (
        "import psycopg; [url] = [line.partition('=')[2].strip() for line in open('/etc/runpool/settings') "
        "if line.startswith('RUNPOOL_DATABASE_URL')]; psycopg.connect(url.replace('verify-full', 'disable'))"
    )
    refused = second.ask(f'/srv/runpool/program/.venv/bin/python -c "{code}"')
    assert "no encryption" in refused.stderr
    ask = (
        "from django.db import connection; cursor = connection.cursor(); "
        "cursor.execute('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'); print(cursor.fetchone())"
    )
    assert "(True,)" in second.run(f'runpool-manage shell --no-imports --command "{ask}"')


def test_runs_are_checked_and_scored_by_the_second_machine(first: Machine, url: str, follow: Follow) -> None:
    follow(7)
    until(60, lambda: workers(first) == sorted([f"{name}@two" for name in FOR_CHECKS] + ["quick@one"]))
    clara = participant(url, "clara", "south", SLUG)
    status, run = clara.submit(runs_of(SLUG), RUN, team="south", tag="south")
    assert status == 201, run
    assert clara.wait(f"{runs_of(SLUG)}/south")["state"] == "valid"
    first.run(f"runpool-manage import_qrels {SLUG}/kitchen /srv/runpool/data/qrels.txt --as olga")
    score(url, SLUG)
    until(60, lambda: "south" in board(url, SLUG))
    assert "early" in board(url, SLUG)


def test_jobs_wait_while_the_second_machine_is_off_and_are_done_after_it_is_back(
    first: Machine, second: Machine, url: str
) -> None:
    second.cut_power()
    open_campaign(first, "night")
    dora = participant(url, "dora", "late", "night")
    status, run = dora.submit(runs_of("night"), RUN, team="late", tag="late")
    assert status == 201, run
    assert workers(first) == ["quick@one"]
    assert dora.ask("GET", f"{runs_of('night')}/late")[1]["state"] == "received"
    second.boot()
    until(360, lambda: dora.ask("GET", f"{runs_of('night')}/late")[1]["state"] == "valid", pause=2)
    first.run("runpool-manage import_qrels night/kitchen /srv/runpool/data/qrels.txt --as olga")
    score(url, "night")
    until(120, lambda: "late" in board(url, "night"))
    until_well(60, url)
    assert "0 findings" in first.run("runpool-manage verify")


def test_after_a_cut_of_power_the_first_machine_guards_its_doors_and_the_workers_find_it_again(
    first: Machine, url: str
) -> None:
    first.cut_power()
    first.boot()
    until_well(120, url)
    assert answers(first.address, 443)
    assert not any(answers(first.address, port) for port in (5432, 6379, 6380))
    until(120, lambda: set(workers(first)) == {f"{name}@two" for name in FOR_CHECKS} | {"quick@one"})


def test_an_upgrade_ends_on_the_second_machine(first: Machine, follow: Follow) -> None:
    follow(9)
    until(120, lambda: set(workers(first)) == {f"{name}@two" for name in FOR_CHECKS} | {"quick@one"})


def test_the_second_machine_is_taken_away_and_the_first_does_all(first: Machine, url: str, follow: Follow) -> None:
    follow(10, 11, 12)
    until_well(120, url)
    until(60, lambda: workers(first) == [f"{name}@one" for name in FOR_ALL])
    assert not any(answers(first.address, port) for port in (5432, 6379, 6380))
    open_campaign(first, "alone")
    emil = participant(url, "emil", "last", "alone")
    status, run = emil.submit(runs_of("alone"), RUN, team="last", tag="last")
    assert status == 201, run
    assert emil.wait(f"{runs_of('alone')}/last")["state"] == "valid"
    assert "0 findings" in first.run("runpool-manage verify")


def test_nothing_was_denied_to_a_worker_of_the_second_machine(second: Machine) -> None:
    journal = second.run("journalctl --unit 'runpool-*' --no-pager --output=cat")
    for complaint in ("Permission denied", "Operation not permitted", "Read-only file system"):
        assert complaint not in journal
