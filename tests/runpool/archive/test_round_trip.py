"""An archive that is restored on another site and archived there again has the same content."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from django.utils.html import strip_tags

from campaign.integrity import Extent
from campaign.log.audit import audit
from campaign.models import Archive, ArchivedName, AuditEvent, Campaign, Restoration, Role, Run, Team, User
from campaign.runs.selectors.integrity import verify_receipts
from campaign.runs.services.submission import run_withdraw
from evaluation.models import Evaluation, Leaderboard
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import Assignment, Judgment, Qrels
from judging.qrels.exports import judgments_csv
from judging.qrels.services.releases import qrels_release
from pooling.services.pools import pool_freeze
from runpool.operations.integrity import SECTIONS, verify_sections
from tests.api.makers import ask, make_token
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.conftest import MadeOnce
from tests.evaluation.command.processes import run_command
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_cast, make_collection, make_topics, make_user
from tests.judging.makers import assign, judge
from tests.pooling.makers import depth_k
from tests.runpool.archive.full_world import make_full_world
from tests.runpool.archive.makers import (
    archive_of,
    bytes_of,
    files_of,
    made_elsewhere,
    manifest_of,
    other_rows,
    receive,
    restore,
)

pytestmark = pytest.mark.django_db
DOCNOS = [f"d{number}" for number in range(8)]
MEASURES = ["AP", "P@5", "nDCG@10"]
COMPARED = [section for section in SECTIONS if section != "files"]
"""What is verified on the receiving site; the folder of files is that of all tests."""


def make_full(**options: str) -> bytes:
    """A world in which every table has rows, and scores are those of the runs."""
    cast = make_full_world().cast
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    return bytes_of(archive_of(cast.campaign, cast.organiser, **options))


def make_judged() -> Cast:
    """A campaign from end to end: two versions of the pool, grades changed and taken back, two releases, a board."""
    cast = make_cast(measures=MEASURES, lowest_relevant_grade=1)
    topics = make_topics(cast.task, ["401", "402"])
    make_collection(cast.task, DOCNOS)
    make_valid_run(cast.task, cast.team, "bm25", {"401": DOCNOS[:5], "402": DOCNOS[2:7]})
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2))
    gone = make_valid_run(cast.task, cast.other_team, "gone", {"401": ["d7"]})
    run_withdraw(actor=cast.organiser, run=gone)
    make_valid_run(cast.task, cast.other_team, "dense", {"401": DOCNOS[3:], "402": DOCNOS[::-1]})
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(4))
    for topic in topics:
        assignment = assign(pool, topic, cast.assessor, cast.organiser)
        for place, entry in enumerate(pool.entries.filter(topic=topic).order_by("position")):
            judge(assignment, entry.docno, None if place == 3 else place % 3, note="seen")
        judge(assignment, "d3", 3)
    qrels_release(actor=cast.organiser, task=cast.task, pool=pool)
    judge(Assignment.objects.filter(topic=topics[0]).get(), "d3", 1)
    qrels_release(actor=cast.organiser, task=cast.task, pool=pool)
    task_score(task=cast.task, report=lambda done, total: None)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    return cast


def make_judged_archive() -> tuple[bytes, list[str], str]:
    """The archive, what names its people, and the judgments behind its first release."""
    cast = make_judged()
    names = [cast.organiser, cast.assessor, cast.member, cast.other_member]
    said = "".join(judgments_csv(Qrels.objects.get(version=1)))
    return (
        bytes_of(archive_of(cast.campaign, cast.organiser)),
        [text for user in names for text in (user.username, user.email)],
        said,
    )


@pytest.fixture(scope="module")
def judged(made_once: MadeOnce) -> Iterator[tuple[bytes, list[str], str]]:
    with made_once(lambda: made_elsewhere(make_judged_archive)) as made:
        yield made


@pytest.mark.parametrize("options", [{}, {"documents": Archive.TEXTS, "people": Archive.NAMES}])
def test_export_import_export_gives_the_same_content(options: dict[str, str]) -> None:
    first = made_elsewhere(lambda: make_full(**options))
    # The full world has a subtopic that came behind the back of an erratum.
    require_same_content(first, options, [section for section in COMPARED if section != "errata"])


@pytest.mark.sqlite(
    "runpool.archive.tables.campaign.collections_of",
    "runpool.archive.services.writing._keep_names",
    "runpool.archive.services.restoring._documents",
    "runpool.archive.services.restoring._contradictions_told",
)
def test_a_judged_campaign_comes_back_as_it_was(judged: tuple[bytes, list[str], str]) -> None:
    content, _, behind_the_release = judged
    campaign = require_same_content(content, {})
    task = campaign.tasks.get()
    assert Restoration.objects.get().found["counts"] == {
        "teams": 2,
        "topics": task.topics.count(),
        "runs": task.runs.count(),
        "acts": Judgment.objects.filter(topic__task=task).count(),
        "qrels": 2,
        "boards": 1,
    }
    board = Leaderboard.objects.get()
    assert [facts.state for facts in Run.objects.filter(tag="gone")] == [Run.WITHDRAWN]
    assert {Run.objects.get(pk=pk).tag for pk in board.run_ids} == {"bm25", "dense"}
    assert "".join(judgments_csv(Qrels.objects.get(version=1))) == behind_the_release
    assert Judgment.objects.filter(is_current=False).count() == 3


NUMBER = re.compile(r"(?<![\w-])\d[\d,.]*(?![\w-])")
COUNTING = ("{task}/runs/", "{task}/judging/", "{task}/pools/", "{task}/qrels/", "{task}/topics/", "teams/")


def counts_told(campaign: Campaign, reader: User) -> dict[str, list[str]]:
    """Every number that stands by itself on the pages that count, and what the API lists."""
    client, task, token = signed_in(reader), campaign.tasks.get(), make_token(reader)
    told = {}
    for page in COUNTING:
        answer = client.get(f"/c/{campaign.slug}/{page.format(task=task.slug)}")
        assert answer.status_code == 200, page
        told[page] = NUMBER.findall(strip_tags(answer.content.decode().partition("<main")[2].partition("</main")[0]))
    for listed in ("runs", "pools", "qrels"):
        answer = ask(f"campaigns/{campaign.slug}/tasks/{task.slug}/{listed}", token)
        told[listed] = [str(answer.json()["count"])]
    return told


def test_no_run_judgment_pool_or_team_counts_twice_on_the_second_site() -> None:
    """With a tag that was withdrawn and sent again, and a withdrawn run of another team."""

    def make() -> tuple[bytes, dict[str, list[str]]]:
        cast = make_judged()
        run_withdraw(actor=cast.organiser, run=make_valid_run(cast.task, cast.team, "again", {"401": ["d1"]}))
        second = make_valid_run(cast.task, cast.team, "second", {"401": ["d1"]})
        Run.objects.filter(pk=second.pk).update(tag="again", tag_skeleton="again", attempt=2)
        return bytes_of(archive_of(cast.campaign, cast.organiser)), counts_told(cast.campaign, cast.organiser)

    content, before = made_elsewhere(make)
    other_rows()
    restoration = restore(content, importer := make_user())
    assert restoration.campaign is not None
    assert restoration.found["counts"]["runs"] == Run.objects.filter(task__campaign=restoration.campaign).count() == 5
    assert counts_told(restoration.campaign, importer) == before


def require_same_content(first: bytes, options: dict[str, str], sections: Sequence[str] = COMPARED) -> Campaign:
    other_rows()
    importer = make_user()
    restoration = restore(first, importer)
    assert restoration.state == Restoration.DONE, restoration.problems
    assert restoration.campaign is not None
    assert [str(finding) for finding in verify_sections(sections, Extent())] == []
    before = files_of(first)
    after = files_of(bytes_of(archive_of(restoration.campaign, importer, **options)))
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} <= {"manifest.json", "README.md"}
    assert manifest_of(before)["content_sha256"] == manifest_of(after)["content_sha256"]
    return restoration.campaign


def test_the_restored_site_computes_the_scores_of_the_archive(judged: tuple[bytes, list[str], str]) -> None:
    campaign = restore(judged[0], make_user()).campaign
    assert campaign is not None
    [task] = campaign.tasks.all()
    kept = {(e.run.tag, e.qrels.version): bytes(e.values) for e in Evaluation.objects.all()}
    Evaluation.objects.all().delete()
    task_score(task=task, report=lambda done, total: None)
    assert {(e.run.tag, e.qrels.version): bytes(e.values) for e in Evaluation.objects.all()} == kept
    assert len(kept) == 2
    assert not Run.objects.valid().filter(table="").exists()


def test_the_files_score_as_on_the_board_with_other_tools(judged: tuple[bytes, list[str], str], tmp_path: Path) -> None:
    files = files_of(judged[0])
    [board] = [json.loads(content) for path, content in files.items() if path.endswith("/leaderboard.json")]
    [qrels] = [path for path in files if path.endswith("v2.qrels")]
    (tmp_path / "qrels").write_bytes(files[qrels])
    runs = {path.rsplit("/", 1)[1].removesuffix(".run"): files[path] for path in files if path.endswith(".run")}
    for shown in board["runs"]:
        (tmp_path / "run").write_bytes(runs[shown["tag"]])
        means = {name: shown["cells"][name]["mean"] for name in MEASURES}
        words = ["score", "-c", "-m", "map", "-m", "P.5", "-m", "ndcg_cut.10", "--digits", "9", "qrels", "run"]
        printed = run_command(words, tmp_path, b"").stdout.decode()
        said = dict(zip(MEASURES, (float(line.split()[2]) for line in printed.splitlines()), strict=True))
        assert said == pytest.approx(means, abs=1e-8)
        assert by_pytrec_eval(files[qrels], runs[shown["tag"]]) == pytest.approx(means, abs=1e-12)
        scores = next(files[p] for p in files if p.endswith(f"/v2/{shown['tag']}.engine-{Evaluation.ENGINE}.txt"))
        for line in scores.decode().splitlines():
            measure, topic, value = line.split("\t")
            assert shown["values"][measure][board["topics"].index(topic)] == float(value)


def by_pytrec_eval(qrels: bytes, run: bytes) -> dict[str, float]:
    judged: dict[str, dict[str, int]] = {}
    for line in qrels.decode().splitlines():
        topic, _, docno, grade = line.split()
        judged.setdefault(topic, {})[docno] = int(grade)
    ranked: dict[str, dict[str, float]] = {}
    for line in run.decode().splitlines():
        topic, _, docno, _, score, _ = line.split()
        ranked.setdefault(topic, {})[docno] = float(score)
    found = pytrec_eval.RelevanceEvaluator(judged, {"map", "P_5", "ndcg_cut_10"}).evaluate(ranked)
    names = dict(zip(MEASURES, ["map", "P_5", "ndcg_cut_10"], strict=True))
    return {name: float(np.mean([found[t][own] if t in found else 0 for t in judged])) for name, own in names.items()}


def test_pseudonyms_hide_everybody_and_stay_the_same_in_later_archives(judged: tuple[bytes, list[str], str]) -> None:
    content, named, _ = judged
    everything = b"\n".join(files_of(content).values())
    assert not [text for text in named if text.encode() in everything]
    assert b'"assessor-1"' in everything


def test_restored_people_cannot_sign_in_and_the_importer_organises(judged: tuple[bytes, list[str], str]) -> None:
    importer = make_user()
    campaign = restore(judged[0], importer).campaign
    people = User.objects.filter(pk__in=ArchivedName.objects.filter(campaign=campaign, team=None).values("user"))
    assert people.count() >= 4
    assert not [user for user in people if user.is_active or user.has_usable_password() or user.email]
    organisers = Role.objects.filter(campaign=campaign, role=Role.ORGANISER)
    assert importer.pk in organisers.values_list("user", flat=True)


def test_a_team_of_the_same_name_here_is_another_team(judged: tuple[bytes, list[str], str]) -> None:
    named = json.loads(files_of(judged[0])["teams.jsonl"].splitlines()[0])
    mine = Team.objects.create(slug=named["slug"], name=named["name"])
    campaign = require_same_content(judged[0], {})
    restored = set(Run.objects.filter(task__campaign=campaign).values_list("team__name", flat=True))
    assert f"{named['name']} 2" in restored
    assert not mine.runs.exists()


def test_an_archive_of_one_task_is_restored_as_a_campaign_with_it() -> None:
    def make() -> tuple[bytes, str]:
        cast = make_judged()
        other = cast.campaign.tasks.create(slug="other", title="Other")
        make_topics(other, ["901"])
        return bytes_of(archive_of(cast.campaign, cast.organiser, task=cast.task)), cast.task.slug

    content, slug = made_elsewhere(make)
    assert b"Other" not in b"".join(files_of(content).values())
    importer = make_user()
    campaign = restore(content, importer).campaign
    assert campaign is not None
    [task] = campaign.tasks.all()
    assert task.slug == slug
    again = bytes_of(archive_of(campaign, importer, task=task))
    assert manifest_of(files_of(again))["content_sha256"] == manifest_of(files_of(content))["content_sha256"]


def test_entries_of_an_archive_say_nothing_of_runs_of_this_site_and_later_ones_do() -> None:
    """Whoever makes an archive may write into its log what they like, another “restore” too."""

    def make() -> bytes:
        cast = make_ready_cast()
        submit(cast)
        audit(cast.organiser, "restore", cast.campaign, campaign=cast.campaign)
        return bytes_of(archive_of(cast.campaign, cast.organiser))

    content = made_elsewhere(make)
    other_rows()
    campaign = restore(content, make_user()).campaign
    assert campaign is not None
    assert AuditEvent.objects.filter(campaign=campaign, verb="submit").count() == 1
    extent = Extent()
    assert list(verify_receipts(extent)) == []
    assert extent.looked["receipts of runs"] == 0
    run = campaign.tasks.get().runs.get()
    audit(run.submitted_by, "submit", run, campaign=campaign, tag="another")
    [finding] = verify_receipts(Extent())
    assert finding.text.endswith("these are others now: tag.")


def test_on_the_site_of_its_origin_an_archive_with_judgments_is_refused() -> None:
    cast = make_judged()
    restoration = receive(bytes_of(archive_of(cast.campaign, cast.organiser)), make_user())
    assert [problem["code"] for problem in restoration.problems["shown"]] == ["here_already"]


def test_two_archives_of_the_same_content_have_the_same_checksum_of_it() -> None:
    cast = make_judged()
    first, second = (archive_of(cast.campaign, cast.organiser) for _ in range(2))
    assert first.content_sha256 == second.content_sha256
