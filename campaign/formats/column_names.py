"""What a column of judgments or a pool holds, by its name: a heading, or a key in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

NOT_IN_NAMES = re.compile(r"[-_#\"'\s]+")
TOPIC, ITERATION, DOCNO, GRADE, OTHER = "topic", "iteration", "docno", "grade", "other"
NAMES = {
    TOPIC: "topic topicid topicno topicnum topicnumber query queryid queryno querynum querynumber q qid qno qnum qnumber",
    ITERATION: "0 q0 iter iteration round subtopic subtopicid subtopicno",
    DOCNO: (
        "doc docid docno docnum docnumber document documentid documentno documentnumber corpusid pid passage passageid "
        "passageno psgid cordid cwid tweetid productid"
    ),
    GRADE: (
        "rel relevance relevancy score grade label judgment judgement qrel relevancegrade relevancelabel relevancelevel "
        "relevancescore escilabel"
    ),
    OTHER: "stratum method probability prob inclusionprobability rank run runid runtag tag system",
}
ROLES = {name: role for role, names in NAMES.items() for name in names.split()}
"""What a column holds, by its heading in small letters without hyphens, low lines and blanks."""
OF_NUMBERS = ("id", "no", "num", "number")


def roles_of(fields: Iterable[str]) -> list[str]:
    """The role of each name; "" for a name that is not known.

    >>> roles_of(["Query-ID", "docno", "text"])
    ['topic', 'docno', '']
    """
    return [ROLES.get(NOT_IN_NAMES.sub("", field.lower()), "") for field in fields]


def order_of(fields: Sequence[str], of_topics: Mapping[int, int] | None = None) -> list[int]:
    """The places of the columns that are read, where headings say all that is needed; samples and runs stay as they are.

    Of several names of a topic the one counts that has the most topics of the task, as `of_topics` says, and then as
    `_rank_of_name` does.
    """
    roles = roles_of(fields)
    counts = of_topics or {}
    places: dict[str, list[int]] = {}
    for place, role in enumerate(roles):
        places.setdefault(role, []).append(place)
    if OTHER in places or DOCNO not in places or any(len(places.get(role, ())) > 1 for role in (ITERATION, GRADE)):
        return []
    chosen = {
        role: min(found, key=lambda place: (-counts.get(place, 0), _rank_of_name(fields[place])))
        for role, found in places.items()
    }
    wanted = [role for role in (TOPIC, ITERATION, DOCNO, GRADE) if role in chosen]
    return [chosen[role] for role in wanted if role != ITERATION or GRADE in chosen]


def _rank_of_name(name: str) -> tuple[bool, bool]:
    """A name of a number stands before a bare one, which may hold a text; then a query before a topic, docno before docid.

    A topic with a number may have many queries, as in files of topics. Of two bare names the topic stands first.

    >>> sorted(["query", "topic", "Topic-ID", "query_id"], key=_rank_of_name)
    ['query_id', 'Topic-ID', 'topic', 'query']
    >>> sorted(["document", "docid", "docno"], key=_rank_of_name)
    ['docno', 'docid', 'document']
    """
    plain = NOT_IN_NAMES.sub("", name.lower())
    if not plain.endswith(OF_NUMBERS):
        return True, not plain.startswith("topic")
    return False, plain.startswith("topic") or (ROLES.get(plain) == DOCNO and plain.endswith("id"))
