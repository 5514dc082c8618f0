"""Whether the tests notice faults: `python -m benchmarks.mutants CHECKOUT --count 200 --seed 1`
with RUNPOOL_DATABASE_URL of PostgreSQL.

Faults are drawn over the lines of the product and put into copies of CHECKOUT, one at a time; the tests of the fault's room run
until the first fails. The committed state of CHECKOUT counts. See benchmarks/README.md.
"""

import argparse
import os
import signal
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from benchmarks.mutant_copies import Copy, be_deaf, clone, copies
from benchmarks.mutant_rows import KILLED, Row, lost, read_rows, row_of, short, table, write_rows
from benchmarks.mutations import Mutation, common, draw, mutations
from benchmarks.rooms import APPS, Rooms, product_files


def _end_when_told(*_: object) -> None:
    raise SystemExit("Ended: `--out` holds what was found so far; the same command goes on from there.")


class Trial:
    def __init__(self, made: list[Copy], asked: argparse.Namespace, rows: dict[tuple[str, ...], Row]) -> None:
        self._copies, self._asked, self.rows = made, asked, rows
        self._rooms = Rooms(made[0].root)
        self._free: SimpleQueue[Copy] = SimpleQueue()
        for copy in made:
            self._free.put(copy)

    def prepare(self) -> None:
        with ThreadPoolExecutor(len(self._copies)) as pool:
            self._wait(pool, [pool.submit(copy.make_database) for copy in self._copies])

    def run(self, drawn: list[Mutation]) -> None:
        """Then again what was killed by tests that fail anyhow, without those."""
        mine = {row_of(mutation, "", 0, 0).key: (mutation, self._tests_of(mutation)) for mutation in drawn}
        left = [key for key, (_, tests) in mine.items() if self._is_open(key, tests)]
        if tests := next((mine[key][1] for key in left if mine[key][1]), []):
            self._copies[0].require_start(tests)
        broken: set[str] = set()
        examined: set[str] = set()
        while True:
            self._run([mine[key] for key in left], broken)
            killed = {key: self.rows[key].failed for key in mine if self.rows[key].outcome == KILLED}
            new = self._copies[0].broken(set(killed.values()) - examined)
            if not new:
                return
            print(f"Fail without any fault, so they are left out: {', '.join(sorted(new))}", flush=True)
            examined |= set(killed.values())
            broken |= new
            left = [key for key, failed in killed.items() if failed in new]

    def _is_open(self, key: tuple[str, ...], tests: list[str]) -> bool:
        """More tests may kill what fewer did not."""
        row = self.rows.get(key)
        return row is None or (row.outcome != KILLED and row.test_files < len(tests))

    def _tests_of(self, mutation: Mutation) -> list[str]:
        return self._rooms.tests_of(mutation.file, mutation.unit.name.rpartition(".")[2], self._asked.wide)

    def _run(self, left: list[tuple[Mutation, list[str]]], broken: set[str]) -> None:
        with ThreadPoolExecutor(len(self._copies)) as pool:
            self._wait(pool, [pool.submit(self._try, mutation, tests, broken) for mutation, tests in left])

    def _wait(self, pool: ThreadPoolExecutor, futures: list[Future[Any]]) -> None:
        try:
            for done, future in enumerate(as_completed(futures), 1):
                if row := future.result():
                    self.rows[row.key] = row
                    write_rows(self._asked.out, self.rows.values())
                    what = f"{row.outcome:8} {row.seconds:6.1f} s  {row.file}:{row.line} {row.operator}"
                    print(f"{done:4}/{len(futures)} {what}", flush=True)
        except BaseException:
            be_deaf()
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in self._copies:
                copy.stop()
            raise

    def _try(self, mutation: Mutation, tests: list[str], broken: set[str]) -> Row:
        copy = self._free.get()
        try:
            return copy.tried(mutation, tests, broken, self._asked.seconds)
        finally:
            self._free.put(copy)


def drawn_from(root: Path, other: Path | None, apps: list[str], seed: int, count: int) -> list[Mutation]:
    sources, others = _sources(root), _sources(other) if other else None
    found = (one for name, source in sources.items() if name.split("/")[0] in apps for one in mutations(name, source))
    return draw(found if others is None else common(found, others), sources, seed, count)


def _sources(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in product_files(root)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="copies at work at the same time")
    parser.add_argument("--seconds", type=float, default=120, help="for the tests of one mutant")
    parser.add_argument("--out", type=Path, default=Path("mutants.csv"), help="rows in it are not tried again")
    parser.add_argument("--app", action="append", choices=APPS, help="only this one; may be given several times")
    parser.add_argument("--common", type=Path, metavar="CHECKOUT", help="only in functions that are the same there")
    parser.add_argument("--before", type=Path, metavar="CSV", help="name what was killed there and is not here")
    parser.add_argument("--wide", action="store_true", help="after a room's tests the app's; what these killed is kept")
    parser.add_argument("--draw", action="store_true", help="print what would be tried, and try nothing")
    asked = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup does
            signal.signal(number, _end_when_told)
    drawn = _drawn(asked)
    if asked.draw:
        for one in drawn:
            print(f"{one.file}:{one.line} {one.operator}: {short(one.before)!r} to {short(one.after)!r}")
        return
    rows = read_rows(asked.out)
    server = os.environ.get("RUNPOOL_DATABASE_URL", "")
    if not server.startswith("postgres"):
        raise SystemExit(
            "Name a PostgreSQL server by RUNPOOL_DATABASE_URL; databases are made beside the one that it names."
        )
    with copies(asked.checkout, server, asked.workers) as made:
        trial = Trial(made, asked, rows)
        trial.prepare()
        trial.run(drawn)
    mine = [rows[row_of(one, "", 0, 0).key] for one in drawn]
    print("", *table(mine), sep="\n")
    if asked.before:
        print("", "Noticed before and not now:", *(list(lost(read_rows(asked.before), mine)) or ["nothing"]), sep="\n")


def _drawn(asked: argparse.Namespace) -> list[Mutation]:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root, other = Path(folder) / "main", Path(folder) / "other"
        clone(asked.checkout, root)
        if asked.common:
            clone(asked.common, other)
        return drawn_from(root, other if asked.common else None, asked.app or list(APPS), asked.seed, asked.count)


if __name__ == "__main__":
    main()
