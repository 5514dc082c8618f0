"""Links to paper and code at a run: given at any time, shown to everybody only where everybody reads its name."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.base import ContentFile
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Run, Task, User
from campaign.runs.api.schemas import RunLinks
from campaign.runs.services.submission import run_link, run_submit, run_withdraw
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.models import Leaderboard, WorkingBoard
from evaluation.selectors.snapshots import published_file
from tests.conftest import MadeOnce
from tests.evaluation.test_audiences import TAGS, client_of, make_scored, publish, text_of
from tests.factories import Cast

pytestmark = pytest.mark.django_db
HOSTS = re.compile(r"(papers|git)\.example\.org")
PAPER, CODE = "https://papers.example.org/p?id=1&v=2", "https://git.example.org/north/system"


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_scored) as scored:
        yield scored


@pytest.fixture
def scored(made: Cast, db: None) -> Cast:
    """The deadline has passed."""
    Task.objects.filter(pk=made.task.pk).update(closes_at=timezone.now())
    return replace(made, task=Task.objects.get(pk=made.task.pk))


def run_of(cast: Cast) -> Run:
    return Run.objects.select_related("task__campaign", "team").get(task=cast.task, tag=TAGS[0])


def linked(cast: Cast) -> Run:
    return run_link(actor=cast.member, run=run_of(cast), paper_url=PAPER, code_url=CODE)


def page(user: User | None, address: str) -> str:
    response = client_of(user).get(address)
    return text_of(response) if response.status_code == 200 else ""


def stored(cast: Cast) -> list[object]:
    """All that links must not change: the run but for its links, boards and their files, and how current they are."""
    run: dict[str, object] = {**Run.objects.filter(pk=run_of(cast).pk).values().get()}
    boards = Leaderboard.objects.order_by("pk")
    files = [(board.sha256, published_file(board, "csv"), published_file(board, "json")) for board in boards]
    rows = [*Leaderboard.objects.order_by("pk").values(), *WorkingBoard.objects.order_by("pk").values()]
    return [{name: run[name] for name in run if name not in ("paper_url", "code_url")}, files, rows]


def test_a_team_links_paper_and_code_after_deadline_and_publication_and_nothing_else_changes(scored: Cast) -> None:
    board = publish(scored, PUBLIC)
    before = stored(scored)
    address = scored.task.url("run_links", tag=TAGS[0])
    sent = client_of(scored.member).post(address, {"paper_url": f" {PAPER} ", "code_url": CODE})
    assert sent.status_code == 302
    assert stored(scored) == before
    assert AuditEvent.objects.filter(verb="edit").latest("pk").data["changes"]["code_url"] == ["", CODE]
    shown = (
        '<a href="https://papers.example.org/p?id=1&amp;v=2" rel="nofollow noopener noreferrer">papers.example.org</a>'
    )
    for reader in (None, scored.stranger, scored.assessor):
        assert shown in page(reader, scored.task.url("leaderboard_run", number=board.number, tag=TAGS[0]))
    assert shown in page(scored.member, run_of(scored).get_absolute_url())
    for words in (f"Paper of {TAGS[0]} on papers.example.org", f"Code of {TAGS[0]} on "):
        assert f'aria-label="{words}' in page(None, board.get_absolute_url())
    assert client_of(scored.member).post(address, {"paper_url": "", "code_url": ""}).status_code == 302
    assert shown not in page(None, scored.task.url("leaderboard_run", number=board.number, tag=TAGS[0]))
    assert "run-link" not in page(None, board.get_absolute_url())


@pytest.mark.parametrize("audience", ["", PARTICIPANTS, ANONYMOUS])
def test_links_name_no_team_before_everybody_reads_its_name(scored: Cast, audience: str) -> None:
    linked(scored)
    board = publish(scored, audience) if audience else None
    other = Run.objects.exclude(team=scored.team)[0].submitted_by
    pages = [scored.task.get_absolute_url(), scored.campaign.get_absolute_url(), scored.task.url("run_list")]
    if board is not None:
        pages.append(board.get_absolute_url())
        named = [run["tag"] for run in json.loads(published_file(board, "json"))["runs"]]
        tags = named if audience == ANONYMOUS else TAGS
        pages += [scored.task.url("leaderboard_run", number=board.number, tag=tag) for tag in tags]
        pages += [f"{board.get_absolute_url()}board.{kind}" for kind in ("csv", "json")]
    for reader in (None, scored.stranger, scored.assessor, other):
        for address in pages:
            assert not HOSTS.search(page(reader, address)), (reader, address)
    assert client_of(other).get(run_of(scored).get_absolute_url()).status_code == 404


@pytest.mark.parametrize(
    "link",
    [
        *(
            "javascript:alert(1)",
            "http://example.org/",
            "//example.org",
            "https://",
            "https:///x",
            "HTTPS://example.org/",
        ),
        *(
            "https://github.com@evil.example/",
            "https://user:word@example.org/",
            "https://example.org:8443/",
            "https://10.0.0.1/",
        ),
        *(
            "https://xn--80ak6aa92e.com/",
            "https://а.example/",
            "https://example.org/\u202egpj.exe",
            "https://localhost/",
        ),
        *(
            "https://example.org/a b",
            "https://example.org\\@evil.example/",
            'https://example.org/"onclick="x',
            "x" * 301,
        ),
        *("https://example.org/<script>", f"https://example.org/{'x' * 300}", "data:text/html,x", "https://[::1]/"),
    ],
)
def test_an_address_that_is_not_what_it_looks_like_is_refused_and_the_rest_of_the_form_stays(
    scored: Cast, link: str
) -> None:
    with pytest.raises(ValidationError):
        run_link(actor=scored.member, run=run_of(scored), paper_url=link, code_url=CODE)
    assert run_of(scored).links == []
    Run.objects.filter(tag=TAGS[0]).update(paper_url=link[:300])  # by whatever way: no page makes a link of it
    assert run_of(scored).links == [] or link[:300] != link


def test_the_form_says_what_is_wrong_and_keeps_what_was_typed(scored: Cast) -> None:
    address = scored.task.url("run_links", tag=TAGS[0])
    refused = client_of(scored.member).post(address, {"paper_url": "http://example.org/p", "code_url": CODE})
    assert refused.status_code == 422
    text = refused.content.decode()
    assert "A link begins with https://." in text
    assert f'value="{CODE}"' in text


def test_only_the_team_and_organisers_link_a_run_that_counts(scored: Cast) -> None:
    other = Run.objects.exclude(team=scored.team)[0].submitted_by
    for stranger in (other, scored.assessor, scored.stranger):
        with pytest.raises(PermissionDenied):
            run_link(actor=stranger, run=run_of(scored), paper_url=PAPER, code_url="")
    assert run_link(actor=scored.organiser, run=run_of(scored), paper_url="", code_url=CODE).code_url == CODE
    run_withdraw(actor=scored.organiser, run=run_of(scored))
    with pytest.raises(ValidationError, match="withdrawn"):
        linked(scored)
    assert run_link(actor=scored.organiser, run=run_of(scored), paper_url=PAPER).code_url == CODE, (
        "what is left out stays"
    )
    assert RunLinks.model_validate({"paper_url": PAPER}).model_dump() == {"paper_url": PAPER, "code_url": None}, (
        "by program too"
    )
    assert run_link(actor=scored.member, run=run_of(scored), code_url="").links[0].url == PAPER


@pytest.mark.parametrize("state", [Run.WITHDRAWN, Run.REJECTED])
def test_no_board_shows_links_of_a_run_that_does_not_count_and_its_team_takes_them_away(
    scored: Cast, state: str
) -> None:
    linked(scored)
    board = publish(scored, PUBLIC)
    shown, address = (
        scored.task.url("leaderboard_run", number=board.number, tag=TAGS[0]),
        scored.task.url("run_links", tag=TAGS[0]),
    )
    assert HOSTS.search(page(None, shown))
    Run.objects.filter(pk=run_of(scored).pk).update(state=state)
    assert TAGS[0] in page(None, shown)
    assert not HOSTS.search(page(None, shown))
    assert address in page(scored.member, run_of(scored).get_absolute_url())
    assert client_of(scored.member).post(address, {"paper_url": "", "code_url": ""}).status_code == 302
    assert run_of(scored).links == []
    assert address not in page(scored.member, run_of(scored).get_absolute_url())


def test_links_are_changed_in_a_closed_campaign_and_not_in_an_archived_one(scored: Cast) -> None:
    address, links = scored.task.url("run_links", tag=TAGS[0]), {"paper_url": PAPER, "code_url": CODE}
    now = timezone.now()
    Campaign.objects.filter(pk=scored.campaign.pk).update(closed_at=now)
    assert client_of(scored.member).post(address, links).status_code == 302
    assert len(run_of(scored).links) == 2
    other = Run.objects.exclude(team=scored.team)[0].submitted_by
    assert client_of(other).post(address, {"paper_url": "", "code_url": ""}).status_code == 404
    Campaign.objects.filter(pk=scored.campaign.pk).update(archived_at=now)
    assert client_of(scored.member).post(address, {"paper_url": "", "code_url": ""}).status_code == 403
    assert len(run_of(scored).links) == 2


def test_a_run_that_replaces_another_takes_over_its_links(scored: Cast) -> None:
    linked(scored)
    Task.objects.filter(pk=scored.task.pk).update(closes_at=timezone.now() + timedelta(days=1))
    task, file = Task.objects.get(pk=scored.task.pk), ContentFile(b"1 Q0 a 1 2.0 " + TAGS[0].encode())
    anew = run_submit(
        actor=scored.member, task=task, team=scored.team, file=file, file_name="r", tag=TAGS[0], replace=True
    )
    assert [link.url for link in Run.objects.get(pk=anew.pk).links] == [PAPER, CODE]
