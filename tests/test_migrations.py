"""What earlier versions stored must mean the same afterwards.

The way through all migrations takes seconds, so that all stories share one: an empty database goes forward to the newest version,
and back to the first. Where a story begins it makes its rows; in the newest version it tells what became of them.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model
from django.utils import timezone

from campaign.models import Collection, Job, Run, Task, Team, User, job_key
from campaign.tasking import find_job
from judging.models import Judgment, Qrels
from pooling.figures.exactness import reach_of
from pooling.models import Pool
from pooling.selectors.pools import FREEZE_POOL, draw_command
from pooling.strategies.spec import PoolSpec
from tests.pooling.makers import depth_k

Story = Callable[[Any], Iterator[None]]
STORIES: list[tuple[dict[str, str], Story]] = []
"""In the order of the versions."""
ENDED = object()


def since(**migrations: str) -> Callable[[Story], Story]:
    """The story is given the models at these migrations (app=name), makes rows and yields; goes on in the newest version.

    One that yields again goes on once more when the database is back at its migrations.
    """

    def add(story: Story) -> Story:
        STORIES.append((migrations, story))
        return story

    return add


def go_to(migrations: dict[str, str] | None = None) -> Any:
    """The models there; without migrations, of the newest version."""
    executor = MigrationExecutor(connection)
    targets = list(migrations.items()) if migrations else executor.loader.graph.leaf_nodes()
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@contextmanager
def empty_database() -> Iterator[None]:
    """Puts the tables of all tests aside: to bring them back to their version by migrations takes as long as all stories."""
    put_aside = _schema_aside if connection.vendor == "postgresql" else _file_aside
    with put_aside():
        yield


@contextmanager
def _schema_aside() -> Iterator[None]:
    def execute(*statements: str) -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    execute("ALTER SCHEMA public RENAME TO aside", "CREATE SCHEMA public")
    try:
        yield
    finally:
        execute("DROP SCHEMA public CASCADE", "ALTER SCHEMA aside RENAME TO public")


@contextmanager
def _file_aside() -> Iterator[None]:
    connection.ensure_connection()
    with closing(sqlite3.connect(":memory:")) as aside, closing(sqlite3.connect(":memory:")) as empty:
        connection.connection.backup(aside)
        empty.backup(connection.connection)
        try:
            yield
        finally:
            aside.backup(connection.connection)


@pytest.mark.django_db(transaction=True)
def test_what_earlier_versions_stored_means_the_same_afterwards(subtests: pytest.Subtests) -> None:
    begun, going_back = [], []
    with empty_database():
        for migrations, story in STORIES:
            told = story(go_to(migrations))
            next(told)
            begun.append((story.__name__, migrations, told))
        go_to()
        for name, migrations, told in begun:
            with subtests.test(name):
                if next(told, ENDED) is not ENDED:
                    going_back.append((name, migrations, told))
        for name, migrations, told in going_back:
            go_to(migrations)
            with subtests.test(f"{name}, going back"):
                assert next(told, ENDED) is ENDED
        go_to(STORIES[0][0])


def make_old_user(old: Any, name: str) -> Any:
    return old.get_model("campaign", "User").objects.create(username=name)


def make_old_task(old: Any, slug: str, **values: Any) -> Any:
    campaign, _ = old.get_model("campaign", "Campaign").objects.get_or_create(slug="c", defaults={"title": "C"})
    return old.get_model("campaign", "Task").objects.create(campaign=campaign, slug=slug, title="T", **values)


@since(campaign="0001_initial")
def a_task_that_wanted_every_topic_answered_still_does(old: Any) -> Iterator[None]:
    strict = make_old_task(old, "strict", all_topics_required=True)
    lenient = make_old_task(old, "lenient")
    yield
    assert Task.objects.get(pk=strict.pk).rule_severities == {"topic_missing": "error"}
    assert Task.objects.get(pk=lenient.pk).rule_severities == {}


OLD_JOBS = {
    "campaign.run_tasks.check_run": "check run",
    "campaign.mail_tasks.send_mail": "send mail",
    "campaign.tasks.check_import": "check import",
    "campaign.tasks.apply_import": "apply import",
    "campaign.tasks.index_docnos": "index docnos",
    "pooling.tasks.freeze_pool": "freeze pool",
    "judging.tasks.check_qrels": "check qrels",
    "judging.tasks.apply_qrels": "apply qrels",
    "evaluation.tasks.score_task": "score task",
}


@since(campaign="0006_depth_of_checked_runs")
def waiting_jobs_named_by_their_modules_keep_their_meaning_and_know_what_they_are_about(old: Any) -> Iterator[None]:
    task = make_old_task(old, "scored")
    jobs = old.get_model("campaign", "Job").objects
    for name in OLD_JOBS:
        jobs.create(name=name, key="{}")
    jobs.create(name="evaluation.tasks.score_task", key="there", arguments={"task_id": task.pk})
    jobs.create(name="evaluation.tasks.score_task", key="gone", arguments={"task_id": task.pk + 1000})
    yield
    names = list(Job.objects.filter(key="{}").values_list("name", flat=True))
    assert names == list(OLD_JOBS.values())
    assert all(find_job(name) for name in names)
    assert [Job.objects.get(key=key).task_id for key in ("there", "gone")] == [task.pk, None]


@since(campaign="0008_job_names")
def tasks_keep_their_mode_and_are_scored_by_the_measures_of_before(old: Any) -> Iterator[None]:
    unnamed = {mode: make_old_task(old, mode, judging_mode=mode) for mode in ("binary", "graded", "subtopic")}
    named = make_old_task(old, "named", judging_mode="subtopic", measures=["AP"])
    yield
    for mode, task in unnamed.items():
        kept = Task.objects.get(pk=task.pk)
        assert (kept.judging_mode, kept.mode.name) == (mode, mode)
        assert kept.measures == ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]
    assert Task.objects.get(pk=named.pk).measures == ["AP"]


@since(campaign="0008_job_names", pooling="0001_initial", judging="0001_initial")
def grades_of_subtopics_become_the_details_of_their_judgments(old: Any) -> Iterator[None]:
    task = make_old_task(old, "judged", judging_mode="subtopic")
    judgment = make_old_judgment(old, task, subtopic_grades={"a": 0, "b": 2}, note="kept")
    yield
    kept = Judgment.objects.get(pk=judgment.pk)
    assert (kept.details, kept.grade, kept.note) == ({"a": 0, "b": 2}, 2, "kept")


def make_old_judgment(old: Any, task: Model, **values: Any) -> Model:
    user = make_old_user(old, "assia")
    topic = old.get_model("campaign", "Topic").objects.create(task=task, number="401", position=1, title="t")
    pool = old.get_model("pooling", "Pool")(
        task=task, version=1, strategy="depth-k", parameters={"depth": 10}, size=1, sha256="0", frozen_by=user
    )
    pool.save()
    assignment = old.get_model("judging", "Assignment").objects.create(
        pool=pool, topic=topic, assessor=user, assigned_by=user
    )
    judgment: Model = old.get_model("judging", "Judgment").objects.create(
        uuid=uuid4(),
        assignment=assignment,
        topic=topic,
        assessor=user,
        docno="D1",
        verdict="graded",
        grade=2,
        judged_at=timezone.now(),
        **values,
    )
    return judgment


FLAT = {"strategy": "depth-k", "depth": 20, "order": "docno", "seed": 2**63 - 1, "max_priority": 2, "runs": ["a", "b"]}
SAME = depth_k(20, order="docno", seed=2**63 - 1, max_priority=2, runs=("a", "b"))
FLAT_BY_DEFAULT = {"strategy": "depth-k", "depth": 10, "order": "random", "seed": 0}


@since(campaign="0008_job_names", pooling="0001_initial")
def stored_pools_and_waiting_jobs_keep_their_meaning_and_going_back_gives_what_was_there(old: Any) -> Iterator[None]:
    states = (Job.QUEUED, Job.WORKING, Job.DONE, Job.FAILED)
    pools = make_old_pools(old, FLAT, FLAT_BY_DEFAULT, {})
    pool_run = make_old_run(old, pools[0])
    jobs = [make_old_job(old, {**FLAT, "seed": SAME.seed - less}, state) for less, state in enumerate(states)]
    other = old.get_model("campaign", "Job").objects.create(name="score task", key="other", arguments={"task_id": 7})
    yield
    require_pools_drawn_alike(pools)
    require_jobs_that_mean_the_same(jobs)
    assert Job.objects.get(pk=other.pk).arguments == {"task_id": 7}
    yield
    assert old.get_model("pooling", "Pool").objects.get(pk=pools[0].pk).parameters == FLAT
    assert old.get_model("pooling", "PoolRun").objects.get(pk=pool_run.pk).depth == 20
    unchanged = old.get_model("campaign", "Job").objects.get(pk=jobs[0].pk)
    assert (unchanged.arguments, unchanged.key) == (jobs[0].arguments, jobs[0].key)


def make_old_pools(old: Any, *specs: dict[str, Any]) -> list[Any]:
    user, task = make_old_user(old, "olga"), make_old_task(old, "pooled")
    values = {"task": task, "strategy": "depth-k", "size": 1, "sha256": "0" * 64, "frozen_by": user}
    pools = old.get_model("pooling", "Pool").objects
    return [pools.create(version=version, parameters=spec, **values) for version, spec in enumerate(specs, start=1)]


def make_old_run(old: Any, pool: Any) -> Any:
    team = old.get_model("campaign", "Team").objects.create(slug="t", name="T")
    run = old.get_model("campaign", "Run").objects.create(
        task=pool.task, team=team, tag="a", size=1, sha256="1" * 64, submitted_by_id=pool.frozen_by_id
    )
    return old.get_model("pooling", "PoolRun").objects.create(
        pool=pool, run=run, sha256=run.sha256, depth=20, contributed=1, unique=1
    )


def make_old_job(old: Any, spec: dict[str, Any], state: str) -> Any:
    arguments = {"task_id": 7, "actor_id": 8, "spec": spec}
    return old.get_model("campaign", "Job").objects.create(
        name=FREEZE_POOL, key=job_key(arguments), arguments=arguments, state=state
    )


def require_pools_drawn_alike(pools: list[Any]) -> None:
    kept = [Pool.objects.get(pk=pool.pk) for pool in pools]
    assert [kept[0].spec, kept[1].spec] == [SAME.to_json(), depth_k(10).to_json()]
    assert PoolSpec.from_json(kept[0].spec) == SAME
    assert kept[2].spec == {}
    assert kept[0].pool_runs.get().contributed == 1
    require_what_was_not_recorded_stays_unknown(kept[0])


def require_what_was_not_recorded_stays_unknown(pool: Pool) -> None:
    assert (pool.engine, pool.whole, pool.pool_runs.get().priority) == ("", None, None)
    assert pool.reach == reach_of(SAME)
    assert "--engine" not in draw_command(pool)


def require_jobs_that_mean_the_same(jobs: list[Any]) -> None:
    """Their keys are made anew, so that none of them is asked for twice."""
    for less, job in enumerate(jobs):
        arguments = {"task_id": 7, "actor_id": 8, "spec": replace(SAME, seed=SAME.seed - less).to_json()}
        converted = Job.objects.get(pk=job.pk)
        assert (converted.arguments, converted.key, converted.state) == (arguments, job_key(arguments), job.state)


@since(campaign="0010_audit_is_written_once", account="0009_emailaddress_unique_primary_email")
def addresses_of_accounts_made_by_command_count_as_confirmed_and_claimed_ones_do_not(old: Any) -> Iterator[None]:
    users, addresses = old.get_model("campaign", "User").objects, old.get_model("account", "EmailAddress").objects
    users.create(username="by-command", email="Opal@example.org")
    claimant = users.create(username="claimant", email="pearl@example.org")
    addresses.create(user=claimant, email="pearl@example.org", verified=False, primary=True)
    users.create(username="claimed", email="pearl@example.org")
    yield
    confirmed = EmailAddress.objects.filter(verified=True).values_list("user__username", "email")
    assert list(confirmed) == [("by-command", "opal@example.org")]


@since(campaign="0014_role_invitations")
def names_that_look_alike_do_not_stop_the_update_and_only_the_first_has_the_look(old: Any) -> Iterator[None]:
    named = old.get_model("campaign", "Team").objects
    teams = [named.create(slug=slug, name=name) for slug, name in (("a", "Alba"), ("b", "ALBA"), ("c", "Brio"))]
    users = [make_old_user(old, name) for name in ("paul", "p\u0430ul")]
    about = {"task": make_old_task(old, "named-alike"), "team": teams[0], "submitted_by": users[0], "size": 0}
    tags = (("bm25", "valid"), ("BM25", "valid"), ("Bm25", "rejected"))
    runs = [old.get_model("campaign", "Run").objects.create(tag=tag, state=state, **about) for tag, state in tags]
    yield
    assert [Team.objects.get(pk=team.pk).name_skeleton for team in teams] == ["alba", None, "brio"]
    assert [User.objects.get(pk=user.pk).username_skeleton for user in users] == ["paul", None]
    assert [Run.objects.get(pk=run.pk).tag_skeleton for run in runs] == ["bm25", None, "bm25"]


@since(campaign="0023_natural_order", judging="0004_relevance_of_qrels")
def qrels_from_before_there_were_samples_hold_none_and_stay_written_once(old: Any) -> Iterator[None]:
    values = {"file": "qrels/q.txt", "sha256": "1" * 64, "topics": ["1"], "judgment_count": 1, "relevant_count": 1}
    made = old.get_model("judging", "Qrels").objects.create(
        task=make_old_task(old, "released"),
        version=1,
        source="judged",
        released_by=make_old_user(old, "quentin"),
        **values,
    )
    yield
    qrels = Qrels.objects.get(pk=made.pk)
    assert (qrels.sampled_by, qrels.sample_file, qrels.files) == ("", "", {"overall": "qrels/q.txt"})
    assert qrels.checksums == {"version": 1, "sha256": "1" * 64, "subtopic_sha256": ""}
    with pytest.raises(DatabaseError, match="written once"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE judging_qrels SET sampled_by = 'stratum'")


@since(campaign="0044_verification_and_deleted_users")
def documents_are_counted_once_and_those_of_an_unfinished_import_begin_anew(old: Any) -> Iterator[None]:
    campaign = make_old_task(old, "counted").campaign
    collections, documents = (
        old.get_model("campaign", "Collection").objects,
        old.get_model("campaign", "Document").objects,
    )
    made = [collections.create(campaign=campaign, slug=slug, title=slug) for slug in ("known", "staging:1")]
    for collection in made:
        for docno, has_text in (("b", True), ("B", False), ("a", False)):
            documents.create(collection=collection, docno=docno, has_text=has_text)
    yield
    known, staging = (Collection.objects.get(pk=collection.pk) for collection in made)
    assert (known.document_count, known.text_count) == (3, 1)
    assert (staging.document_count, staging.text_count) == (0, 0)
    assert [document.docno for document in known.documents.order_by("docno")] == ["B", "a", "b"]
