"""Variables of the environment: wrong values and names are told all at once, by every process, and all are documented."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from runpool import env
from tests.places import REPOSITORY

GUIDE = REPOSITORY / "docs" / "guide" / "operator.md"
WEB_SERVER = ("-m", "gunicorn", "--no-control-socket", "--bind", "127.0.0.1:0", "runpool.wsgi")
WORKER = ("-m", "celery", "-A", "runpool", "worker", "--pool", "solo")
BEAT = ("-m", "celery", "-A", "runpool", "beat", "--pidfile", "")
PROCESSES = [("manage.py", "migrate"), WEB_SERVER, WORKER, BEAT]
OURS = re.compile(r"RUNPOOL_[A-Z][A-Z_]*[A-Z]")


def process(folder: Path, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A process of a site that is started with these variables and must refuse to go on."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(env.PREFIX)}
    environment |= {"RUNPOOL_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "runpool.settings", **variables}
    done = subprocess.run(
        [sys.executable, *command], cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("command", PROCESSES, ids=lambda command: " ".join(command[:5]))
def test_a_process_with_wrong_settings_tells_all_of_them_and_does_not_start(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = process(
        tmp_path,
        *command,
        RUNPOOL_STORAGE_URL="s3://...",
        RUNPOOL_SECURE="maybe",
        RUNPOOL_CACHE_URL="http://u:hunter2@h",
        RUNPOOL_SITEURL="https://runs.example.org",
        PROXIES="1",
    )
    told = done.stderr[done.stderr.index("error: ") :].splitlines()
    assert told[0] == "error: These problems keep the site from starting:"
    assert told[1] == "- RUNPOOL_SECURE is 'maybe'. Give yes or no; on, true and 1, or off, false and 0, mean the same."
    assert told[2].startswith("- RUNPOOL_STORAGE_URL is 's3://...'. It names no bucket")
    assert told[3].startswith("- RUNPOOL_CACHE_URL is 'http://…'. Give an address such as redis://")
    assert told[4].startswith("- PROXIES is now RUNPOOL_TRUSTED_PROXY_COUNT.")
    assert told[5] == "- There is no variable RUNPOOL_SITEURL. The nearest name is RUNPOOL_SITE_URL."
    assert "hunter2" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", PROCESSES[1:], ids=lambda command: " ".join(command[:5]))
def test_what_the_command_check_refuses_keeps_web_servers_workers_and_beat_from_starting(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = process(tmp_path, *command, RUNPOOL_STORAGE_URL="s3://bucket")
    assert "error: RUNPOOL_STORAGE_URL names a bucket, but there are no keys for it." in done.stderr
    assert "(runpool.E010)" in done.stderr


def test_a_storage_address_with_a_relative_path_is_refused(tmp_path: Path) -> None:
    done = process(tmp_path, "manage.py", "check", RUNPOOL_STORAGE_URL="file://rel/x")
    assert done.stderr.startswith("error: RUNPOOL_STORAGE_URL is 'file://rel/x'. It names no absolute path")


@pytest.mark.parametrize(
    ("below", "problem"),
    [
        ("", "is RUNPOOL_DATA_DIR itself"),
        ("/..", "holds RUNPOOL_DATA_DIR, "),
        ("/static", "is a folder that RUNPOOL_DATA_DIR has for something else"),
        ("/queue/files", "is a folder that RUNPOOL_DATA_DIR has for something else"),
    ],
)
def test_stored_files_do_not_lie_where_cleaning_would_meet_other_files_of_the_site(
    tmp_path: Path, below: str, problem: str
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "data")
    url = f"file://{tmp_path}/link{below}" if below != "/.." else f"file://{tmp_path}"
    done = process(tmp_path / "data", "manage.py", "check", RUNPOOL_STORAGE_URL=url)
    assert done.stderr.startswith("error: RUNPOOL_STORAGE_URL: ")
    assert f" {problem}" in done.stderr
    assert f"such as file://{tmp_path}/data/files." in done.stderr


def test_an_empty_value_is_refused_unless_nothing_is_the_default(tmp_path: Path) -> None:
    done = process(tmp_path, "manage.py", "check", RUNPOOL_DATABASE_URL="", RUNPOOL_METRICS_TOKEN="")
    assert done.stderr.startswith("error: RUNPOOL_DATABASE_URL is empty. Give postgres://")
    assert "METRICS_TOKEN" not in done.stderr


@pytest.mark.parametrize(
    "given",
    [{"RUNPOOL_SITE_NAME": '"Runs of 2026"'}, {"RUNPOOL_METRICS_TOKEN": "'x'"}, {"RUNPOOL_SECURE": '"on"'}],
    ids=str,
)
def test_quotes_around_a_value_are_refused_since_programs_that_read_files_of_settings_differ(
    tmp_path: Path, given: dict[str, str]
) -> None:
    [name] = given
    done = process(tmp_path, "manage.py", "check", **given)
    assert done.stderr.startswith(
        f"error: {name} stands in quotes, and they are a part of its value here. Take them away."
    )


def told(*names: str) -> list[str]:
    return list(env.problems_of_names(dict.fromkeys(names, "")))


@pytest.mark.parametrize(("old", "new"), env.OLD_NAMES.items())
def test_an_old_name_is_refused_with_the_new_one(old: str, new: str) -> None:
    assert new in env.NAMES
    [problem] = told(old)
    assert problem.startswith(f"{old} is now {new}.")


def test_an_old_name_beside_the_new_one_belongs_to_another_program() -> None:
    assert told("DATABASE_URL", "RUNPOOL_DATABASE_URL") == []


def test_the_old_name_that_celery_reads_itself_may_not_say_something_else() -> None:
    both = {"CELERY_BROKER_URL": "redis://old", "RUNPOOL_BROKER_URL": "redis://new"}
    [problem] = env.problems_of_names(both)
    assert problem.endswith("Take CELERY_BROKER_URL away.")
    assert list(env.problems_of_names({**both, "CELERY_BROKER_URL": "redis://new"})) == []


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("RUNPOOL_SECUR", "The nearest name is RUNPOOL_SECURE."),
        ("RUNPOOL_DATBASE_URL", "The nearest name is RUNPOOL_DATABASE_URL."),
        ("RUNPOL_DATABASE_URL", "Its name is RUNPOOL_DATABASE_URL."),
        ("runpool_secure", "Its name is RUNPOOL_SECURE."),
        ("RUNPOOL_FOUNDERS", "Its name is RUNPOOL_CAMPAIGN_CREATION."),
        ("RUNPOOL_REDIS_URL", "Take it away; docs/guide/operator.md lists all."),
        ("RUNPOOL_ZZZZZZ", "Take it away; docs/guide/operator.md lists all."),
    ],
)
def test_a_misspelt_name_is_refused_with_the_nearest_one(name: str, remedy: str) -> None:
    assert told(name) == [f"There is no variable {name}. {remedy}"]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "HOME",
            "RUNNER_TEMP",
            "RUNTIME_DIRECTORY",
            "AWS_REGION",
            "OTEL_SERVICE_NAME",
            "RUNPOOL_TOKEN",
            "TEST_REDIS_URL",
        ),
        *("RUNPOOL_SERVICE_HOST", "RUNPOOL_WEB_PORT_8000_TCP_ADDR", "RUNPOOL_PORT"),
    ],
)
def test_variables_of_other_programs_and_of_kubernetes_are_passed_over(name: str) -> None:
    assert told(name) == []


FIRST_SITE, MORE_MACHINES = "docs/guide/operator/first-site.md", "docs/guide/operator/more-machines.md"
FILLED_IN = {
    "bucket": "s3://bucket/site?endpoint=https://s3.example.org",
    "site": "runs.example.org",
    "first": "10.0.0.1",
}


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        (FIRST_SITE, r"^    (RUNPOOL_\w+)=(.*)$"),
        (MORE_MACHINES, r"^    (RUNPOOL_\w+)=(.*)$"),
        ("docs/guide/operator/object-storage.md", r"^       (RUNPOOL_\w+)=(.*)$"),
        ("deploy/container/compose.yaml", r"^    (RUNPOOL_\w+): (.*)$"),
        ("deploy/container/example.env", r"^(RUNPOOL_\w+)=(.+)$"),
    ],
)
def test_the_settings_of_the_samples_are_taken(tmp_path: Path, sample: str, line: str) -> None:
    text = (REPOSITORY / sample).read_text(encoding="utf-8")
    variables = {name: filled_in(value) for name, value in re.findall(line, text, re.MULTILINE)}
    assert len(variables) >= 2
    environment = {name: value for name, value in os.environ.items() if not name.startswith(env.PREFIX)} | variables
    environment |= {"RUNPOOL_SECRET_KEY": "kept for the tests of settings alone 0123456789"}
    code = "from runpool import env; env.require_sound()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True, timeout=60
    )
    assert done.stderr == ""


def filled_in(value: str) -> str:
    """A value of a sample with a word for each variable of the shell or of compose."""
    parts = re.compile(r"\$\([^)]*\)|\$\{(\w+)[^}]*\}|\$(\w+)")
    words = {**FILLED_IN, "SITE_HOST": FILLED_IN["site"], "RUNPOOL_MAIL_FROM": "runs@example.org"}
    words |= {"RUNPOOL_EMAIL_URL": "smtp://mail.example.org:25", "RUNPOOL_STORAGE_URL": "file:///srv/site/files"}
    words |= {"RUNPOOL_STORAGE_PUBLIC_ENDPOINT": "https://files.example.org", "RUNPOOL_STORAGE_DOWNLOADS": "streamed"}
    return parts.sub(lambda part: words.get(part[1] or part[2] or "", "word"), value.strip('"'))


def documented() -> list[str]:
    """Names in the first column of the guide's table."""
    rows = [line.split("|")[1] for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return [name for row in rows for name in OURS.findall(row)]


def test_the_guide_lists_every_variable_once() -> None:
    assert sorted(documented()) == sorted(env.NAMES)


def test_every_variable_that_a_file_of_the_project_names_is_declared() -> None:
    """Texts that set variables would keep the site from starting if one of them were misspelt."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=REPOSITORY, text=True).rstrip("\0").split("\0")
    own = {"tests/runpool/test_env.py", "docs/decisions/0084-settings-are-declared.md"}
    undeclared = {
        f"{path}: {name}"
        for path in set(listed) - own
        if path.endswith(
            (".py", ".md", ".sh", ".yaml", ".env", ".html", ".toml", ".conf", ".service", "Makefile", "run")
        )
        for name in OURS.findall((REPOSITORY / path).read_text(encoding="utf-8"))
        if name not in {*env.NAMES, *env.NOT_READ_HERE}
    }
    assert undeclared == set()


def test_no_module_but_env_reads_a_variable_of_the_site() -> None:
    reading = re.compile(r"""environ(?:\.get\(|\[)f?["'](RUNPOOL_\w+)""")
    found = {
        name
        for app in ("campaign", "pooling", "judging", "evaluation", "runpool")
        for path in (REPOSITORY / app).rglob("*.py")
        for name in reading.findall(path.read_text(encoding="utf-8"))
    }
    assert found & set(env.NAMES) == set()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
@pytest.mark.parametrize(
    ("owner", "line"),
    [(65534, "runuser -u nobody -- "), (54321, "setpriv --reuid 54321 --regid 54321 --clear-groups -- ")],
)
def test_root_is_told_the_line_to_type_where_the_data_folder_is_another_users(
    tmp_path: Path, owner: int, line: str
) -> None:
    os.chown(tmp_path, owner, owner)
    done = process(tmp_path, "manage.py", "collectstatic", "--no-input")
    assert done.stderr.startswith(f"error: The data folder {tmp_path} belongs to the user ")
    assert done.stderr.endswith(f"Type: {line}{shlex.quote(sys.executable)} manage.py collectstatic --no-input\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
@pytest.mark.parametrize(
    ("name", "address", "words"),
    [
        ("RUNPOOL_STORAGE_URL", "file://{}", "folder of stored files"),
        ("RUNPOOL_DATABASE_URL", "sqlite:///{}/site.sqlite3", "folder of the database"),
    ],
)
def test_root_is_refused_too_where_only_files_or_database_are_another_users(
    tmp_path: Path, name: str, address: str, words: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.chown(elsewhere, 65534, 65534)
    done = process(tmp_path, "manage.py", "check", **{name: address.format(elsewhere)})
    assert done.stderr.startswith(f"error: The {words} {elsewhere} belongs to the user nobody, and this is root: ")
    assert list(elsewhere.iterdir()) == []
