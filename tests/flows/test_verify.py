"""`manage.py verify` names whatever is no longer what it rests on."""

import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.test import TestCase, override_settings

from campaign.collection.docno_index import documents_changed
from campaign.collection.services.texts_checksum import texts_checksum_compute
from campaign.integrity import Extent
from campaign.models import AuditEvent, Document, Verification
from campaign.storage import store
from campaign.storage.disk import place
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.models import Evaluation, Leaderboard, WorkingBoard
from evaluation.selectors.boards import content_of
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import Scorer, scores_request
from judging.models import Assignment, Judgment, Qrels
from judging.qrels.services.releases import qrels_release
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolEntry
from pooling.services.pools import pool_freeze
from runpool.operations.verifications import verify_when_due
from tests.conftest import MadeOnce
from tests.evaluation.makers import make_valid_run, rewrite_evaluation
from tests.factories import Cast, make_cast, make_collection, make_topics
from tests.judging.makers import assign, judge
from tests.tampering import erase, tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cast, Path]]:
    files = tmp_path_factory.mktemp("files")
    with made_once(lambda: make_site(files)) as cast:
        yield cast, files


@pytest.fixture
def site(made: tuple[Cast, Path], db: None, settings, tmp_path: Path) -> Cast:
    """A site of the test's own: rows that were made once, and a copy of the files."""
    cast, files = made
    settings.MEDIA_ROOT = shutil.copytree(files, tmp_path / "files")
    return deepcopy(cast)


def make_site(files: Path) -> Cast:
    """A task from runs to a published board, through the services."""
    cast = make_cast()
    with override_settings(MEDIA_ROOT=files):
        [topic] = make_topics(cast.task, ["1"])
        make_collection(cast.task, ["a", "b", "c"])
        cast.task.measures = ["AP", "nDCG@10"]
        cast.task.save()
        make_valid_run(cast.task, cast.team, "good", {"1": ["a", "c", "b"]})
        make_valid_run(cast.task, cast.other_team, "poor", {"1": ["b", "c", "a"]})
        spec = PoolSpec.from_json({"strategy": "depth-k", "parameters": {"depth": 10}, "seed": 7})
        pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
        assignment = assign(pool, topic, cast.assessor, cast.organiser)
        for docno, grade in (("a", 0), ("a", 2), ("b", 0), ("c", 1)):
            judge(assignment, docno, grade)
        with TestCase.captureOnCommitCallbacks(execute=True):
            qrels_release(actor=cast.organiser, task=cast.task, pool=pool)
        leaderboard_publish(actor=cast.organiser, task=cast.task)
    return cast


def verify(*arguments: str) -> tuple[int, str, str]:
    out, err, code = StringIO(), StringIO(), 0
    try:
        call_command("verify", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def test_a_site_that_nobody_tampered_with_has_no_findings_and_says_what_was_compared(site: Cast) -> None:
    code, said, findings = verify("--seed", "5")
    assert (code, findings) == (0, "")
    assert "1 versions of qrels made again from the acts" in said
    assert "2 scores computed anew, the same bit by bit" in said
    assert "seed of the sample 5" in said


def test_a_later_act_changes_nothing_of_a_version_that_was_released(site: Cast) -> None:
    judge(Assignment.objects.get(), "b", 3)
    assert verify("qrels", "judgments")[0] == 0


def test_a_grade_that_was_changed_after_the_release_is_found_in_the_qrels(site: Cast) -> None:
    tamper(Judgment.objects.get(docno="c"), grade=3)
    code, _, findings = verify("qrels")
    assert code == 1
    assert "qrels v1" in findings
    assert "made again of the acts" in findings
    assert "release a new version" in findings


def test_an_act_that_was_deleted_is_missed_by_the_next_one(site: Cast) -> None:
    erase(Judgment.objects.filter(docno="a").earliest("pk"))
    code, _, findings = verify("judgments")
    assert code == 1
    assert "an act that is no longer there" in findings


def test_a_mark_of_the_current_act_that_was_moved_is_found(site: Cast) -> None:
    tamper(Judgment.objects.get(docno="b"), is_current=False)
    assert "not marked as current" in verify("judgments")[2]


def test_a_count_of_a_release_that_was_changed_is_found(site: Cast) -> None:
    tamper(Qrels.objects.get(), relevant_count=17)
    assert "other relevant documents than its file holds" in verify("qrels")[2]


def test_a_document_that_was_put_into_a_frozen_pool_is_found(site: Cast) -> None:
    tamper(PoolEntry.objects.get(docno="b"), docno="z")
    code, _, findings = verify("pools")
    assert code == 1
    assert str(Pool.objects.get()) in findings
    assert "do not give the SHA-256" in findings


def test_a_document_that_was_taken_out_of_a_frozen_pool_is_found(site: Cast) -> None:
    erase(PoolEntry.objects.get(docno="b"))
    assert "frozen with 3 documents and has 2" in verify("pools")[2]


def test_a_score_that_was_changed_is_found_by_computing_it_anew(site: Cast) -> None:
    evaluation = Evaluation.objects.get(run__tag="poor")
    values = evaluation.matrix().copy()
    values[1, 0] += 1e-9
    tamper(evaluation, values=values.tobytes())
    code, _, findings = verify("scores")
    assert code == 1
    assert "Computed anew, nDCG@10 of topic 1 is another" in findings


def test_a_value_if_unjudged_were_best_that_was_changed_is_found_by_computing_it_anew(site: Cast) -> None:
    evaluation = Evaluation.objects.get(run__tag="poor")
    best = np.frombuffer(evaluation.unjudged_best_values).copy()
    best[1] += 1e-9
    tamper(evaluation, unjudged_best_values=best.tobytes())
    code, _, findings = verify("scores")
    assert code == 1
    assert "Computed anew as if unjudged documents were best, nDCG@10 of topic 1 is another" in findings


def test_a_number_if_unjudged_were_best_that_was_changed_is_found(site: Cast) -> None:
    evaluation = Evaluation.objects.get(run__tag="good")
    for numbers in ({**evaluation.unjudged_best, "AP": 0.123}, {"nDCG@10": evaluation.unjudged_best["nDCG@10"]}):
        tamper(evaluation, unjudged_best=json.dumps(numbers))
        findings = verify("scores", "--sample", "0")[2]
        assert "Its AP if unjudged documents were best is not what its values by topic give" in findings
    tamper(evaluation, unjudged_best_values=b"")
    assert (
        "one value for each measure and topic if unjudged documents were best" in verify("scores", "--sample", "0")[2]
    )


def test_a_grade_that_was_added_to_the_scale_after_the_scoring_is_no_finding(
    site: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    make_valid_run(site.task, site.team, "new", {"1": ["z", "a"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=site.organiser, task=site.task)
    evaluation = Evaluation.objects.get(run__tag="new")
    site.task.grades.create(value=9, label="more", key="9", gain=9.0)
    ahead = Scorer(evaluation.qrels, [parse_measure("nDCG@10")], evaluation.ordering)
    [(_, today)] = ahead.scores([evaluation.run])
    assert today.unjudged_best_values[0] != evaluation.unjudged_best_of("nDCG@10")
    code, said, _ = verify("scores", "boards", "--all-scores")
    assert code == 0
    assert "3 scores if unjudged documents were best computed anew, the same" in said


def with_part(stored: WorkingBoard | Leaderboard, **parts: object) -> str:
    """The name of a board like the stored one, but for the part on unjudged documents."""
    data = json.loads(content_of(stored.board))
    data["unjudged"] |= parts
    return str(store(ContentFile(json.dumps(data).encode()), folder="boards", suffix=".json").name)


@pytest.mark.parametrize("model", [WorkingBoard, Leaderboard])
def test_what_a_board_says_of_unjudged_documents_is_tested_anew(
    site: Cast, model: type[WorkingBoard | Leaderboard]
) -> None:
    stored = model._default_manager.get()
    decisions = json.loads(content_of(stored.board))["unjudged"]["decisions"]
    assert "2 boards tested anew as if unjudged documents were best\n" in verify("boards")[1]
    for parts in (
        {"p_both": [0.5]},
        {"p_first": [0.5]},
        {"p_second": [None]},
        {"changes_values": True},
        {"decisions": {**decisions, "second": [1]}},
        {"decisions": {**decisions, "as_judged": [-1]}},
    ):
        tamper(stored, board=with_part(stored, **parts))
        code, _, findings = verify("boards")
        assert code == 1
        assert "Its tests by AP if unjudged documents were best are not what its scores give" in findings
    Evaluation.objects.all().delete()
    code, said, findings = verify("boards")
    assert "Its tests by AP" in findings, "the case as judged needs no scores"
    assert "but for the cases other than as judged: the scores are gone, or newer" in said


def test_p_of_pairs_by_the_first_measure_are_computed_anew(site: Cast) -> None:
    leaderboard = Leaderboard.objects.get()
    p = np.frombuffer(content_of(leaderboard.p_of_pairs)).copy()
    p[0] = 0.03
    tamper(leaderboard, p_of_pairs=store(ContentFile(p.tobytes()), folder="boards", suffix=".f64").name)
    assert "Its p by AP are not what its values by topic give" in verify("boards")[2]


def test_a_difference_of_the_last_bit_is_told_apart_and_is_no_finding(site: Cast) -> None:
    evaluation = Evaluation.objects.get(run__tag="poor")
    tamper(evaluation, values=np.nextafter(evaluation.matrix(), 2.0).tobytes())
    code, said, _ = verify("scores")
    assert code == 0
    assert "1 scores computed anew, the same within 1e-12" in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"topics_answered": 9}, "the topics answered"),
        ({"missed": ["1"]}, "the topics missed"),
        ({"unjudged_at_10": 0.5}, "the unjudged of the first 10"),
    ],
)
def test_what_boards_tell_of_a_run_besides_its_scores_is_computed_anew(site: Cast, changed, words: str) -> None:
    evaluation = Evaluation.objects.first()
    rewrite_evaluation(evaluation, **changed)
    assert f"Computed anew, {words} differ." in verify("scores", "--all-scores")[2]


def test_a_text_of_another_content_than_the_checksum_of_its_collection_is_found(site: Cast) -> None:
    collection = site.task.collection
    texts_checksum_compute(
        collection_id=collection.pk, version=collection.documents_version, report=lambda done, total, what: None
    )
    assert verify("documents")[0] == 0
    tamper(Document.objects.get(collection=collection, docno="a"), text="another")
    code, _, findings = verify("documents")
    assert code == 1
    assert "Its texts are not those of their checksum." in findings
    documents_changed(collection.pk)  # a checksum of an earlier version says nothing
    assert verify("documents")[0] == 0


def test_a_mean_that_was_changed_is_found(site: Cast) -> None:
    evaluation = Evaluation.objects.get(run__tag="good")
    tamper(evaluation, means=json.dumps({**evaluation.means, "AP": 0.123}))
    assert "Its AP is not what its values by topic give" in verify("scores", "--sample", "0")[2]


def test_what_breaks_a_comparison_off_is_a_finding_and_the_other_sections_go_on(site: Cast) -> None:
    broken = Evaluation.objects.get(run__tag="good")
    tamper(broken, measures=json.dumps(["AP", "NoSuchMeasure"]))
    tamper(Leaderboard.objects.get(), sha256="0" * 64)
    code, _, findings = verify("scores", "boards")
    assert code == 1
    named = f"evaluation {broken.pk} of campaign {site.campaign.slug}"
    assert f"{named}: It cannot be compared: UnknownMeasureError" in findings
    assert "The SHA-256 by which it is cited" in findings


def test_scores_under_qrels_of_other_bytes_are_found(site: Cast) -> None:
    tamper(Evaluation.objects.get(run__tag="good"), qrels_sha256="0" * 64)
    assert "were computed from qrels of other bytes" in verify("scores", "--sample", "0")[2]


def test_a_published_board_whose_checksum_was_changed_is_found(site: Cast) -> None:
    tamper(Leaderboard.objects.get(), sha256="0" * 64)
    code, _, findings = verify("boards", "audit")
    assert code == 1
    assert "The SHA-256 by which it is cited" in findings
    assert "has another SHA-256 than the row" in findings


def test_a_working_board_with_values_of_other_scores_is_found(
    site: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    board = WorkingBoard.objects.get()
    evaluation = Evaluation.objects.get(run__tag="poor")
    tamper(evaluation, values=(evaluation.matrix() / 2).tobytes())
    assert "Its values of the run poor are not those of the run's scores" in verify("boards")[2]
    assert str(board) in verify("boards")[2]


def test_a_release_that_the_log_tells_of_and_that_is_gone_is_found(site: Cast) -> None:
    event = AuditEvent.objects.get(verb="released")
    tamper(event, object_id="999999")
    assert "tells of a release that is no longer there" in verify("audit")[2]


def test_a_byte_in_the_file_of_qrels_is_found_and_does_not_end_the_verification(site: Cast) -> None:
    path = place(str(Qrels.objects.get().file.name))
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"a 2", b"a 1"))
    code, _, findings = verify()
    assert code == 1
    assert "damaged, set aside" in findings
    assert "cannot be read, and nothing of it can be compared" in findings


def test_the_findings_are_printed_as_one_object_for_programs(site: Cast) -> None:
    tamper(Qrels.objects.get(), relevant_count=17)
    code, said, findings = verify("qrels", "--json")
    told = json.loads(said)
    assert (code, findings) == (1, "")
    assert told["sections"] == ["qrels"]
    assert [one["section"] for one in told["findings"]] == ["qrels"]


def test_a_section_that_is_unknown_is_refused_with_those_that_there_are() -> None:
    code, _, refusal = verify("everything")
    assert code == 2
    assert "There are: files, pools" in refusal


def test_the_same_seed_chooses_the_same_scores() -> None:
    keys = list(range(1000))
    assert Extent(5, 1).chosen(keys) == Extent(5, 1).chosen(keys) != Extent(5, 2).chosen(keys)


def test_the_sweep_asks_for_a_verification_once_and_never_where_it_is_off(
    site: Cast, settings, django_capture_on_commit_callbacks: Callable
) -> None:
    settings.VERIFY_DAYS = 0
    assert verify_when_due() == 0
    settings.VERIFY_DAYS = 7
    with django_capture_on_commit_callbacks(execute=True):
        assert [verify_when_due(), verify_when_due()] == [1, 0]
    assert Verification.objects.get().found == 0
    assert verify_when_due() == 0


def test_scores_that_were_asked_for_again_leave_the_site_without_findings(
    site: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=site.organiser, task=site.task)
    assert verify("--all-scores")[0] == 0
