"""What a release makes of a sampled pool: the file of the sample, what it lacks, and what is said of it."""

from collections import Counter
from io import BytesIO
from typing import Any

import polars as pl
import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from campaign.storage import store
from campaign.storage.reading import verified_bytes
from judging.core.samples import judged_sample
from judging.models import Assignment, Qrels
from judging.qrels.selectors.releases import release_draft, released_table
from judging.qrels.selectors.sample_labels import sample_consequences
from judging.qrels.services.releases import qrels_release
from pooling.core.preview.exactness import reach_of
from pooling.core.strategies.frames import frame_file
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import CHOSEN, ELSEWHERE, FOUND
from pooling.models import Pool, PoolChoice, PoolEntry
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import assign, client_of, judge, make_pool

DRAWN = {"a": (1, 1.0), "b": (1, 1.0), "c": (2, 0.5), "d": (2, 0.5)}
UNDRAWN = {"x": 2, "y": 2}
grades = st.dictionaries(st.tuples(st.sampled_from("12"), st.sampled_from("abcdefgh")), st.integers(-2, 3))
documents = st.dictionaries(
    st.tuples(st.sampled_from("12"), st.sampled_from("abcdefgh")),
    st.tuples(st.integers(1, 3), st.sampled_from([None, 0.25, 1.0])),
)


def table(rows: list[tuple], **columns: Any) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, **columns}, orient="row")


def sample_by_hand(documents: dict, grades: dict) -> dict[str, Any]:
    of_stratum: dict[tuple[str, int], list[tuple[str, int, bool]]] = {}
    for (topic, docno), (stratum, probability) in documents.items():
        grade = grades.get((topic, docno), -1) if probability is not None else -1
        of_stratum.setdefault((topic, stratum), []).append((docno, grade, probability is not None))
    found: dict[str, Any] = {"rows": [], "waiting": [], "partly": [], "unusable": []}
    for (topic, stratum), held in sorted(of_stratum.items()):
        graded, waits = any(grade >= 0 for _, grade, _ in held), any(drawn and grade == -1 for _, grade, drawn in held)
        if not graded and not waits:
            found["unusable"].append((topic, stratum))
            continue
        found["rows"] += [(topic, docno, grade, stratum) for docno, grade, _ in held]
        if waits:
            found["partly" if graded else "waiting"].append((topic, stratum))
    return found


@given(documents, grades)
def test_the_sample_by_strata_is_that_of_a_walk_over_all_documents(documents: dict, grades: dict) -> None:
    held = table([(*pair, *of) for pair, of in documents.items()], stratum=pl.Int32, inclusion_probability=pl.Float64)
    graded = table([(*pair, grade) for pair, grade in grades.items()], grade=pl.Int32)
    sample, expected = judged_sample(held, graded, "stratum"), sample_by_hand(documents, grades)
    assert Counter(sample.table.select("topic", "docno", "grade", "stratum").rows()) == Counter(expected["rows"])
    for name in ("waiting", "partly", "unusable"):
        assert [(row.topic, row.stratum) for row in getattr(sample, name)] == expected[name]


@given(documents, grades)
def test_the_sample_with_probabilities_keeps_the_grades_of_what_was_not_drawn(documents: dict, grades: dict) -> None:
    held = table([(*pair, *of) for pair, of in documents.items()], stratum=pl.Int32, inclusion_probability=pl.Float64)
    graded = table([(*pair, grade) for pair, grade in grades.items()], grade=pl.Int32)
    sample = judged_sample(held, graded, "probability")
    expected = [(*pair, grades.get(pair, -1), probability) for pair, (_, probability) in documents.items()]
    assert Counter(sample.table.select("topic", "docno", "grade", "probability").rows()) == Counter(expected)
    assert sample.unjudged == sum(p is not None and grade < 0 for *_, grade, p in expected)


def make_sampled_pool(cast: Cast, strategy: str = "stratified", version: int = 1) -> Assignment:
    """A pool of topic 401 that was drawn by strata: 1 is whole, of 2 two of four documents were drawn."""
    [topic] = cast.task.topics.all() or make_topics(cast.task, ["401"])
    frame = table([("401", docno, stratum) for docno, stratum in UNDRAWN.items()], stratum=pl.Int32)
    stored = store(BytesIO(frame_file(frame)), folder="pools", suffix=".parquet")
    spec = PoolSpec.with_defaults(strategy)
    reach = reach_of(spec)
    pool = Pool.objects.create(
        task=cast.task,
        version=version,
        strategy=strategy,
        spec=spec.to_json(),
        whole=reach.whole,
        sampled_by=reach.sampling,
        size=len(DRAWN),
        sha256="0" * 64,
        frame=stored.name,
        frame_sha256=stored.sha256,
        frozen_by=cast.organiser,
    )
    add(pool, *DRAWN)
    return assign(pool, topic, cast.assessor, cast.organiser)


def add(pool: Pool, *docnos: str, source: str = PoolEntry.DRAWN) -> None:
    start = PoolEntry.objects.filter(pool=pool).count() + 1
    [topic] = pool.task.topics.all()
    for position, docno in enumerate(docnos, start=start):
        stratum, probability = DRAWN.get(docno, (CHOSEN if source == PoolEntry.CHOSEN else FOUND, 1.0))
        sampled = {"stratum": stratum, "inclusion_probability": probability, "source": source}
        values = {"docno": docno, "position": position, "best_position": 1, "run_count": 1}
        PoolEntry.objects.create(pool=pool, topic=topic, **values, **sampled)


@pytest.fixture
def sampled(cast: Cast) -> Assignment:
    make_collection(cast.task, ["a", "b", "c", "d", "x", "y", "z", "w"])
    return make_sampled_pool(cast)


def release(cast: Cast, assignment: Assignment, **values: Any) -> Qrels:
    return qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool, **values)


def sample_lines(qrels: Qrels) -> list[str]:
    return verified_bytes(str(qrels.sample_file.name), found_by="a test").decode().splitlines()


def test_released_qrels_of_a_sampled_pool_hold_the_strata_of_all_that_could_have_been_drawn(
    cast: Cast, sampled: Assignment
) -> None:
    for docno, grade in zip("abcd", (2, 0, 1, 0), strict=True):
        judge(sampled, docno, grade)
    qrels = release(cast, sampled)
    assert sample_lines(qrels) == [
        "401 0 a 1 2",
        "401 0 b 1 0",
        "401 0 c 2 1",
        "401 0 d 2 0",
        "401 0 x 2 -1",
        "401 0 y 2 -1",
    ]
    assert released_table(qrels, "overall")["docno"].to_list() == list("abcd"), "other measures read what was judged"
    assert released_table(qrels, "strata").filter(pl.col("grade") < 0)["stratum"].to_list() == [2, 2]
    assert qrels.sampled_by == "stratum"
    assert qrels.checksums["sample_sha256"] == qrels.sample_sha256 != ""
    with pytest.raises(ValidationError, match="Nothing has changed"):
        release(cast, sampled)


def test_what_was_chosen_found_or_judged_elsewhere_forms_strata_of_its_own(cast: Cast, sampled: Assignment) -> None:
    """Chosen x leaves the frame; found y stays in it, since it could have been drawn; z could not; w is of pool 1."""
    sampled.pool.task.refresh_from_db()
    earlier, topic = sampled.pool, sampled.topic
    add(earlier, "w", source=PoolEntry.FOUND)
    judge(sampled, "w", 3)
    assignment = make_sampled_pool(cast, version=2)
    add(assignment.pool, "x", source=PoolEntry.CHOSEN)
    PoolChoice.objects.create(pool=assignment.pool, topic=topic, step=1, docno="x", policy="maxmean", seed=0)
    add(assignment.pool, "y", "z", source=PoolEntry.FOUND)
    for docno in "abcdxyz":
        judge(assignment, docno, 1)
    assert assignment.topic == topic
    assert sample_lines(release(cast, assignment)) == [
        "401 0 a 1 1",
        "401 0 b 1 1",
        "401 0 c 2 1",
        "401 0 d 2 1",
        f"401 0 w {ELSEWHERE} 3",
        f"401 0 x {CHOSEN} 1",
        "401 0 y 2 -1",
        f"401 0 z {FOUND} 1",
    ]


def test_with_probabilities_what_was_not_drawn_has_none(cast: Cast) -> None:
    make_collection(cast.task, list("abcdxy"))
    assignment = make_sampled_pool(cast, "statap")
    for docno in "abc":
        judge(assignment, docno, 1)
    draft = release_draft(assignment.pool, "latest")
    assert "Drawn, but without a grade: 1 document." in " ".join(sample_consequences(draft.sample))
    qrels = release(cast, assignment)
    assert sample_lines(qrels)[2:5] == ["401 0 c 1 0.5", "401 0 d -1 0.5", "401 0 x -1 NA"]
    assert released_table(qrels, "probabilities")["probability"].null_count() == 2


def test_a_stratum_of_which_nothing_is_judged_keeps_the_sample_out_of_the_release_and_is_named(
    cast: Cast, sampled: Assignment
) -> None:
    judge(sampled, "a", 1)
    client = client_of(cast, "organiser")
    said = client.get(cast.task.url("qrels_release")).content.decode()
    assert "The pool is a sample, but nothing is judged of stratum 2 of topic 401 (0 of 2)." in said
    qrels = release(cast, sampled)
    assert (qrels.sampled_by, qrels.sample_sha256, list(qrels.files)) == ("", "", ["overall"])
    assert "sample_sha256" not in qrels.checksums
    page = client.get(qrels.get_absolute_url()).content.decode()
    assert "of which not every stratum had a judgment" in page
    assert client.get(cast.task.url("sample_qrels_download", version=1)).status_code == 404


def test_a_stratum_that_is_judged_in_part_is_released_with_what_that_assumes(cast: Cast, sampled: Assignment) -> None:
    for docno in "abc":
        judge(sampled, docno, 1)
    client = client_of(cast, "organiser")
    said = client.get(cast.task.url("qrels_release")).content.decode()
    assert "Judged in part: stratum 2 of topic 401 (1 of 2)." in said
    assert "which holds only if its documents were judged in random order." in said
    page = client.get(release(cast, sampled).get_absolute_url()).content.decode()
    assert "by strata, in a file of five columns, for xinfAP, infNDCG and infP" in page
    download = client.get(cast.task.url("sample_qrels_download", version=1))
    assert f'{cast.task.slug}-sample-qrels-v1.txt"' in download["Content-Disposition"]
    assert b"401 0 d 2 -1\n" in b"".join(download.streaming_content)


def test_a_stratum_of_which_nothing_could_be_judged_is_left_out_of_the_sample(cast: Cast, sampled: Assignment) -> None:
    for docno, grade in zip("abcd", (1, 0, None, None), strict=True):
        judge(sampled, docno, grade)
    draft = release_draft(sampled.pool, "latest")
    assert "Nothing that was drawn could be judged of stratum 2 of topic 401 (0 of 2)" in " ".join(
        sample_consequences(draft.sample)
    )
    assert sample_lines(release(cast, sampled)) == ["401 0 a 1 1", "401 0 b 1 0"]


def test_many_strata_are_not_named_one_by_one() -> None:
    held = table([(str(n), "a", 1, 1.0) for n in range(30)], stratum=pl.Int32, inclusion_probability=pl.Float64)
    [said] = sample_consequences(judged_sample(held, table([], grade=pl.Int32), "stratum"))
    assert "stratum 1 of topics 0 (0 of 1), 1 (0 of 1), 2 (0 of 1)" in said
    assert "19 (0 of 1) and 10 more." in said
    assert sample_consequences(None) == []


def test_a_pool_that_is_no_sample_has_no_second_file(cast: Cast) -> None:
    make_collection(cast.task, ["a"])
    [topic] = make_topics(cast.task, ["401"])
    pool = make_pool(cast.task, {topic: ["a"]}, cast.organiser)
    judge(assign(pool, topic, cast.assessor, cast.organiser), "a", 1)
    assert release_draft(pool, "latest").sample is None
    assert qrels_release(actor=cast.organiser, task=cast.task, pool=pool).sample_file == ""
