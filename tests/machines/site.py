"""A site as its users meet it: its host name, its pages, a campaign."""

import json
import time
from collections.abc import Callable
from typing import Any

from tests.flows.http_clients import Api, Visitor
from tests.machines.machine import Machine

HOST = "runs.example.org"
BLUEPRINT = """
slug = "{slug}"
title = "Small matters"
open = true

[[tasks]]
slug = "kitchen"
title = "Kitchen"
docno_policy = "any"
measures = ["AP"]
"""
RUN = b"1 Q0 d1 1 2.0 north\n1 Q0 d2 2 1.0 north\n"


def until(seconds: float, condition: Callable[[], object], pause: float = 1) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(pause)


def ready(url: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(Visitor(url).get("/readyz"))
    except OSError as error:
        return {"status": str(error)}
    return answer


def until_well(seconds: float, url: str) -> None:
    deadline = time.monotonic() + seconds
    while (told := ready(url))["status"] != "ok":
        assert time.monotonic() < deadline, told
        time.sleep(1)


def open_campaign(machine: Machine, slug: str) -> None:
    """By commands of the organiser olga, with one topic and its qrels in a file."""
    data = "/srv/runpool/data"
    machine.file(f"{data}/campaign.toml").write_text(BLUEPRINT.format(slug=slug))
    machine.file(f"{data}/topics.tsv").write_text("1\tboiling an egg\n")
    machine.file(f"{data}/qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
    machine.run(f"chown runpool {data}/*.toml {data}/*.tsv {data}/*.txt")
    machine.run(f"runpool-manage create_campaign {data}/campaign.toml --as olga")
    machine.run(f"runpool-manage import_topics {slug}/kitchen {data}/topics.tsv --as olga")
    machine.run(f"runpool-manage open_task {slug}/kitchen --as olga")


def runs_of(slug: str) -> str:
    return f"/campaigns/{slug}/tasks/kitchen/runs"


def participant(url: str, name: str, team: str, slug: str) -> Api:
    """Somebody new, with a team that takes part."""
    visitor = Visitor(url)
    visitor.sign_up(name)
    api = Api(url, visitor.make_token())
    assert api.ask("POST", "/teams", {"name": team.title()})[0] == 201
    assert api.ask("POST", f"/campaigns/{slug}/registrations", {"team": team, "agreements": []})[0] == 201
    return api


def organiser(url: str) -> Visitor:
    olga = Visitor(url)
    olga.log_in("olga")
    return olga


def score(url: str, slug: str) -> None:
    """The button of the page."""
    organiser(url).press(f"/c/{slug}/kitchen/scores/", f"/c/{slug}/kitchen/scores/score/")


def board(url: str, slug: str) -> str:
    return organiser(url).get(f"/c/{slug}/kitchen/scores/board.csv")
