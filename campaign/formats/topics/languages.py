"""Files that hold each topic in several languages: one of them is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.topics.dialects import ENGLISH
from campaign.formats.topics.drafts import TopicDraft

HOW_TO_CHOOSE = (
    "To read another one, write its code under “Language” when you send the file (--language by command, language by "
    "program)."
)


def of_one_language(drafts: Sequence[TopicDraft], wanted: str, problems: ProblemLog) -> Sequence[TopicDraft]:
    """The topics without those that stand in another language as well: `wanted`, English, or else the first of the number.

    >>> drafts = [TopicDraft(1, "7", "Drachen", language="de"), TopicDraft(2, "7", "kites", language="en")]
    >>> [of_one_language(drafts, wanted, ProblemLog())[0].title for wanted in ("", "de")]
    ['kites', 'Drachen']
    """
    languages: dict[str, dict[str, None]] = defaultdict(dict)
    for draft in drafts:
        languages[draft.number][draft.language] = None
    several = {number: there for number, there in languages.items() if len(there) > 1 and "" not in there}
    chosen = {
        number: next((language for language in there if language.startswith(wanted or ENGLISH)), next(iter(there)))
        for number, there in several.items()
    }
    read: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    kept, first = [], 0
    for draft in drafts:
        if draft.number not in chosen:
            kept.append(draft)
        elif draft.language == chosen[draft.number]:
            kept.append(draft)
            count_name(read, draft.language)
        else:
            count_name(left_out, draft.language)
            first = first or draft.line
    if left_out:
        message = (
            f"Topics stand in several languages. Read: {listed(read, '“{}”')}; left out: {listed(left_out, '“{}”')}."
        )
        problems.add("topic_languages", visible(message, 1_000), HOW_TO_CHOOSE, line=first, severity="warning")
    return kept
