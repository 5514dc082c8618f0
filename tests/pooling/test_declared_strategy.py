"""A strategy declared here, and nowhere else, goes all the way: form, preview, command, freezing, stored pool, file."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaign.models import Job
from campaign.queue.jobs import enqueue
from pooling.core.strategies import registry
from pooling.core.strategies.declaration import PAIR, Candidates, Selection, Strategy, documents
from pooling.core.strategies.drawing import SelectionError, draw_pool, pool_file
from pooling.core.strategies.parameters import Choice, Number, Pairs, Parameters, Whole, YesNo
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool
from pooling.selectors import pool_preview
from pooling.selectors.pools import FREEZE_POOL, pool_text
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_topics
from tests.judging.makers import assign, judge
from tests.pooling.makers import depth_k, make_valid_run
from tests.pooling.test_depth_k import TOPICS, make_runs, many_runs, seeds
from tests.pooling.test_pool_pages import page, words

Commit = Callable[..., Any]


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """Each document with the rate of the stratum of its best position, times a share; judged ones for certain."""
    pooled = documents(candidates.appearances).sort(PAIR)
    probability = pl.lit(0.0)
    for bound, rate in reversed(parameters["rates"]):
        rate_here = max(0.001, rate * parameters["share"])
        probability = pl.when(pl.col("best_position") <= bound).then(rate_here).otherwise(probability)
    pooled = pooled.with_columns(probability.alias("inclusion_probability"))
    if parameters["keep_judged"]:
        certain = pl.struct(PAIR).is_in(candidates.judged.select(pl.struct(PAIR)).to_series().implode())
        pooled = pooled.with_columns(
            pl.when(certain).then(1.0).otherwise(pl.col("inclusion_probability")).alias("inclusion_probability")
        )
    sampled = pooled.filter(generator.uniform(pooled) < pooled["inclusion_probability"])
    places = -sampled["inclusion_probability"] if parameters["first"] == "certain" else shuffled(sampled, generator)
    details = sampled.select(*PAIR, "inclusion_probability", place=places)
    return Selection(candidates.appearances.join(details, on=PAIR, how="semi"), details)


def shuffled(pooled: pl.DataFrame, generator: SeededGenerator) -> pl.Series:
    draws = {topic: generator.for_topic(topic) for topic in pooled["topic"].cast(pl.String).unique()}
    return pl.Series([draws[topic]() for topic in pooled["topic"].cast(pl.String)], dtype=pl.Float64)


TOY = Strategy(
    name="toy",
    label="toy sample",
    parameters=(
        Pairs(
            name="rates",
            label="Rates",
            help="A rate for each best position up to a bound.",
            first=Whole(name="bound", label="Bound", low=1, high=100, default=10),
            second=Number(name="rate", label="Rate", low=0.001, high=1, default=1.0),
            default=((1, 1.0), (3, 0.5)),
        ),
        Number(name="share", label="Share of the rates", low=0.01, high=1, default=1.0, compared=(0.25, 1.0)),
        Choice(name="first", label="First", choices={"certain": "most certain", "any": "any"}, default="certain"),
        YesNo(name="keep_judged", label="Keep what is judged", default=True),
    ),
    select=select,
    reads=lambda parameters: max(bound for bound, _ in parameters["rates"]),
    covers=lambda parameters: ("An estimate of everything.",),
    contributes=lambda parameters: "sampled documents",
    own_order="most certain first",
    reads_judgments=True,
)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.STRATEGIES, "toy", TOY)


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    make_topics(cast.task, ["1", "2"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": list("abcdefghij"), "2": list("xyz")})
    make_valid_run(cast.task, cast.other_team, "beta", {"1": list("jkbla"), "2": list("yvw")}, priority=2)
    return cast


@pytest.fixture
def organiser(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


def toy_spec(parameters: dict[str, Any] | None = None, **common: Any) -> PoolSpec:
    return PoolSpec.with_defaults("toy", parameters, **common)


def judged_table(pairs: list[tuple[str, str]]) -> pl.DataFrame:
    rows = [(topic, docno, 1) for topic, docno in pairs]
    return pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")


every_spec = st.one_of(
    st.builds(depth_k, st.integers(1, 8), seed=seeds),
    st.builds(
        toy_spec,
        st.fixed_dictionaries(
            {
                "rates": st.dictionaries(st.integers(1, 8), st.floats(0.001, 1), min_size=1).map(
                    lambda held: tuple(held.items())
                ),
                "first": st.sampled_from(["certain", "any"]),
                "keep_judged": st.booleans(),
            }
        ),
        order=st.sampled_from(["random", "strategy", "run_count"]),
        seed=seeds,
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), many_runs, seeds, st.randoms(use_true_random=False))
def test_the_same_runs_in_any_order_and_the_same_spec_give_the_same_file(
    data: st.DataObject, all_scores: list[dict], seed: int, random: object
) -> None:
    spec, runs = data.draw(every_spec), make_runs(all_scores)
    judged = [(topic, docno) for held in all_scores for topic, docs in held.items() for docno in list(docs)[:1]]
    judged = sorted(set(judged))
    one = draw_pool(runs, TOPICS, spec, judged_table(judged))
    other = draw_pool(random.sample(runs, len(runs)), TOPICS, spec, judged_table(random.sample(judged, len(judged))))
    assert pool_file(one.entries) == pool_file(other.entries)
    assert one.entries.equals(other.entries)
    assert one.tags == other.tags


def test_a_sample_has_the_rates_that_were_asked_for() -> None:
    runs = make_runs([{"9": {f"d{number:04}": float(-number) for number in range(2000)}}])
    entries = draw_pool(runs, TOPICS, toy_spec({"rates": [[100, 0.2]], "keep_judged": False})).entries
    counts = [
        draw_pool(runs, TOPICS, toy_spec({"rates": [[100, 0.2]], "keep_judged": False}, seed=seed)).entries.height
        for seed in range(200)
    ]
    assert set(entries["inclusion_probability"]) == {0.2}
    assert abs(sum(counts) / len(counts) - 20) < 4 * (100 * 0.2 * 0.8 / 200) ** 0.5


def test_a_strategy_is_given_no_more_of_the_runs_than_it_declares_to_read() -> None:
    runs = make_runs([{"9": {"a": 3.0, "b": 2.0, "c": 1.0}}])
    entries = draw_pool(runs, TOPICS, toy_spec({"rates": [[2, 1.0]]})).entries
    assert entries["docno"].sort().to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("details", "message"),
    [
        (None, "gave no places"),
        ({"inclusion_probability": [1.0, 1.0]}, "gave no places"),
        ({"place": [1, 2], "docno": ["a", "z"]}, "one row of details"),
        ({"place": [1, 2], "docno": ["a", "a"]}, "one row of details"),
        ({"place": [1, 2], "inclusion_probability": [0.0, 1.0]}, "outside"),
        ({"place": [1, 2], "inclusion_probability": [float("nan"), 1.0]}, "outside"),
        ({"place": [1, 2], "inclusion_probability": [None, 1.0]}, "outside"),
    ],
)
def test_a_selection_that_is_no_pool_is_refused(
    monkeypatch: pytest.MonkeyPatch, details: dict[str, Any] | None, message: str
) -> None:
    def wrong(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
        pairs = candidates.appearances.select("topic", docno=pl.Series((details or {}).get("docno", ["a", "b"])))
        more = {name: column for name, column in (details or {}).items() if name != "docno"}
        return Selection(candidates.appearances, pairs.with_columns(**map_columns(more)) if details else None)

    def map_columns(columns: dict[str, list[Any]]) -> dict[str, pl.Series]:
        return {name: pl.Series(values) for name, values in columns.items()}

    declared = {name: getattr(TOY, name) for name in TOY.__dataclass_fields__}
    monkeypatch.setitem(registry.STRATEGIES, "toy", Strategy(**{**declared, "select": wrong}))
    with pytest.raises(SelectionError, match=message):
        draw_pool(make_runs([{"9": {"a": 2.0, "b": 1.0}}]), TOPICS, toy_spec())


def settings_of(html: str) -> Iterator[str]:
    for part in html.split('name="')[1:]:
        yield part.split('"', 1)[0]


@pytest.mark.django_db
def test_the_builder_shows_the_fields_that_the_strategy_declares(with_runs: Cast, organiser: Client) -> None:
    html = organiser.get(page(with_runs, "pool_create"), {"strategy": "toy"}).content.decode()
    shown = list(settings_of(html.split('id="pool-form"')[1].split("</form>")[0]))
    own = ["rates", "share", "first", "keep_judged"]
    assert shown == ["strategy", "fields_of", *own, "max_priority", "runs_per_team", "order", "seed", "seconds"]
    assert 'value="1:1 3:0.5"' in html
    assert "A rate for each best position up to a bound." in html
    assert "most certain first" in html
    assert 'name="depth"' not in html


@pytest.mark.django_db
def test_the_preview_shows_what_the_strategy_says_of_its_pool(with_runs: Cast, organiser: Client) -> None:
    response = organiser.get(page(with_runs, "pool_preview"), {"strategy": "toy", "rates": "3:1"})
    text = words(response)
    assert "10 documents to judge" in text  # a b c j k, x y z v w
    assert "An estimate of everything." in text
    assert "Sampled documents; team only" in text
    assert "The strategy reads the judgments" in text
    assert "share 1: 10" in text
    assert "share=0.25" in response.content.decode()


@pytest.mark.django_db
def test_a_change_of_strategy_brings_its_fields_with_their_defaults(with_runs: Cast, organiser: Client) -> None:
    depth_k_page = {"fields_of": "depth-k", "depth": "3", "order": "run_count", "seed": "7"}
    response = organiser.get(page(with_runs, "pool_preview"), {"strategy": "toy", **depth_k_page})
    html = response.content.decode()
    assert 'id="pool-settings" hx-swap-oob="true"' in html
    assert 'name="rates"' in html
    assert 'value="7"' in html
    assert response["HX-Replace-Url"] == page(with_runs, "pool_create") + "?strategy=toy&seed=7"
    same = organiser.get(page(with_runs, "pool_preview"), {"strategy": "toy", "fields_of": "toy", "rates": "1:0.5"})
    assert "hx-swap-oob" not in same.content.decode()
    back = organiser.get(
        page(with_runs, "pool_create"), {"strategy": "depth-k", "fields_of": "toy", "order": "strategy"}
    )
    assert back.status_code == 200
    assert 'name="depth"' in back.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rates", "3", "Give a list of pairs such as “1:1 3:0.5”"),
        ("share", "2", "Give a number from 0.01 to 1."),
        ("first", "last", "Give one of certain, any."),
        ("keep_judged", "perhaps", "Give yes or no."),
        ("order", "alphabetical", "Select a valid choice"),
    ],
)
def test_wrong_values_are_answered_in_words_on_the_page_and_by_the_command(
    with_runs: Cast, organiser: Client, name: str, value: str, message: str
) -> None:
    response = organiser.get(page(with_runs, "pool_create"), {"strategy": "toy", name: value})
    assert response.status_code == 422
    assert message in words(response)
    with pytest.raises(CommandError):
        freeze_by_command(with_runs, f"--{name.replace('_', '-')}", value)
    assert not Pool.objects.exists()


def freeze_by_command(cast: Cast, *arguments: str) -> None:
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    call_command("freeze_pool", address, "--as", cast.organiser.username, "--strategy", "toy", *arguments)


ORDERED = {"run_order": "score", "reference": "9"}


@pytest.mark.django_db
def test_the_command_takes_the_parameters_as_options(with_runs: Cast) -> None:
    freeze_by_command(with_runs, "--rates", "2:1 4:0.5", "--keep-judged", "no", "--seed", "3", "--order", "strategy")
    pool = Pool.objects.get()
    assert (pool.strategy, pool.order, pool.seed) == ("toy", "strategy", 3)
    parameters = {"rates": [[2, 1.0], [4, 0.5]], "share": 1.0, "first": "certain", "keep_judged": False}
    assert pool.spec == {"strategy": "toy", "parameters": parameters, "order": "strategy", "seed": 3, **ORDERED}
    assert pool.drawn_by == "toy sample, rates = 2:1 4:0.5, share = 1, first = certain, keep judged = no"
    with pytest.raises(CommandError, match="The strategy toy has no parameter depth"):
        freeze_by_command(with_runs, "--depth", "3")


@pytest.mark.django_db
def test_the_command_explains_the_parameters_of_all_strategies(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("freeze_pool", "--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "--depth VALUE depth-k: a whole number from 1 to 1,000 (default 10)" in text
    assert "--share VALUE toy: a number from 0.01 to 1 (default 1)" in text


@pytest.mark.django_db
def test_freezing_keeps_probabilities_and_the_order_that_was_asked_for(with_runs: Cast) -> None:
    parameters = {"rates": [[1, 1.0], [9, 0.6]]}
    own = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=toy_spec(parameters, order="strategy"))
    blind = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=toy_spec(parameters))
    kept = dict(own.entries.values_list("docno", "inclusion_probability"))
    assert kept == dict(blind.entries.values_list("docno", "inclusion_probability"))
    assert {kept[docno] for docno in "ajxy"} == {1.0}
    assert set(kept.values()) == {1.0, 0.6}
    in_order = (
        own.entries.filter(topic__number="1").order_by("position").values_list("inclusion_probability", flat=True)
    )
    assert list(in_order) == sorted(in_order, reverse=True)
    assert own.sha256 != blind.sha256


@pytest.mark.django_db
def test_freezing_the_same_sample_again_changes_nothing(with_runs: Cast) -> None:
    spec = toy_spec({"rates": [[9, 0.5]]}, order="strategy", seed=11)
    first = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec)
    assert pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=PoolSpec.from_json(first.spec)) == first
    freeze_by_command(with_runs, "--rates", "9:0.5", "--order", "strategy", "--seed", "11")
    assert Pool.objects.count() == 1


@pytest.mark.django_db
def test_the_pages_freeze_the_sample_that_they_showed_and_give_its_file(
    with_runs: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    address = page(with_runs, "pool_create") + "?strategy=toy&fields_of=toy&rates=3:0.5&order=strategy&seed=2"
    question = organiser.get(address + "&ask=1")
    assert "toy sample, rates = 3:0.5" in words(question)
    with django_capture_on_commit_callbacks(execute=True):
        organiser.post(address, {"fingerprint": question.context["preview"].fingerprint, "latest": "0"})
    pool = Pool.objects.get()
    assert pool.size == question.context["preview"].size
    shown = words(organiser.get(pool.get_absolute_url()))
    for fact in (
        "toy sample, rates = 3:0.5",
        "Inclusion probability 0.5 to 0.5",
        "most certain first",
        "sampled documents",
    ):
        assert fact in shown
    content = organiser.get(page(with_runs, "pool_download", version=1)).content
    assert all(line.split(b" ")[3] == b"0.5" for line in content.splitlines())
    assert hashlib.sha256(content).hexdigest() == pool.sha256
    assert "toy sample" in words(organiser.get(page(with_runs, "pool_list")))


@pytest.mark.django_db
def test_what_assessors_have_judged_is_given_to_the_strategy(with_runs: Cast) -> None:
    before = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=depth_k(10))
    topic = with_runs.task.topics.get(number="1")
    for docno, grade in (("i", 1), ("h", None)):
        judge(assign_once(before, topic, with_runs), docno, grade)
    spec = toy_spec({"rates": [[100, 0.01]]})
    preview = pool_preview(with_runs.task, spec)
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec)
    certain = pool.entries.filter(inclusion_probability=1.0).values_list("topic__number", "docno")
    assert set(certain) == {("1", "i"), ("1", "h")}
    assert preview.size == pool.size


def assign_once(pool: Pool, topic: Any, cast: Cast) -> Any:
    return pool.assignments.first() or assign(pool, topic, cast.assessor, cast.organiser)


@pytest.mark.django_db
def test_a_stored_pool_stays_readable_when_its_strategy_is_gone(
    with_runs: Cast, organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=toy_spec(order="strategy"))
    content = pool_text(pool)
    monkeypatch.delitem(registry.STRATEGIES, "toy")
    for name, kwargs in (("pool_list", {}), ("pool_card", {}), ("pool_detail", {"version": 1})):
        response = organiser.get(page(with_runs, name, **kwargs))
        assert response.status_code == 200
        assert "toy, first = certain, keep_judged = True, rates = [[1, 1.0], [3, 0.5]], share = 1.0" in words(response)
    assert organiser.get(page(with_runs, "pool_download", version=1)).content == content


@pytest.mark.django_db
def test_a_job_whose_strategy_is_gone_says_so(
    with_runs: Cast, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Commit
) -> None:
    arguments = {"task_id": with_runs.task.pk, "actor_id": with_runs.organiser.pk, "spec": toy_spec().to_json()}
    monkeypatch.delitem(registry.STRATEGIES, "toy")
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(FREEZE_POOL, **arguments, confirmed=None)
    assert Job.objects.get().state == Job.FAILED
    assert "There is no strategy “toy”" in Job.objects.get().message
