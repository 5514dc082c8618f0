from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from campaign.formats.runs.rules import ERROR, OFF, RULES, WARNING, Rule

WORDS = {ERROR: "error", WARNING: "warning", OFF: "off"}


@dataclass(frozen=True)
class RuleRow:
    rule: Rule
    field: forms.BoundField

    @property
    def effect(self) -> str:
        """How the rule affects a run that breaks it but is not rejected."""
        return self.rule.effect.format(
            limit="the maximum", expected="its tag on the site", order="in the order of the task"
        )


class RuleSeveritiesForm(forms.Form):
    """One choice for each rule whose severity a task may set; the default is marked."""

    def __init__(self, data: Any, *, severities: Mapping[str, str]) -> None:
        super().__init__(data, prefix="rules", initial={**_usual(), **severities})

    def severities(self) -> dict[str, str]:
        """The severities that differ from the default; a rule that was not sent keeps its own."""
        chosen = {code: self.cleaned_data.get(code) or self.initial[code] for code in self.fields}
        return {code: severity for code, severity in chosen.items() if severity != RULES[code].default}

    def rows(self) -> list[RuleRow]:
        return [RuleRow(RULES[code], self[code]) for code in self.fields]

    def fixed_rules(self) -> Iterator[Rule]:
        return (rule for rule in RULES.values() if rule.is_fixed)

    @property
    def changed_count(self) -> int:
        return sum(self.initial[code] != usual for code, usual in _usual().items())


def _usual() -> dict[str, str]:
    return {code: rule.default for code, rule in RULES.items() if not rule.is_fixed}


def _choice(word: str, is_usual: bool) -> str:
    return f"{word} (usual)" if is_usual else word


for _code, _default in _usual().items():
    _choices = [(severity, _choice(word, severity == _default)) for severity, word in WORDS.items()]
    RuleSeveritiesForm.base_fields[_code] = forms.ChoiceField(
        choices=_choices, required=False, label=RULES[_code].title
    )
