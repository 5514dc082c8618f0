"""Plans of what the important pages ask the database, where one task has nearly all judgments and another very few.

The rows are made by the database. A plan says how a statement would be carried out; none is carried out a second time here.
Jobs are not looked at: how their pages count them is tested in tests/runpool/operations.

Few rows serve as well as a million, since what is wrong is what PostgreSQL expects. Where judgments are joined to the topics of a
task, it expects of each topic the mean of all topics. The small task has more than a third of the topics and hardly a judgment:
a third of the table is expected, and all of it is read. By the keys of the topics it is known that they have next to nothing. The
judgments of a topic lie apart, as where topics are judged at the same time: that makes it dear to fetch many by an index.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaign.models import Collection, Task, Topic
from judging.models import Assignment
from pooling.models import Pool
from runpool.jobs import sweep
from tests.conftest import MadeOnce
from tests.factories import Cast, make_cast, make_received_run, make_topics
from tests.judging.makers import client_of
from tests.requirements import require_postgresql
from tests.world import ROWS, World, make_world

pytestmark = pytest.mark.services
JUDGMENTS, TOPICS, OTHERS = 20_000, 50, 10_000
"""Fewer than the 30,000 rows of which ANALYZE takes a sample: it reads all, so that the plans are the same each time."""
TOPICS_OF_THE_SMALL_TASK = 30
LARGE = frozenset(
    {
        "judging_judgment",
        "pooling_poolentry",
        "campaign_document",
        "campaign_auditevent",
        "campaign_run",
    }
)
JUDGMENT = frozenset({"judging_judgment"})
ENTRIES = """
INSERT INTO pooling_poolentry (pool_id, topic_id, docno, position, best_position, run_count, source)
SELECT %s, t.id, 'D' || n, n, 0, 1, 'drawn' FROM campaign_topic t, generate_series(1, %s) n WHERE t.task_id = %s
"""
JUDGED = """
INSERT INTO judging_judgment (uuid, assignment_id, topic_id, assessor_id, pass_number, docno, verdict, grade, details, note,
  judged_at, active_ms, reason, flagged, input_method, extent, text_sha256, topic_sha256, guidelines_sha256, received_at,
  is_current)
SELECT gen_random_uuid(), a.id, a.topic_id, a.assessor_id, 1, 'D' || n, 'graded', n %% 3, '{}', '', now() - interval '1 day',
  20000, '', n %% 50 = 0, 'key', 'full', '', '', '', now(), true
FROM judging_assignment a, generate_series(1, %s) n WHERE a.pool_id = %s ORDER BY n, a.id
"""
DOCUMENTS = """
INSERT INTO campaign_document (collection_id, docno, title, text, has_text)
SELECT %s, 'D' || n, 'D', 'a text', true FROM generate_series(1, %s) n
"""
RUNS = """
INSERT INTO campaign_run SELECT (jsonb_populate_record(
  r, jsonb_build_object('id', 1000000 + n, 'tag', 'run' || n, 'tag_skeleton', 'run' || n, 'state', 'withdrawn'))).*
FROM campaign_run r, generate_series(1, %s) n WHERE r.id = %s
"""
EVENTS = """
INSERT INTO campaign_auditevent SELECT (jsonb_populate_record(
  e, jsonb_build_object('id', 1000000 + n, 'object_id', 1000000 + n, 'campaign_id', %s::bigint))).*
FROM campaign_auditevent e, generate_series(1, %s) n WHERE e.id = (SELECT min(id) FROM campaign_auditevent)
"""


@dataclass
class Site:
    """A small campaign with something on every page, beside one that holds nearly all rows of the large tables."""

    small: World
    large: Cast


def make_site() -> Site:
    site = Site(make_world(), make_cast(phase=Task.JUDGING))
    large = site.large
    make_topics(large.task, [str(number) for number in range(1, TOPICS + 1)])
    Topic.objects.bulk_create(
        Topic(task=site.small.cast.task, number=f"further-{number}", position=100 + number, title="Not judged yet")
        for number in range(TOPICS_OF_THE_SMALL_TASK)
    )
    facts = {"size": JUDGMENTS, "sha256": "0" * 64, "frozen_by": large.organiser}
    pool = Pool.objects.create(task=large.task, version=1, strategy="depth", **facts)
    Assignment.objects.bulk_create(
        Assignment(pool=pool, topic=topic, assessor=large.assessor, assigned_by=large.organiser)
        for topic in large.task.topics.all()
    )
    collection = Collection.objects.create(campaign=large.campaign, slug="documents", title="Documents")
    run = make_received_run(large.task, large.team, "first", b"1 Q0 a 1 1 first\n")
    with connection.cursor() as cursor:
        cursor.execute(ENTRIES, [pool.pk, JUDGMENTS // TOPICS + 10, large.task.pk])
        cursor.execute(JUDGED, [JUDGMENTS // TOPICS, pool.pk])
        cursor.execute(DOCUMENTS, [collection.pk, OTHERS])
        cursor.execute(RUNS, [OTHERS, run.pk])
        cursor.execute(EVENTS, [large.campaign.pk, OTHERS])
        cursor.execute("ANALYZE")
    return site


@pytest.fixture(scope="module")
def site(made_once: MadeOnce, django_db_blocker: Any) -> Iterator[Site]:
    require_postgresql(connection.vendor)
    with made_once(make_site) as made:
        yield made
    with django_db_blocker.unblock(), connection.cursor() as cursor:  # what was rolled back would slow other tests down
        cursor.execute(f"VACUUM {', '.join(sorted(LARGE))}")


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is asked of the database meanwhile, with its values."""
    connection.queries_log.clear()
    made: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield made
    made += [one["sql"] for one in captured]


def scans(
    statements: list[str], seen: set[str], tables: frozenset[str], by_index: frozenset[str] = frozenset()
) -> dict[str, list[str]]:
    """By statement those of the tables that its plan reads from end to end; `by_index`: also in the order of an index."""
    found = {}
    for sql in statements:
        shape = re.sub(r"'[^']*'|\b\d+\b", "?", sql)
        if shape in seen or not sql.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            continue
        seen.add(shape)
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
            [plan] = cursor.fetchone()[0]
        read = {node["Relation Name"] for node in nodes(plan["Plan"]) if reads_all(node, by_index)}
        if large := sorted(tables & read):
            found[sql] = large
    return found


def reads_all(node: dict[str, Any], by_index: frozenset[str]) -> bool:
    if node["Node Type"] in ("Index Scan", "Index Only Scan"):
        return node["Relation Name"] in by_index and "Index Cond" not in node
    return bool(node["Node Type"] == "Seq Scan")


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


ABOUT_TASKS = ("home", "campaign_detail", "task_detail", "run_list", "document_list", "topic_detail")
ABOUT_POOLS = ("pool_detail", "pool_topics", "pool_completeness")
ABOUT_JUDGMENTS = (
    *("judging_progress", "judgment_list", "judgments_csv", "judging_agreement", "agreement_json", "judging_card"),
    "adjudication_queue",
)
ABOUT_QRELS = (
    "qrels_release",
    "qrels_release_assessors",
    "qrels_release_counts",
    "qrels_detail",
    "qrels_judgments_download",
)
ABOUT_SCORES = ("score_board", "scores_topics", "leaderboard_publish")
PAGES = {
    "organiser": [*ABOUT_TASKS, *ABOUT_POOLS, *ABOUT_JUDGMENTS, *ABOUT_QRELS, *ABOUT_SCORES],
    "assessor": ["next_judging", "my_topics", "desk", "judging_next", "own_judgments"],
    "member": ["home", "run_list", "run_detail"],
    "operator": ["operations", "readyz"],
}


def test_no_page_of_a_small_task_reads_a_large_table_from_end_to_end(site: Site, db: None) -> None:
    """Judgments neither in the order of an index, as the last ones of a task that was judged long ago might be looked for."""
    rows, seen = {row.name: row for row in ROWS}, set[str]()
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for role, names in PAGES.items():
        for name in names:
            with statements() as made:
                assert site.small.ask(rows[name], role).status_code in (200, 302)
            found[name, role] = scans(made, seen, LARGE, by_index=JUDGMENT)
    for role in ("anonymous", "member", "assessor", "organiser", "operator"):
        for query in ("one", "run", "D1"):
            with statements() as made:
                assert site.small.client(role).get(reverse("search"), {"q": query}).status_code == 200
            found["search", role, query] = scans(made, seen, LARGE, by_index=JUDGMENT)
    with statements() as made:
        sweep()
    found["sweep", ""] = scans(made, seen, LARGE, by_index=JUDGMENT)
    assert {page: read for page, read in found.items() if read} == {}


def test_the_desk_and_the_pages_of_judgments_of_a_large_task_read_what_they_show(
    site: Site, db: None, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    """Pages are asked for twice: the first time they may count all judgments of the task, and keep the counts on commit.

    Runs are counted each time.
    """
    tables = frozenset({"judging_judgment", "pooling_poolentry"})
    task, topic = site.large.task, {"topic_number": "7"}
    found: dict[str, Any] = {}
    seen: set[str] = set()
    pages = {
        "assessor": [task.url("desk", **topic), task.url("judging_next", **topic), task.url("own_judgments", **topic)],
        "organiser": [*map(task.url, ("judgment_list", "judging_progress", "judging_card", "task_detail"))],
    }
    for role, addresses in pages.items():
        client = client_of(site.large, role)
        for address in addresses:
            with django_capture_on_commit_callbacks(execute=True):
                client.get(address)
            with statements() as made:
                assert client.get(address).status_code == 200
            found[address] = scans(made, seen, tables)
    act = {"uuid": str(uuid4()), "docno": f"D{JUDGMENTS // TOPICS + 1}", "verdict": "graded", "grade": 1}
    assignment = Assignment.objects.get(topic__task=task, topic__number="7")
    sent = {"assessor": site.large.assessor.pk, "assignment": assignment.pk, "judgments": [act]}
    client, address = client_of(site.large, "assessor"), task.url("judgment_submit", **topic)
    with statements() as made:
        assert client.post(address, sent, content_type="application/json").json()["saved"] == JUDGMENTS // TOPICS + 1
    found[address] = scans(made, seen, tables)
    assert {address: read for address, read in found.items() if read} == {}
