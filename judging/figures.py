"""What those who watch the site are told of judging."""

from functools import partial

from campaign.figures import Figure, newest_number, show_figure
from judging.models import Judgment


def show() -> None:
    show_figure(Figure("judgment_acts", "Acts of judging: the number of the newest.", partial(newest_number, Judgment)))
