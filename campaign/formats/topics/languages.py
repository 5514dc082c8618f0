"""Files that hold each topic, or parts of it, in several languages: one of them is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.topics.drafts import TopicDraft

ENGLISH = "en"
HOW_TO_CHOOSE = (
    "To read another one, write its code under “Language” when you send the file (--language by command, language by "
    "program)."
)


def nearest(languages: Iterable[str], wanted: str) -> str:
    """The language that has the wanted code, else one with a region, else one that begins so; "" for none.

    >>> nearest(["est", "es-mx", "es"], "es"), nearest(["est", "es-mx"], "es"), nearest(["est"], "es"), nearest(["fr"], "es")
    ('es', 'es-mx', 'est', '')
    """
    found = [one for one in languages if one.startswith(wanted)]
    return min(found, key=lambda one: (one != wanted, not one.startswith(f"{wanted}-")), default="")


@dataclass(slots=True)
class LanguageChoice:
    """Of several languages the one that the sender wants is read, else English, else the first."""

    wanted: str
    read: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    lacking: Counter[str] = field(default_factory=Counter)
    """What is read in another language than the wanted one."""

    def of(self, there: Sequence[str]) -> str:
        return (self.wanted and nearest(there, self.wanted)) or nearest(there, ENGLISH) or there[0]

    def count(self, language: str, read: str, name: str) -> None:
        count_name(self.read if language == read else self.left_out, language)
        if language == read and not language.startswith(self.wanted):
            count_name(self.lacking, name)

    def note(self, what: str, mark: str, problems: ProblemLog, line: int | None = None) -> None:
        if not (self.left_out or self.lacking):
            return
        message = f"{what} stand in several languages. Read: {listed(self.read, '“{}”')}"
        message += f"; left out: {listed(self.left_out, '“{}”')}." if self.left_out else "."
        if self.lacking:
            message += f" Not in “{self.wanted}”, and read in another language: {listed(self.lacking, mark)}."
        problems.add("topic_languages", visible(message, 1_000), HOW_TO_CHOOSE, line=line, severity="warning")


def of_one_language(drafts: Sequence[TopicDraft], wanted: str, problems: ProblemLog) -> Sequence[TopicDraft]:
    """The topics without those that stand in another language as well: `wanted`, English, or else the first of the number.

    >>> drafts = [TopicDraft(1, "7", "Drachen", language="de"), TopicDraft(2, "7", "kites", language="en")]
    >>> [of_one_language(drafts, wanted, ProblemLog())[0].title for wanted in ("", "de")]
    ['kites', 'Drachen']
    """
    languages: dict[str, dict[str, None]] = defaultdict(dict)
    for draft in drafts:
        languages[draft.number][draft.language] = None
    choice = LanguageChoice(wanted)
    chosen = {number: choice.of(list(there)) for number, there in languages.items() if "" not in there}
    kept, first = [], 0
    for draft in drafts:
        read = chosen.get(draft.number, draft.language)
        if draft.language == read:
            kept.append(draft)
        else:
            first = first or draft.line
        if draft.language:
            choice.count(draft.language, read, draft.number)
    choice.note("Topics", "{}", problems, first or None)
    return kept
