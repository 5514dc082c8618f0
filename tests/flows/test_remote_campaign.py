"""The script of the guide for campaigns from another machine, run as it stands there against a site of two machines.

They share PostgreSQL, Redis and a bucket; neither knows the other's folder.
"""

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.http_clients import Api, Visitor
from tests.flows.machines import FIRST_USER, PAGES, Machine, Machines, as_user, may_be_other_users, site_of_machines
from tests.machines.site import until
from tests.places import REPOSITORY
from tests.requirements import USERS, lacking
from tests.sites import Site

LONGEST_SECONDS = 800
DOCUMENTS = {f"D-{number}": f"About garden tool {number}." for number in range(1, 7)}
RANKING = {"1": ["D-1", "D-2", "D-3", "D-4"], "2": ["D-5", "D-6", "D-1"]}
GRADES = {"1": {"D-1": 2, "D-2": 0, "D-3": 1, "D-4": 2}, "2": {"D-5": 0, "D-6": 1, "D-1": 0}}
PASSING = {"copies", "incoming", "logs", "mail", "static", "tmp"}
"""What a data folder may hold: copies, what is arriving, logs, mails where no mail server is named, files of the
pages, and in tmp what this machine counts of its own requests."""
BLUEPRINT = """
slug = "small"
title = "Small matters"
open = true

[[tasks]]
slug = "kitchen"
title = "Kitchen"
docno_policy = "any"
"""
DOWNLOAD = ("run", "download", "garden/tools", "bm25", "-o", "got.txt")
RUN = b"1 Q0 d1 1 2.0 nova-1\n1 Q0 d2 2 1.0 nova-1\n"

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with site_of_machines(tmp_path_factory.mktemp("site")) as machines:
        yield machines


@pytest.fixture(scope="module")
def site(machines: Machines) -> Machine:
    return machines.all[0]


@pytest.fixture(scope="module")
def tokens(site: Site) -> dict[str, str]:
    """What people do on pages: sign up, and make a token. The rest is done by the client."""
    made = {"RUNPOOL_SITE": site.url}
    for name, variable, scope in (
        ("olga", "ORGANISER_TOKEN", "organise"),
        ("nora", "PARTICIPANT_TOKEN", "submit"),
        ("assa", "ASSESSOR_TOKEN", "submit"),
    ):
        visitor = Visitor(site.url)
        visitor.sign_up(name)
        made[variable] = visitor.make_token(scope)
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "topics.tsv").write_text("1\tsharpening a spade\n2\tmending a hose\n")
    documents = [json.dumps({"docno": docno, "title": docno, "text": text}) for docno, text in DOCUMENTS.items()]
    (folder / "documents.jsonl").write_text("\n".join(documents) + "\n")
    run = [
        f"{topic} Q0 {docno} {rank} {10 - rank} bm25"
        for topic, docnos in RANKING.items()
        for rank, docno in enumerate(docnos, start=1)
    ]
    (folder / "run.txt").write_text("\n".join(run) + "\n")
    grades = [{"topic": t, "docno": d, "grade": g} for t, of in GRADES.items() for d, g in of.items()]
    (folder / "grades.jsonl").write_text("\n".join(map(json.dumps, grades)) + "\n")
    (folder / "bad.jsonl").write_text('{"docno": "D-9", "text": "x"}\n{"title": "without a number"}\n')
    return folder


@pytest.fixture(scope="module")
def output(machines: Machines, tokens: dict[str, str], data: Path) -> str:
    script = [str(REPOSITORY / "docs" / "guide" / "remote-campaign.sh"), str(data), "assa"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(data), "PYTHON": sys.executable, **tokens}
    run = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS, cwd=data)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr + machines.logs()
    return run.stdout


def client(site: Site, tokens: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The downloaded file, by a Python that sees no other package than its own."""
    program = folder / "runpool.py"
    if not program.exists():
        program.write_text(Visitor(site.url).get("/api/client.py"))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "RUNPOOL_SITE": site.url,
        "RUNPOOL_TOKEN": tokens["ORGANISER_TOKEN"],
    }
    command = [sys.executable, "-S", str(program), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=folder)


def assert_the_script_led_to_a_published_board(output: str) -> None:
    board = json.loads(output[output.index('{\n "') :])
    assert board["measures"] == ["nDCG@10", "AP"]
    [run] = board["runs"]
    assert (run["tag"], run["team"], board["topics"]) == ("bm25", "Nova", ["1", "2"])
    # By hand: topic 1 has relevant documents at ranks 1 and 3, (1 + 2/3) / 2; topic 2 at rank 2.
    assert run["values"]["AP"] == pytest.approx([5 / 6, 1 / 2])
    assert re.search(r"^saved: 3$", output, re.MULTILINE)


def assert_nothing_that_the_page_asks_about_is_done_without_yes(site: Site, tokens: dict[str, str], data: Path) -> None:
    refused = client(site, tokens, data, "task", "phase", "garden/tools", "phase=runs")
    assert refused.returncode == 3
    assert "Nothing is deleted" in refused.stderr
    state = client(site, tokens, data, "task", "settings", "garden/tools", "--json")
    assert json.loads(state.stdout)["phase"] == "published"


def assert_problems_of_a_file_have_line_and_remedy_and_nothing_is_imported(
    site: Site, tokens: dict[str, str], data: Path
) -> None:
    sent = client(site, tokens, data, "documents", "upload", "garden/tools", "bad.jsonl", "--yes")
    assert sent.returncode == 1, sent.stderr
    assert re.search(r"^ +\S+ +error +2 +", sent.stdout, re.MULTILINE)
    there = client(site, tokens, data, "documents", "list", "garden/tools", "--json")
    assert len(json.loads(there.stdout)) == len(DOCUMENTS)


def assert_refusals_name_the_field_and_wrong_calls_have_their_statuses(
    site: Site, tokens: dict[str, str], data: Path
) -> None:
    wrong = client(site, tokens, data, "task", "change", "garden/tools", "measures[]=Beauty@10")
    assert wrong.returncode == 1
    assert "measures:" in wrong.stderr
    assert client(site, tokens, data, "task", "show", "garden").returncode == 2
    elsewhere = client(site, {**tokens, "ORGANISER_TOKEN": "rp_wrong"}, data, "me")
    assert (elsewhere.returncode, elsewhere.stdout) == (1, "")
    away = client(site, tokens, data, "me", "--site", "http://192.0.2.1")
    assert away.returncode == 2
    assert "https" in away.stderr


def assert_only_what_passes_lies_on_a_machine_and_a_new_one_serves_all(
    machines: Machines, tokens: dict[str, str], data: Path, output: str
) -> None:
    for machine in machines.all:
        kept = {path.name for path in machine.folder.iterdir() if not path.name.startswith("beat-schedule")}
        assert kept <= PASSING
        assert list((machine.folder / "incoming").iterdir()) == []
        for other in machines.all:
            assert machine.can_read(other.folder) == (machine.user == other.user)
    new = machines.start(PAGES)
    participant = Api(new.url, tokens["PARTICIPANT_TOKEN"])
    board = json.loads(output[output.index('{\n "') :])
    assert participant.ask("GET", "/campaigns/garden/tasks/tools/leaderboards/1")[1]["runs"] == board["runs"]
    assert client(new, {**tokens, "ORGANISER_TOKEN": participant.token}, data, *DOWNLOAD).returncode == 0
    assert (data / "got.txt").read_bytes() == (data / "run.txt").read_bytes()


def assert_a_bucket_that_is_away_is_told_and_waited_for(
    machines: Machines, site: Machine, tokens: dict[str, str], data: Path
) -> None:
    (data / "small.toml").write_text(BLUEPRINT)
    site.manage("create_campaign", site.bring(data / "small.toml"), "--as", "olga")
    site.manage("import_topics", "small/kitchen", site.bring(data / "topics.tsv"), "--as", "olga")
    site.manage("open_task", "small/kitchen", "--as", "olga")
    nora, runs = Api(site.url, tokens["PARTICIPANT_TOKEN"]), "/campaigns/small/tasks/kitchen/runs"
    assert nora.ask("POST", "/campaigns/small/registrations", {"team": "nova", "agreements": []})[0] == 201
    with site.door.closed():
        status, problem = nora.submit(runs, RUN, team="nova", tag="nova-1")
    assert (status, nora.ask("GET", runs)[1]["items"]) == (503, [])
    assert "nothing was stored" in problem["detail"]
    with machines.all[1].door.closed():
        assert nora.submit(runs, RUN, team="nova", tag="nova-1")[0] == 201
        assert machines.waits_for_the_bucket("check run"), machines.logs()
        machines.await_tries("check run", 2)  # the sweep sends it, in vain, and none of that is an attempt of its own
        assert machines.waits_for_the_bucket("check run"), machines.logs()
        assert nora.ask("GET", f"{runs}/nova-1")[1]["state"] == "received"
    assert nora.wait(f"{runs}/nova-1", 60)["state"] == "valid", machines.logs()


def assert_what_one_machine_makes_is_sent_and_read_by_another(
    machines: Machines, site: Machine, tokens: dict[str, str], data: Path
) -> None:
    """An archive, the check of one that is sent, a copy of personal data: workers make them, pages send them."""
    made = client(site, tokens, data, "archive", "make", "garden", "documents=texts", "--wait", "--json")
    assert made.returncode == 0, made.stderr + machines.logs()
    number = str(json.loads(made.stdout)["id"])
    got = client(site, tokens, data, "archive", "download", "garden", number, "-o", "garden.zip")
    assert got.returncode == 0, got.stderr
    sent = client(site, tokens, data, "restoration", "send", "garden.zip", "--wait", "--json")
    [problem] = json.loads(sent.stdout)["problems"]  # it was read whole before this is known
    assert problem["code"] == "here_already"
    nora = Visitor(site.url)
    nora.log_in("nora")
    nora.press("/account/data/", "/account/data/")
    until(60, lambda: "/download/" in nora.get("/account/data/"))
    [link] = re.findall(r'href="(/account/data/[0-9]+/download/)"', nora.get("/account/data/"))
    with nora.opener.open(site.url + link, timeout=120) as answer:
        assert zipfile.ZipFile(io.BytesIO(answer.read())).testzip() is None


def assert_a_backup_of_one_machine_is_checked_and_tried_by_another(machines: Machines) -> None:
    """In a bucket that both know. In a folder of its own each keeps one that the other cannot read."""
    pages, jobs = machines.all[:2]
    target = machines.bucket.url("backups")
    jobs.manage("backup", target)
    assert "every part is whole" in pages.manage("backup", target, "--check")
    assert "nothing is missing or damaged" in pages.manage("restore", target, "--drill")
    folder = str(jobs.folder / "backups")
    jobs.manage("backup", folder)
    refused = pages.commands.run("manage.py", "restore", folder, "--dry-run")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr


def test_a_machine_is_a_user_who_cannot_read_the_folders_of_another() -> None:
    """Said apart: where all machines are one user, the campaign below shows less, and passes."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o711)
        if not may_be_other_users(Path(home)):
            lacking(USERS)
        folder = Path(tempfile.mkdtemp(dir=home))
        os.chown(folder, FIRST_USER, FIRST_USER)
        users = (FIRST_USER, FIRST_USER + 1)
        read = [subprocess.run(as_user(user, "ls", str(folder)), capture_output=True).returncode == 0 for user in users]
    assert read == [True, False]


def test_a_campaign_is_run_by_the_script_from_elsewhere_and_its_site_holds(
    machines: Machines, site: Machine, tokens: dict[str, str], data: Path, output: str
) -> None:
    """One test, since every process that runs a part of it would make the site and play the campaign."""
    assert_the_script_led_to_a_published_board(output)
    assert_nothing_that_the_page_asks_about_is_done_without_yes(site, tokens, data)
    assert_problems_of_a_file_have_line_and_remedy_and_nothing_is_imported(site, tokens, data)
    assert_refusals_name_the_field_and_wrong_calls_have_their_statuses(site, tokens, data)
    assert_only_what_passes_lies_on_a_machine_and_a_new_one_serves_all(machines, tokens, data, output)
    assert_what_one_machine_makes_is_sent_and_read_by_another(machines, site, tokens, data)
    assert_a_backup_of_one_machine_is_checked_and_tried_by_another(machines)
    assert_a_bucket_that_is_away_is_told_and_waited_for(machines, site, tokens, data)
