"""What the readers of runs find, one entry for each rule, and how it is reported. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from campaign.formats.problems import MORE_PLACES, ProblemLog, visible
from campaign.formats.runs.rules import ERROR, FILE, LINE, OFF, RULES, TOPIC, Rule, RunRules, words_of_order


class Told(str):
    """Words made here, of texts that went through `visible`: they may be longer than such a text."""

    __slots__ = ()


@dataclass
class Finding:
    """The first violation of a rule, how many there are, and where the next ones stand: line numbers, or topics.

    `values` fill the rule's message; those of untrusted text went through `visible`.
    """

    code: str
    values: dict[str, str]
    line: int | None = None
    excerpt: str = ""
    count: int = 1
    more: tuple[str, ...] = ()


class Findings:
    """The findings of one file, each rule once. A reader adds violations in the order of the file."""

    def __init__(self) -> None:
        self._by_code: dict[str, Finding] = {}

    def __contains__(self, code: str) -> bool:
        return code in self._by_code

    def __iter__(self) -> Iterator[Finding]:
        """Iterate in file order; findings about the file as a whole come first."""
        return iter(sorted(self._by_code.values(), key=lambda finding: (finding.line or 0, finding.code)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self._by_code == other._by_code

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def add(self, code: str, line: int | None, excerpt: str | bytes, place: str, **values: object) -> None:
        """Record one violation; `place` is the line number or topic that names it after the first one."""
        finding = self._by_code.get(code)
        if finding is None:
            self.put(code, line, excerpt, 1, (), **values)
            return
        finding.count += 1
        if len(finding.more) < MORE_PLACES:
            finding.more += (visible(place),)

    def add_head(self, left_out: Iterable[tuple[int, bytes, str]], unclosed: Iterable[tuple[int, bytes]]) -> None:
        for number, text, what in left_out:
            self.add("head_line", number, text, str(number), what=Told(what))
        for number, text in unclosed:
            self.add("description_open", number, text, str(number))

    def put(
        self, code: str, line: int | None, excerpt: str | bytes, count: int, more: Sequence[str], **values: object
    ) -> None:
        """Record a rule's whole finding at once; `more`: the places after the first, of which at most MORE_PLACES are kept."""
        shown = {name: _shown(value) for name, value in values.items()}
        places = tuple(visible(place) for place in more[:MORE_PLACES])
        self._by_code[code] = Finding(code, shown, line, visible(excerpt), count, places)

    def report(self, rules: RunRules, problems: ProblemLog) -> None:
        """Add every finding that the rules do not switch off to the log."""
        for finding in self:
            severity = rules.severity(finding.code)
            if severity != OFF:
                rule = rules.rule(finding.code)
                problems.add(
                    finding.code,
                    _message(rule, finding),
                    _remedy(rule, finding, severity, rules),
                    line=finding.line,
                    excerpt=finding.excerpt,
                    severity="error" if severity == ERROR else "warning",
                    times=finding.count,
                )


def _shown(value: object) -> str:
    if isinstance(value, Told):
        return str(value)
    return visible(value) if isinstance(value, (str, bytes)) else f"{value:,}"


def counted_in_words(
    severity: str, codes: Iterable[str], places: int, *, on_lines: bool = False, listed: int = 0
) -> str:
    """How many rules are broken, then how often: two findings on 67,001 lines are no 67,001 warnings.

    Lines are counted where one rule alone is broken: a line that breaks two rules would else count twice. `on_lines`: each place
    is a line, whatever the rules of runs count. `listed`: the findings, where one rule may have several in the list of them.

    >>> counted_in_words("warning", ["tag_unexpected"], 67_000), counted_in_words("error", ["not_q0", "topic_missing"], 9)
    ('1 warning on 67,000 lines', '2 errors at 9 places')
    >>> counted_in_words("error", ["topic_unknown"], 393, on_lines=True, listed=4)
    '4 errors on 393 lines'
    """
    distinct = set(codes)
    is_one = len(distinct) <= 1
    kinds = listed or len(distinct) or min(places, 1)
    words = f"{kinds:,} {severity}" if kinds == 1 else f"{kinds:,} {severity}s"
    if places <= kinds:
        return words
    units = {RULES[code].unit for code in distinct if code in RULES} if is_one else set()
    where = (
        "on {} lines"
        if units == {LINE} or (on_lines and is_one)
        else "for {} topics"
        if units == {TOPIC}
        else "at {} places"
    )
    return f"{words} {where.format(f'{places:,}')}"


def _message(rule: Rule, finding: Finding) -> str:
    message = rule.message.format(**finding.values)
    others = finding.count - 1
    if others == 0 or rule.unit == FILE or not finding.more:
        return message
    unit = rule.unit if others == 1 else f"{rule.unit}s"
    places = ", ".join(finding.more) + (", …" if others > len(finding.more) else "")
    return f"{message} The same {'for' if rule.unit == TOPIC else 'on'} {others:,} more {unit}: {places}."


def _remedy(rule: Rule, finding: Finding, severity: str, rules: RunRules) -> str:
    remedy = rule.remedy if severity == ERROR else f"{rule.effect} {rule.remedy}".strip()
    return remedy.format(**finding.values, **words_of_order(rules.ordering.run_order))
