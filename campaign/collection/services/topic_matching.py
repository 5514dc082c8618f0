"""Files whose topic numbers are spelt otherwise than those of the task: matched where the sender asks for it, else offered."""

from collections.abc import Collection, Mapping

from campaign.collection.services.imports import encoding_of, import_file
from campaign.formats.problems import ProblemLog
from campaign.formats.source import Limits
from campaign.formats.topic_matching import first_columns, matches_in_words, matching_topics
from campaign.models import Import
from campaign.text.plurals import number_of

MATCH_TOPICS = "match_topics"
"""The option of an import by which topic numbers are matched by their numerals."""


def without_topics() -> ProblemLog:
    """The problem of a file for a task without topics, in place of one for each topic of the file."""
    problems = ProblemLog()
    problems.add("topics_none", "The task has no topics yet.", "Import topics first.")
    return problems


def topics_asked_for(import_: Import, topics: Collection[str], limits: Limits) -> Mapping[str, str]:
    """The topic of the task for each number of the file that is spelt otherwise; empty where the sender did not ask for it."""
    return _matches(import_, topics, limits) if import_.options.get(MATCH_TOPICS, False) else {}


def tell_of_topics(
    import_: Import, topics: Collection[str], limits: Limits, matches: Mapping[str, str], problems: ProblemLog
) -> None:
    """Say which numbers were matched; where unknown ones could be, say how."""
    if import_.options.get(MATCH_TOPICS, False):
        message, remedy = "No topic number of the file was matched by numerals.", ""
        if matches:
            message = f"{number_of(len(matches), 'topic number')} of the file matched by numerals: {matches_in_words(matches)}."
            remedy = "If these are other topics, send the file again without the match of topic numbers."
        problems.add("topics_matched", message, remedy, severity="warning")
    elif problems.by_code.get("topic_unknown") and (could := _matches(import_, topics, limits)):
        message = f"{number_of(len(could), 'topic number')} could be matched by numerals: {matches_in_words(could)}."
        remedy = (
            "If these are the same topics, send the file again with the tick “Match topic numbers by their numerals” "
            "(--match-topics by command, match_topics=true by program)."
        )
        problems.add("topics_would_match", message, remedy, severity="warning")


def _matches(import_: Import, topics: Collection[str], limits: Limits) -> dict[str, str]:
    with import_file(import_) as file:
        return matching_topics(first_columns(file, limits, topics, encoding_of(import_)), topics)
