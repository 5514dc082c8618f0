"""Who sees a published board, and how much of it."""

from typing import Final

PARTICIPANTS: Final = "participants"
ANONYMOUS: Final = "anonymous"
PUBLIC: Final = "public"

AUDIENCES: Final = {
    PARTICIPANTS: "participants, each team its own scores",
    ANONYMOUS: "everybody, without names",
    PUBLIC: "everybody",
}
"""From the narrowest to the widest."""

SEEN_BY: Final = {
    PARTICIPANTS: (
        "Each team that submitted runs sees the scores of its own runs, and for each topic of which enough teams have a value the"
        " lowest, median and highest of all runs. Nobody else sees it. It does not publish the qrels."
    ),
    ANONYMOUS: (
        "Everybody who can see this task sees the whole board, with pseudonyms in the place of run tags and team names, and"
        " without answers to your questions. A run keeps its pseudonym on later boards; its team is told it. It does"
        " not publish the qrels."
    ),
    PUBLIC: (
        "Everybody who can see this task sees run tags, team names, scores, answers to your questions that have fixed choices,"
        " and the qrels."
    ),
}
"""What each audience sees, in sentences for the organiser."""

FEWEST_TEAMS: Final = 3
"""Teams with a value of a topic from which on participants see the lowest, median and highest: of two, one is the other's."""

LICENCES: Final = {
    "": "not stated",
    "CC0-1.0": "CC0 1.0: no rights reserved",
    "CC-BY-4.0": "CC BY 4.0: use with credit",
    "CC-BY-SA-4.0": "CC BY-SA 4.0: use with credit, under the same licence",
    "CC-BY-NC-4.0": "CC BY-NC 4.0: use with credit, not for commerce",
    "ODC-By-1.0": "ODC-By 1.0: data, use with credit",
}
"""By their SPDX names."""
