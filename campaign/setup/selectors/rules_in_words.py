"""The rules of a task as participants read them: what rejects a run, and what is only a warning."""

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
    """The titles of the rules that apply to runs of the task: without a document list, no docno is unknown."""
    rules = RunRules(severities=task.rule_severities, ordering=task.ordering)
    applying = [rule for rule in RULES.values() if _applies(rule, task)]
    return RulesInWords(
        reject=[rule.title for rule in applying if rules.severity(rule.code) == ERROR],
        warn=[rule.title for rule in applying if rules.severity(rule.code) == WARNING],
    )


def _applies(rule: Rule, task: Task) -> bool:
    if rule.code in NEED_A_LIST:
        return task.docno_policy == Task.KNOWN
    return bool(task.docno_pattern) if rule.code in NEED_A_PATTERN else True
