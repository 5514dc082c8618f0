"""The page *Assign topics*: sharing stands first with what each assessor has, all else is folded and says its state."""

import re
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.models import Membership, Role, User
from judging.assigning.services.assignments import assignments_create
from judging.assigning.services.self_assignment import assigning_rules_set, languages_set
from judging.models import Assignment
from pooling.models import Pool, PoolRun
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.judging.makers import client_of, judge, make_pool

pytestmark = pytest.mark.django_db
FOLDED = ["grid", "assign", "overlap", "repeats", "rules", "languages"]


@pytest.fixture
def second(cast: Cast) -> User:
    user = make_user()
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ASSESSOR)
    return user


@pytest.fixture
def pool(cast: Cast) -> Pool:
    docnos = [f"D{n}" for n in range(6)]
    make_collection(cast.task, docnos)
    return make_pool(cast.task, dict.fromkeys(make_topics(cast.task, ["1", "2", "3"]), docnos), cast.organiser)


def give(cast: Cast, pool: Pool, numbers: list[str], assessor: User, **chosen: Any) -> list[Assignment]:
    topics = list(pool.task.topics.filter(number__in=numbers))
    assignments_create(actor=cast.organiser, pool=pool, topics=topics, assessor=assessor, **chosen)
    return list(
        Assignment.objects.filter(assessor=assessor).select_related("pool__task__campaign", "topic", "assessor")
    )


class Shown:
    """The page in words, and its folded parts: whether each is open, and what its heading says."""

    def __init__(self, cast: Cast, sent: dict[str, Any] | None = None) -> None:
        client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
        response = client.get(url) if sent is None else client.post(url, sent)
        html = response.content.decode().partition("<main")[2]
        self.preview = response.context["preview"]
        parts = re.findall(r'<details class="fold" id="part-(\w+)"( open)?>(.*?)</summary>', html, re.DOTALL)
        self.said = {key: re.search(r'muted">(.*?)</span>', head, re.DOTALL)[1].strip() for key, _, head in parts}  # type: ignore[index]
        self.opened = [key for key, is_open, _ in parts if is_open]
        first = html.partition('id="part-distribute"')[2].partition("</section>\n      <section")[0]
        self.how_is_open = 'id="part-how" open>' in first
        self.first = " ".join(re.sub(r"<[^>]*>", " ", first).split())


def test_the_first_part_shares_what_nobody_has_and_shows_what_each_assessor_has_now(
    cast: Cast, pool: Pool, second: User
) -> None:
    Membership.objects.create(team=cast.team, user=second)
    run = make_valid_run(cast.task, cast.team, "mine", {"1": ["D1"]})
    PoolRun.objects.create(pool=pool, run=run, sha256="0" * 64, contributed=1, unique=1, priority=1)
    give(cast, pool, ["1"], cast.assessor)
    judge(
        Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(), "D1", 1, active_ms=600_000
    )
    page = Shown(cast)
    assert "2 topics without an assessor, 12 documents. Each assessor gets about the same" in page.first
    assert f"{cast.assessor} 1 topic, 6 documents, 1.0 h" in page.first
    assert f"{second} nothing yet; member of {cast.team.name}, whose runs are in the pool" in page.first
    assert list(page.said) == FOLDED
    assert page.opened == []


def test_a_topic_that_was_handed_over_is_no_longer_among_those_of_its_first_assessor(
    cast: Cast, pool: Pool, second: User
) -> None:
    [first] = give(cast, pool, ["1"], cast.assessor)
    judge(first, "D1", 1)
    give(cast, pool, ["1"], second)
    page = Shown(cast)
    assert f"{cast.assessor} 0 topics, 1 document, " in page.first
    assert f"{second} 1 topic, 5 documents, " in page.first


def test_where_every_topic_has_an_assessor_the_first_part_says_so_and_what_remains(cast: Cast, pool: Pool) -> None:
    judge(give(cast, pool, ["1", "2", "3"], cast.assessor)[0], "D1", 1, active_ms=30_000)
    page = Shown(cast)
    said = "No topic is left to share Every topic of pool 1 has an assessor. Left to judge: 17 documents, about 8 min."
    assert said in page.first
    assert page.said["grid"] == "3 of 3 topics assigned in pass 1"
    for one in Assignment.objects.select_related("pool__task__campaign", "topic", "assessor"):
        for number in range(6):
            judge(one, f"D{number}", 1)
    assert "has an assessor. Nothing is left to judge." in Shown(cast).first


def test_the_page_opens_with_who_gets_what_if_all_assessors_share_all(cast: Cast, pool: Pool, second: User) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
    shown = client.get(url).content.decode()
    assert "3 assignments for 2 assessors, 18 documents" in shown
    sent = dict(
        re.findall(
            r'name="(by|avoids_conflicts|distribute)" value="([^"]*)"',
            shown.partition('id="preview"')[2].partition("</form>")[0],
        )
    )
    client.post(url, {**sent, "assessors": [cast.assessor.pk, second.pk]})
    assert Assignment.objects.count() == 3


def test_where_nothing_is_left_to_assign_the_first_part_offers_no_plan(cast: Cast, pool: Pool) -> None:
    client, url, offer = client_of(cast, "organiser"), cast.task.url("assignment_create"), 'name="distribute"'
    assert offer in client.get(url).content.decode()
    give(cast, pool, ["1", "2", "3"], cast.assessor)
    assert offer not in client.get(url).content.decode()


def test_parts_that_nobody_has_are_shared_and_topics_removed_from_scoring_are_named(cast: Cast, pool: Pool) -> None:
    give(cast, pool, ["1"], cast.assessor, part=1, parts=3)
    give(cast, pool, ["2"], cast.assessor)
    cast.task.topics.filter(number="3").update(removed_at=timezone.now())
    page = Shown(cast)
    assert "2 parts of topics without an assessor, 4 documents." in page.first
    assert "1 topic removed from scoring has no assessor: no plan gives it" in page.first
    assert page.said["assign"].endswith("; 1 topic divided into parts")
    for part in (2, 3):
        give(cast, pool, ["1"], cast.assessor, part=part, parts=3)
    assert "No topic is left to share Every topic of pool 1 that counts has an assessor." in Shown(cast).first


def test_each_folded_part_says_its_present_state(cast: Cast, pool: Pool, second: User) -> None:
    before = Shown(cast).said
    assert before == {
        "grid": "0 of 3 topics assigned in pass 1",
        "assign": "topics, or parts of them, to one person; no topic is divided into parts",
        "overlap": "none",
        "repeats": "none",
        "rules": "no due date; assessors take none themselves",
        "languages": "none noted",
    }
    give(cast, pool, ["1", "2"], cast.assessor)
    topics = {one.number: one for one in cast.task.topics.all()}
    later = {"pool": pool, "assigned_by": cast.organiser}
    Assignment.objects.create(topic=topics["1"], assessor=second, pass_number=2, share=0.125, **later)
    Assignment.objects.create(topic=topics["2"], assessor=second, pass_number=3, **later)
    Assignment.objects.create(
        topic=topics["1"], assessor=cast.assessor, pass_number=4, share=0.05, is_repeat=True, **later
    )
    fields = {"due_on": date(2020, 5, 1), "topics_are_open": True, "topics_at_once": 4}
    assigning_rules_set(actor=cast.organiser, task=cast.task, fields=fields)
    languages_set(actor=cast.organiser, task=cast.task, languages={Role.objects.get(user=second).pk: "EN, de"})
    assert Shown(cast).said == {
        "overdue": "4 assignments, the first since 1 May 2020",
        "grid": "2 of 3 topics assigned in pass 1",
        "assign": before["assign"],
        "overlap": "12.5 % of 1 topic in pass 2; whole topics of 1 topic in pass 3",
        "repeats": "5 % of 1 topic in pass 4",
        "rules": "due on 1 May 2020; assessors take topics themselves, 4 at once",
        "languages": "de and en; noted for 1 of 2 assessors",
        "draws": "2 shares drawn of topics, with their seeds",
    }


@pytest.mark.parametrize(
    ("act", "sent", "opened"),
    [
        ("overlap", {"percent": "0", "seed": "1"}, ["overlap"]),
        ("repeats", {"percent": "101", "seed": "1"}, ["repeats"]),
        ("rules", {"topics_at_once": "0"}, ["rules"]),
        ("assign", {"part": "2 of 1"}, ["assign"]),
        ("distribute", {"by": "documents"}, []),
        ("repeats", {"percent": "50", "seed": "1"}, ["repeats"]),
    ],
)
def test_a_part_with_an_error_or_a_preview_is_open_and_no_other(
    cast: Cast, pool: Pool, act: str, sent: dict[str, str], opened: list[str]
) -> None:
    give(cast, pool, ["1"], cast.assessor)
    page = Shown(cast, {act: "preview", **sent})
    assert page.opened == opened
    assert not page.how_is_open


def test_an_error_in_how_to_share_opens_it_and_its_heading_says_what_was_chosen(cast: Cast, pool: Pool) -> None:
    who = {"distribute": "preview", "assessors": [cast.assessor.pk], "by": "hours"}
    assert Shown(cast, {**who, "most": "0"}).how_is_open
    page = Shown(cast, {**who, "most": "4", "reads": "de", "only": "1"})
    assert page.preview["plan"].rows == ()
    chosen = (
        "How to share the same number of hours; members of teams whose runs are in the pool get topics too; "
        "only readers of de; only some topics; topics of more documents than 4 divided"
    )
    assert chosen in page.first
    assert f"Assessors, with what each has now {cast.assessor} nothing yet" in page.first


def test_a_plan_of_shares_of_nothing_says_that_no_topic_has_an_assessor(cast: Cast, pool: Pool) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
    page = client.post(url, {"repeats": "preview", "percent": "5", "seed": "1"}).content.decode()
    assert "No topic of pool 1 has an assessor yet: there is nothing to draw from." in page


def test_the_page_asks_the_database_no_more_often_for_more_topics_and_assessors(cast: Cast, pool: Pool) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            client.get(url)
        return len(asked)

    client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
    give(cast, pool, ["1"], cast.assessor)
    client.get(url)
    few = queries()
    for _ in range(5):
        Role.objects.create(campaign=cast.campaign, user=make_user(), role=Role.ASSESSOR)
    give(cast, pool, ["2"], cast.assessor)
    client.get(url)
    assert queries() == few
