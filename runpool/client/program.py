"""The command line: options, what is sent, what is waited for, and what is printed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
import uuid
from collections.abc import Callable
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from campaign.formats.problems import ProblemLog, printable_lines
from campaign.formats.source import Limits, text_lines
from campaign.text.terminal import escape_unencodable
from runpool.client.commands import RENAMED, Command, CommandError, commands, fields, with_single_keys
from runpool.client.printing import print_answer
from runpool.client.site import PIECE, Form, Site, StopError, say, shown

DESCRIPTION = """Work on a campaign from another machine: each operation of the site's API is a command."""
EPILOG = """SITE and the token come from the options, from the variables RUNPOOL_SITE and RUNPOOL_TOKEN, or from a JSON file with
"site" and "token": that of the variable RUNPOOL_CONFIG, else ~/.config/runpool.json. TASK is campaign/task.

What an operation takes is written as in the reference of the API: key=text, key:=JSON, key=@FILE for the text of a file,
key[]=text for one more entry of a list, key.name=text within an object.

Exit status: 0 done, 1 refused or with problems, 2 wrong usage, 3 needs --yes, 4 the site does not answer."""
UNFINISHED = {"checking", "applying", "restoring", "queued", "working", "received"}
FAILED = {"bad", "failed", "rejected"}
NOT_MADE_YET = 202
ACTS, PAGE, SHORTEST_PAUSE, LONGEST_PAUSE = 100, 200, 0.5, 5.0


def main(arguments: list[str]) -> int:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: what is asked for is done all the same
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - to the end of the program
    escape_unencodable()
    try:
        words = [os.fsencode(word).decode() for word in arguments]  # in UTF-8, whatever the locale
    except UnicodeDecodeError:
        say("An argument is no text in UTF-8.")
        return 2
    return _act_on(words)


def _act_on(arguments: list[str]) -> int:
    parser = _parser()
    if new := RENAMED.get(" ".join([word for word in arguments if not word.startswith("-")][:2])):
        parser.error(f"this command has another name now: {new}")
    options, more = parser.parse_known_args(arguments)
    if not hasattr(options, "command"):
        parser.print_help()
        return 2
    if unknown := [word for word in more if "=" not in word or word.startswith("-")]:
        parser.error(f"unrecognized: {' '.join(unknown)}")
    options.pairs += more  # those that stand behind an option
    try:
        return _run(options.command, options)
    except CommandError as problem:
        say(str(problem))
        return 2
    except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
        say(
            f"{problem.filename} cannot be used: {problem.strerror}. Check the path, and that you may read or write there."
        )
        return 2
    except StopError as stop:
        say(str(stop))
        return stop.status
    except BrokenPipeError:  # nobody reads on, as behind head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as problem:
        say(f"Stopped: {problem.strerror or problem}.")
        return 1
    except KeyboardInterrupt:
        say("Stopped. What the site does already goes on.")
        return 4


def _parser() -> argparse.ArgumentParser:
    kept = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=_program(), description=DESCRIPTION, epilog=EPILOG, formatter_class=kept)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--site", default="", help="such as https://runpool.example.org")
    common.add_argument("--token", default="", help="others on this machine may see it: better in RUNPOOL_TOKEN")
    common.add_argument("--json", action="store_true", help="print the answer as it came")
    common.add_argument(
        "--yes", action="store_true", help="confirm what follows; of an upload: import it if it has no errors"
    )
    common.add_argument("--wait", action="store_true", help="until the work that this asks for is done")
    common.add_argument("--timeout", type=float, default=3600, metavar="SECONDS", help="wait so long at most")
    common.add_argument("-o", "--output", default="", metavar="FILE", help="of a download; else standard output")
    groups = parser.add_subparsers(metavar="COMMAND")
    made: dict[str, Any] = {}
    for command in commands():
        if not command.action:
            _add(groups.add_parser(command.group, parents=[common], help=command.help), command)
            continue
        if command.group not in made:
            group = groups.add_parser(command.group, help=_actions(command.group))
            made[command.group] = group.add_subparsers(metavar="ACTION", required=True)
        _add(made[command.group].add_parser(command.action, parents=[common], help=command.help), command)
    return parser


def _program() -> str:
    name = Path(sys.argv[0]).name
    return {"__main__.py": "python -m runpool.client", "runpool": "runpool client"}.get(name, name)


def _actions(group: str) -> str:
    return ", ".join(command.action for command in commands() if command.group == group)


def _add(parser: argparse.ArgumentParser, command: Command) -> None:
    http = {"LIST": "GET", "SAVE": "GET", "SEND": "POST", "JUDGE": "POST"}.get(command.method, command.method)
    parser.description = (
        f"{command.help}. This is {http} /api/v1{command.address}; the page /api/v1/ of the site has its fields."
    )
    for place in command.places:
        parser.add_argument("places", action="append", metavar=place)
    if command.takes_file:
        parser.add_argument("file", metavar="FILE")
    parser.add_argument("pairs", nargs="*", metavar="KEY=VALUE")
    parser.set_defaults(command=command)


def _run(command: Command, options: argparse.Namespace) -> int:
    site = _site(options)
    path, sent = command.path(getattr(options, "places", None) or []), fields([*options.pairs, *command.sent])
    if command.method == "LIST":
        return _show(_listed(site, path, sent), options)
    if command.method == "SAVE":
        return _save(site, _with_query(path, sent), options.output)
    if command.method == "JUDGE":
        return _judge(site, path, options)
    if command.method == "GET":
        path = _with_query(path, sent)
        return _show(_waited(_get(site, path), partial(_get, site, path), options), options)
    if command.method == "SEND":
        return _upload(site, path, Form(options.file, sent), options)
    if options.yes and "--yes" in command.help:
        sent["confirm"] = True
    if path.endswith("/mails"):
        sent.setdefault("batch", str(uuid.uuid4()))
    return _change(site, command.method, path, sent, options)


def _change(site: Site, method: str, path: str, sent: dict[str, Any], options: argparse.Namespace) -> int:
    body = None if method == "DELETE" else sent

    def once_more() -> Any:  # a preview is asked for again, other work has an address
        return site.ask(method, path, body)[0] if not address else _get(site, address)

    answer, location = site.ask(method, path, body)
    address = _path_of(location)
    return _show(_waited(answer, once_more, options), options)


def _upload(site: Site, path: str, form: Form, options: argparse.Namespace) -> int:
    """Send a file; with --yes what was checked without errors is imported as well."""
    answer, location = site.ask("POST", path, form)
    ask = partial(_get, site, _path_of(location))
    confirms = options.yes and "/imports/" in path
    options.wait = options.wait or confirms
    answer = _waited(answer, ask, options)
    if confirms and answer["state"] == "ready":
        answer = _waited(site.ask("POST", f"{_path_of(location)}/confirm")[0], ask, options)
    return _show(answer, options)


def _judge(site: Site, path: str, options: argparse.Namespace) -> int:
    """Judgments from a file, some at a time. The same line of a file is the same judgment: sent twice it is stored once."""
    acts = []
    for number, line in _lines(options.file):
        if line.strip():
            acts.append({"uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{path} {number} {line}")), **_act(line, number)})
    refused, saved = [], 0
    for start in range(0, len(acts), ACTS):
        answer, _ = site.ask("POST", path, {"judgments": acts[start : start + ACTS]})
        docnos = {act["uuid"]: act.get("docno") for act in acts[start : start + ACTS]}
        saved += sum(result["state"] == "saved" for result in answer["results"])
        refused += [(docnos[result["uuid"]], result["message"]) for result in answer["results"] if result["message"]]
    for docno, message in refused:
        say(f"{shown(docno)}: {shown(message)}")
    print_answer({"saved": saved, "refused": len(refused)}, as_json=options.json)
    return 1 if refused else 0


def _lines(path: str) -> list[tuple[int, str]]:
    """The numbered lines of a file, plain or gzip, as the site reads them: all of them, or CommandError with what is wrong."""
    problems = ProblemLog()
    with open(path, "rb") as file:
        lines = list(text_lines(file, Limits(), problems))
    if not problems.ok:
        raise CommandError(f"{path}: {next(one for one in problems.shown if one.severity == 'error')}")
    return lines


def _act(line: str, number: int) -> dict[str, Any]:
    try:
        act = json.loads(line, object_pairs_hook=with_single_keys)
    except CommandError as problem:
        raise CommandError(f"Line {number}: {problem}") from None
    except ValueError:
        act = None
    if not isinstance(act, dict):
        raise CommandError(f'Line {number} is no JSON object such as {{"docno": "D-17", "grade": 2}}.')
    return act


def _waited(answer: Any, ask: Callable[[], Any], options: argparse.Namespace) -> Any:
    """The answer when the work is done, if that is to be waited for."""
    until, pause, told = time.monotonic() + options.timeout, SHORTEST_PAUSE, ""
    while options.wait and _goes_on(answer):
        if time.monotonic() > until:
            raise StopError(4, f"This was not done within {options.timeout:g} s. The site goes on; ask again later.")
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 1.3)
        answer = ask()
        job = answer.get("job") or answer
        state = f"{job.get('state', '')} {job.get('done', '')} of {job.get('total', '')} {job.get('message', '')}"
        if state != told and job.get("total"):
            told = state
            say(shown(state))
    return answer


def _goes_on(answer: Any) -> bool:
    if not isinstance(answer, dict):
        return False
    if "is_current" in answer:
        return not (answer["is_current"] or answer["problem"])
    if "is_ready" in answer:
        return not answer["is_ready"]
    queue = answer.get("queue")
    is_stuck = answer.get("is_stuck") or (queue or {}).get("state") == "stuck"
    return answer.get("state") in UNFINISHED and not is_stuck


def _listed(site: Site, path: str, sent: dict[str, Any]) -> list[Any]:
    """All pages of a list."""
    items: list[Any] = []
    place: dict[str, Any] = {}
    while True:
        answer, _ = site.ask("GET", _with_query(path, {"limit": PAGE, **sent, **place}))
        items += answer["items"]
        if not answer["next"] or not answer["items"] or "limit" in sent:
            return items
        place = dict(parse_qsl(urlsplit(answer["next"]).query))


def _save(site: Site, path: str, output: str) -> int:
    response = site.open("GET", path)
    if response.status == NOT_MADE_YET:
        raise StopError(4, shown(json.loads(response.read())["message"]))
    if not output and sys.stdout.isatty():
        sys.stdout.writelines(
            map(printable_lines, TextIOWrapper(response, encoding="utf-8", errors="replace", newline="\n"))
        )
        return 0
    if not output:
        shutil.copyfileobj(response, sys.stdout.buffer, PIECE)
        return 0
    part = f"{output}.part"  # what breaks off never looks like the whole
    with open(part, "wb") as file:
        shutil.copyfileobj(response, file, PIECE)
    os.replace(part, output)
    return 0


def _show(answer: Any, options: argparse.Namespace) -> int:
    print_answer(answer, as_json=options.json)
    state = answer.get("state") if isinstance(answer, dict) else None
    return 1 if state in FAILED and (options.wait or options.command.method == "SEND") else 0


def _get(site: Site, path: str) -> Any:
    return site.ask("GET", path)[0]


def _path_of(address: str) -> str:
    """What of an address of the site follows the stem of the API."""
    return urlsplit(address).path.partition("/api/v1")[2]


def _with_query(path: str, values: dict[str, Any]) -> str:
    return f"{path}?{urlencode(values, doseq=True)}" if values else path


def _site(options: argparse.Namespace) -> Site:
    kept: dict[str, str] = {}
    path = Path(os.environ.get("RUNPOOL_CONFIG") or Path.home() / ".config" / "runpool.json")
    if path.is_file():
        try:
            kept = json.loads(path.read_text(encoding="utf-8-sig"))
        except ValueError:
            raise CommandError(f"{path} is no JSON.") from None
        if not isinstance(kept, dict):
            raise CommandError(f'{path} is no JSON object with "site" and "token".')
    found = {
        name: getattr(options, name) or os.environ.get(f"RUNPOOL_{name.upper()}") or kept.get(name)
        for name in ("site", "token")
    }
    if missing := [name for name, value in found.items() if not value]:
        raise CommandError(f"Give {' and '.join(missing)}: by option, in RUNPOOL_SITE and RUNPOOL_TOKEN, or in {path}.")
    return Site(str(found["site"]), str(found["token"]))
