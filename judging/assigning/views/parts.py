"""The page *Assign topics* in parts: sharing stands first, every other way is folded and says its present state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format

from campaign.models import Role, Task, User
from campaign.text.plurals import listed, number_of, work_time
from judging.assigning.forms import HOURS, DistributeForm
from judging.assigning.selectors.planning import Unassigned, unassigned_of
from judging.assigning.selectors.workload import (
    Given,
    Load,
    assessor_roles,
    conflicts,
    draws_of,
    given_in,
    loads,
    overdue,
    rules_of,
)
from judging.models import AssigningRules, Assignment
from judging.progress.selectors.progress import Overall, task_overall
from judging.progress.selectors.progress_counts import shares_of
from pooling.models import Pool
from pooling.selectors.sizes import topic_sizes

OVERDUE_SHOWN = 100
HOW = ("by", "avoids_conflicts", "reads", "only", "most")
"""What few change of a sharing: it is folded below the assessors."""


@dataclass(frozen=True, slots=True)
class Part:
    """A folded part. `said`: its present state; `name`: of its form and plan, "" where it has none."""

    key: str
    title: str
    template: str
    said: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Sharing:
    """The first part: what nobody has, `how` it would be shared, and, where somebody has everything, what is left to judge."""

    unassigned: Unassigned
    how: list[Any]
    how_said: str
    how_is_open: bool
    left: Overall | None

    @property
    def what(self) -> str:
        """Topics, and parts of topics, in words; "" where somebody has everything."""
        named = [
            number_of(self.unassigned.topics, "topic") if self.unassigned.topics else "",
            f"{number_of(self.unassigned.parts, 'part')} of topics" if self.unassigned.parts else "",
        ]
        return listed([one for one in named if one])


def loads_in_words(pool: Pool, people: Sequence[User]) -> dict[int, str]:
    """By the key of the user: topics, documents and hours now, and the team whose runs are in the pool."""
    teams = conflicts(pool, people)
    said = {}
    for load in loads(pool, people):
        team = teams.get(load.user.pk)
        said[load.user.pk] = _load(load) + (f"; member of {team}, whose runs are in the pool" if team else "")
    return said


def _load(load: Load) -> str:
    if not load.topics and not load.documents:
        return "nothing yet"
    said = [number_of(load.topics, "topic"), number_of(load.documents, "document")]
    return ", ".join([*said, work_time(load.hours)] if load.documents else said)


def assigning_parts(task: Task, pool: Pool, forms: Mapping[str, Any], waits: str) -> dict[str, Any]:
    """What the page shows of the first part and of the folded ones; `waits`: the plan whose preview waits."""
    free, given, draws = unassigned_of(pool), given_in(pool), draws_of(pool)
    late = list(overdue(task)[:OVERDUE_SHOWN])

    def part(name: str, title: str, said: str) -> Part:
        return Part(name, title, f"judging/_assign_{name}.html", said, name == waits or bool(forms[name].errors))

    parts = [
        *([Part("overdue", "Overdue", "judging/_assign_overdue.html", _overdue(late))] if late else []),
        Part("grid", "Tick topics and assessors", "judging/_assign_grid.html", _grid(given, topic_sizes(pool))),
        part("assign", "By hand", _by_hand(given)),
        part("overlap", "Second opinions", _passes_in_words(given, is_repeat=False)),
        part("repeats", "Hidden repeats", _passes_in_words(given, is_repeat=True)),
        part("rules", "Due date, and self-assignment", _rules(rules_of(task))),
        part("languages", "Languages", _languages(assessor_roles(task))),
    ]
    if draws:
        shares = f"{number_of(len(draws), 'share')} drawn of topics, with their seeds"
        parts.append(Part("draws", "Drawn shares", "judging/_assign_draws.html", shares))
    return {"sharing": _sharing(pool, forms["distribute"], free), "parts": parts, "overdue": late, "draws": draws}


def _sharing(pool: Pool, form: DistributeForm, free: Unassigned) -> Sharing:
    how = [form[name] for name in HOW]
    left = None if free.topics or free.parts else task_overall([pool], shares_of([pool]))
    return Sharing(free, how, _how(form), any(field.errors for field in how), left)


def _how(form: DistributeForm) -> str:
    value = {name: form[name].value() for name in HOW}
    said = [
        "the same number of hours" if value["by"] == HOURS else "the same number of documents",
        f"members of teams whose runs are in the pool {'get none' if value['avoids_conflicts'] else 'get topics too'}",
        f"only readers of {value['reads']}" if value["reads"] else "",
        "only some topics" if value["only"] else "",
        f"topics of more documents than {value['most']} divided" if value["most"] else "",
    ]
    return "; ".join(one for one in said if one)


def _overdue(late: Sequence[Assignment]) -> str:
    least = "at least " if len(late) == OVERDUE_SHOWN else ""
    first: Any = late[0]
    return f"{least}{number_of(len(late), 'assignment')}, the first since {date_format(first.due, 'j M Y')}"


def _grid(given: Sequence[Given], sizes: Mapping[int, int]) -> str:
    first = sum(one.topics for one in given if one.pass_number == 1)
    return f"{first:,} of {number_of(len(sizes), 'topic')} assigned in pass 1"


def _by_hand(given: Sequence[Given]) -> str:
    divided = max((one.divided for one in given), default=0)
    state = f"{number_of(divided, 'topic')} divided into parts" if divided else "no topic is divided into parts"
    return f"topics, or parts of them, to one person; {state}"


def _passes_in_words(given: Sequence[Given], *, is_repeat: bool) -> str:
    """In words, which share of how many topics each pass after the first has; "none" where there are no such passes.

    `is_repeat`: of the hidden repeats, or else of the second opinions.
    """
    said = [
        f"{'whole topics' if one.share is None else f'{100 * one.share:.3g} %'} of {number_of(one.topics, 'topic')} in pass "
        f"{one.pass_number}"
        for one in given
        if one.is_repeat == is_repeat and one.pass_number > 1
    ]
    return "; ".join(said) or "none"


def _rules(rules: AssigningRules) -> str:
    due = f"due on {date_format(rules.due_on, 'j M Y')}" if rules.due_on else "no due date"
    taking = (
        f"take topics themselves, {rules.topics_at_once} at once" if rules.topics_are_open else "take none themselves"
    )
    return f"{due}; assessors {taking}"


def _languages(roles: Sequence[Role]) -> str:
    noted = [role.languages_read for role in roles if role.languages_read]
    if not noted:
        return "none noted"
    named = sorted({language for languages in noted for language in languages})
    return f"{listed(named)}; noted for {len(noted)} of {number_of(len(roles), 'assessor')}"
