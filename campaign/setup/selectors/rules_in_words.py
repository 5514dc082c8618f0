"""The rules of a task as participants read them: what rejects a run, and what is only told."""

from dataclasses import dataclass

from campaign.formats.runs.rules import ERROR, RULES, WARNING, Rule, RunRules
from campaign.models import Task

NEED_A_LIST = frozenset({"docno_unknown"})
NEED_A_PATTERN = frozenset({"docno_pattern"})


@dataclass(frozen=True, slots=True)
class RulesInWords:
    reject: list[str]
    warn: list[str]


def rules_in_words(task: Task) -> RulesInWords:
    """The titles of the rules that this task can break runs by: one without documents knows no unknown ones."""
    rules = RunRules(severities=task.rule_severities)
    asked = [rule for rule in RULES.values() if _is_asked(rule, task)]
    return RulesInWords(
        reject=[rule.title for rule in asked if rules.severity(rule.code) == ERROR],
        warn=[rule.title for rule in asked if rules.severity(rule.code) == WARNING],
    )


def _is_asked(rule: Rule, task: Task) -> bool:
    if rule.code in NEED_A_LIST:
        return task.docno_policy == Task.KNOWN
    return bool(task.docno_pattern) if rule.code in NEED_A_PATTERN else True
