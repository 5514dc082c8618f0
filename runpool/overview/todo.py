"""What waits for a person in a task, counted. Phase bar, home page, pages of campaigns and cards all say it from here."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from campaign.collection.selectors.todo import imports_to_confirm
from campaign.models import Task, User
from campaign.navigation import Todo
from campaign.runs.selectors.todo import runs_to_check_again, runs_to_mend
from evaluation.selectors.todo import scores_to_publish
from judging.preferences.selectors import preferences_to_judge
from judging.selectors.todo import judging_to_organise, pools_to_build, topics_to_judge

TodosOf = Callable[[User, Sequence[Task]], Iterable[Todo]]
"""The number of its queries does not grow with tasks in which nothing waits."""

OF_ORGANISERS: tuple[TodosOf, ...] = (
    imports_to_confirm,
    runs_to_check_again,
    pools_to_build,
    judging_to_organise,
    scores_to_publish,
)
OF_ASSESSORS: tuple[TodosOf, ...] = (topics_to_judge, preferences_to_judge)
OF_PARTICIPANTS: tuple[TodosOf, ...] = (runs_to_mend,)
"""Each in the order of the work: what comes first is the next step."""


def todos(lists: Sequence[TodosOf], user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    for todos_of in lists if tasks else ():
        yield from todos_of(user, tasks)
