"""PURE: all judging modes by name. A new mode is a module with a `MODE`, named here."""

from collections.abc import Mapping
from typing import Any, Final

from campaign.modes import UnknownModeError
from judging.core.modes import grades, subtopic
from judging.core.modes.declaration import Answers, JudgingMode

MODES: Final[dict[str, JudgingMode]] = {mode.name: mode for mode in (grades.BINARY, grades.GRADED, subtopic.MODE)}


def judging_mode(name: str) -> JudgingMode:
    """The mode of this name. Raises UnknownModeError.

    >>> judging_mode("graded").name
    'graded'
    """
    if name not in MODES:
        raise UnknownModeError(name)
    return MODES[name]


def answers_in(sent: Mapping[str, Any]) -> Answers:
    """Those of the values sent with an act that some mode reads, whether or not it is the task's.

    >>> answers_in({"grade": "1", "note": "seen", "subtopics": ["2"]})
    {'subtopics': ['2']}
    """
    names = frozenset[str]().union(*(mode.answers for mode in MODES.values()))
    return {name: sent[name] for name in names & sent.keys()}
