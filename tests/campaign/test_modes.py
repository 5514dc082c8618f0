import pytest
from django.core.exceptions import ValidationError

from campaign import modes
from campaign.modes import MODES, Mode, UnknownModeError, grade_0_and_another, mode_choices, mode_named, register
from campaign.setup.services.tasks import task_create, task_update
from tests.factories import Cast

SCALE = ({"value": 0, "label": "no"}, {"value": 1, "label": "yes"})


def make_mode(name: str) -> Mode:
    return Mode(name=name, label=name.title(), scale=SCALE, measures=("AP",))


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modes, "MODES", {})


def test_the_product_has_three_modes_in_the_order_of_its_forms() -> None:
    assert mode_choices() == [
        ("binary", "binary"),
        ("graded", "graded"),
        ("subtopic", "graded, with subtopics"),
    ]
    assert modes.DEFAULT_MODE in MODES


def test_every_mode_starts_with_a_scale_that_it_accepts_and_with_measures() -> None:
    for mode in MODES.values():
        assert mode.scale_problem([step["value"] for step in mode.scale]) == ""
        assert len(set(mode.measures)) == len(mode.measures) > 0


def test_a_registered_mode_is_found_by_its_name(empty: None) -> None:
    mode = make_mode("sorted")
    register(mode)
    register(mode)
    assert mode_named("sorted") is mode
    assert mode_choices() == [("sorted", "Sorted")]


def test_two_modes_of_one_name_and_names_that_do_not_fit_are_refused(empty: None) -> None:
    register(make_mode("sorted"))
    with pytest.raises(ValueError, match="Two judging modes are called “sorted”"):
        register(make_mode("sorted"))
    with pytest.raises(ValueError, match="longer than 20 characters"):
        register(make_mode("x" * 21))


@pytest.mark.parametrize("name", ["sorted", "", None, ["binary"], 3])
def test_an_unknown_mode_is_answered_by_those_that_there_are(name: object) -> None:
    with pytest.raises(UnknownModeError, match=r"There is no judging mode .* Use one of: binary, graded, subtopic"):
        mode_named(name)


@pytest.mark.parametrize(
    ("values", "is_right"), [([0, 1], True), ([3, 0], True), ([0], False), ([1, 2], False), ([], False)]
)
def test_a_grade_scale_needs_grade_0_and_another(values: list[int], is_right: bool) -> None:
    assert (grade_0_and_another(values) == "") is is_right


@pytest.mark.parametrize("name", ["sorted", ["binary"], None])
def test_no_task_is_created_with_or_changed_to_a_mode_that_there_is_not(cast: Cast, name: object) -> None:
    with pytest.raises(ValidationError, match="There is no judging mode"):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug="x", title="X", judging_mode=name)
    with pytest.raises(ValidationError, match="There is no judging mode"):
        task_update(actor=cast.organiser, task=cast.task, judging_mode=name)
    cast.task.refresh_from_db()
    assert cast.task.judging_mode == "graded"
    assert cast.campaign.tasks.count() == 1
