"""Every command of every operator page is read out of the page: the shell, the site and the files must know what it names.

`tests/machines` types first-site.md and more-machines.md on machines that boot; what is tried here holds for all pages.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError, get_commands, load_command_class
from django.core.management.base import BaseCommand

from tests.machines.documents import sections
from tests.places import REPOSITORY

GUIDE = REPOSITORY / "docs" / "guide"
PAGES = ["operator.md", *sorted(f"operator/{path.name}" for path in (GUIDE / "operator").iterdir())]
COMMAND = re.compile(r"(?:^|[\s;|&`])(?:python |\S*/python )?(?:\S*/)?(?:manage\.py|runpool-manage)[ \n]+([^`|>#;]*)")
PLACEHOLDERS = re.compile(r"[A-Z][A-Z_]+|…|\.\.\.|\[.*")
SAMPLES = re.compile(r"location |(scrape_configs|rule_files):|  (- job_name|  \\w+):")
KNOWN_WORDS = {
    "apt-get", "adduser", "install", "python3", "ln", "su", "cat", "cd", "systemctl", "openssl", "sed", "nginx", "curl",
    "rm", "grep", "sh", "echo", "printf", "nft", "cp", "chmod", "docker", "jq", "for", "done", "gunicorn", "nice", "celery",
    "python", "manage.py", "runpool-manage", "/srv/runpool/versions/$version/bin/pip", ".venv/bin/pip",
}  # fmt: skip


def written(page: str) -> str:
    return (GUIDE / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[str]:
    """Indented lines that are typed. Samples of other programs' settings are not."""
    found = []
    for section in sections(page):
        lines = [line for line in section.commands.splitlines() if not SAMPLES.match(line)]
        found += ["\n".join(lines)] if lines else []
    return found


def site_commands(page: str) -> list[list[str]]:
    """The words after manage.py of everything that the page tells to type, in blocks and within sentences."""
    typed = [match for block in blocks(page) for match in COMMAND.findall(block)]
    named = [word for code in re.findall(r"`([^`\n]+)`", written(page)) for word in COMMAND.findall(f" {code}")]
    return [
        words for one in (*typed, *named) if (words := shlex.split(one.splitlines()[0])) and words[0] in get_commands()
    ]


def command_of(name: str) -> BaseCommand:
    app = get_commands()[name]
    return app if isinstance(app, BaseCommand) else load_command_class(app, name)


def test_there_are_pages_and_commands() -> None:
    assert len(PAGES) > 9
    assert sum(len(site_commands(page)) for page in PAGES) >= 40


@pytest.mark.parametrize("page", PAGES)
def test_the_shell_can_read_the_commands(page: str) -> None:
    for block in blocks(page):
        read = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True, check=False)
        assert read.returncode == 0, (block, read.stderr)


@pytest.mark.parametrize("page", PAGES)
def test_the_site_has_the_commands_with_these_options(page: str) -> None:
    for name, *words in site_commands(page):
        parser = command_of(name).create_parser("manage.py", name)
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        known = set(parser._option_string_actions)
        assert set(options) <= known, (page, name, words)
        if any(PLACEHOLDERS.fullmatch(word) for word in words) or name in words:
            continue
        try:
            parser.parse_args(words)
        except (CommandError, SystemExit) as problem:
            if f"`manage.py {' '.join([name, *words])}`" not in written(page):  # a sentence may name a command alone
                raise AssertionError((page, name, words)) from problem


@pytest.mark.parametrize("page", PAGES)
def test_units_and_files_that_commands_name_are_there(page: str) -> None:
    for block in blocks(page):
        for unit in re.findall(r"runpool[a-z-]*(?:@\w*)?\.(?:service|target|timer)\b", block):
            assert (REPOSITORY / "deploy/systemd" / re.sub(r"@\w*", "@", unit)).is_file(), unit
        for file in re.findall(r"(?<!share/runpool/)\bdeploy/[\w/.@-]+[\w*]", block):
            assert list(REPOSITORY.glob(file)), file
        for file in re.findall(r"\brequirements/[\w.-]+", block):
            assert Path(REPOSITORY / file).is_file(), file


def test_commands_that_stop_the_site_wait_for_its_services() -> None:
    """`systemctl stop` waits for the units that it names, and not for those that are PartOf= them."""
    lines = [line for page in PAGES for block in blocks(page) for line in block.splitlines() if "stop runpool" in line]
    assert len(lines) > 1
    assert set(lines) == {"systemctl stop runpool.target 'runpool-*.service'"}


def test_the_commands_for_services_put_units_and_workers_where_systemd_and_the_units_look(tmp_path: Path) -> None:
    (tmp_path / "etc/systemd/system").mkdir(parents=True)
    [block] = [block for block in blocks("operator/services.md") if "daemon-reload" in block]
    lines = [line.replace(" /etc/", f" {tmp_path}/etc/") for line in block.splitlines() if line.startswith("install ")]
    subprocess.run(["sh", "-e"], input="\n".join(lines), text=True, cwd=REPOSITORY, check=True)
    ours = REPOSITORY / "deploy/systemd"
    there = [path for path in (tmp_path / "etc").rglob("*") if path.is_file()]
    assert {path.name for path in there} == {path.name for path in ours.rglob("*") if path.is_file()}
    [of_workers] = {path.parent for path in there if not path.name.startswith("runpool")}
    named = str(of_workers).replace(str(tmp_path), "")
    assert f"EnvironmentFile={named}/%i" in (ours / "runpool-worker@.service").read_text(encoding="utf-8")
    enabled = re.findall(r"runpool[a-z-]*(?:@\w+)?\.(?:service|target|timer)", block)
    for unit in enabled:
        assert (tmp_path / "etc/systemd/system" / re.sub(r"@\w+", "@", unit)).is_file(), unit
        if worker := re.search(r"@(\w+)", unit):
            assert (of_workers / worker[1]).is_file(), unit


def typed_words(block: str) -> set[str]:
    """The first word of each line that begins a command; lines of a here-document are no commands."""
    words, end = set(), ""
    for line in block.splitlines():
        if end:
            end = "" if line == end else end
            continue
        if here := re.search(r"<<(\w+)$", line):
            end = here.group(1)
        if (first := line.split()[:1]) and not re.match(r"\s|\w+=", line):
            words.add(first[0])
    return words


@pytest.mark.parametrize("page", PAGES)
def test_every_program_of_a_page_is_one_that_some_test_looks_at(page: str) -> None:
    """A new one needs a test that runs it, or says why not."""
    assert {word for block in blocks(page) for word in typed_words(block)} - KNOWN_WORDS == set()
