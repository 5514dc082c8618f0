"""Every state that a page shows has a tone, and a state without one is an error."""

import pytest
from django.apps import apps

from campaign.models import Run
from campaign.models.tones import TONES, Toned
from campaign.runs.selectors.lists import SHOWN_STATES, RunRow
from judging.progress.selectors.progress import Progress
from runpool.overview.selectors.campaigns import CampaignEntry

COLUMNS = [
    column
    for model in apps.get_models()
    for column in model._meta.get_fields()
    if column.name == "state" and getattr(column, "choices", None)
]


@pytest.mark.parametrize("column", COLUMNS, ids=str)
def test_each_state_of_a_model_has_a_tone(column) -> None:
    assert issubclass(column.model, Toned)
    assert set(column.model.TONES) == dict(column.flatchoices).keys()


def test_each_state_that_is_worked_out_has_a_tone() -> None:
    assert len(COLUMNS) == 5
    assert set(RunRow.TONES) == set(SHOWN_STATES)
    assert set(CampaignEntry.TONES) == {"draft", "open", "published", "closed", "archived"}
    assert set(Progress.TONES) == {Progress.DONE, Progress.IN_PROGRESS, Progress.WAITING, Progress.HANDED_OVER}


def test_the_tones_are_those_that_a_page_can_draw() -> None:
    used = {tone for kind in Toned.__subclasses__() for tone in kind.TONES.values()}
    assert used <= set(TONES)


def test_a_state_without_a_tone_is_an_error() -> None:
    with pytest.raises(KeyError, match="lost"):
        _ = Run(state="lost").tone
