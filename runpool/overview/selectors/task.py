"""The numbers of a task's overview that belong to this app; the later apps bring their own cards."""

from dataclasses import dataclass

from django.db.models import Count, Q

from campaign.collection.selectors.documents import document_count
from campaign.formats.check_script.make import PACKED_DOCNOS
from campaign.formats.runs.rules import ERROR, RULES, WARNING, Rule, RunRules
from campaign.models import Run, Subtopic, Task, Team, User, Visitor
from campaign.news.selectors.questions import question_counts
from campaign.permissions import is_assessor, is_organiser, is_participant
from campaign.setup.selectors.schedule import RunWindow, run_window, takes_runs_of
from campaign.setup.selectors.score_visibility_in_words import shown_in_words
from campaign.teams.selectors.quotas import windows_with_room

NEED_A_LIST = frozenset({"docno_unknown"})
NEED_A_PATTERN = frozenset({"docno_pattern"})


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Counts of the runs that the reader may see: all of them, or those of the reader's teams."""

    valid: int
    received: int
    rejected: int
    teams: int


@dataclass(frozen=True, slots=True)
class RulesInWords:
    """The titles of the rules that apply to runs of a task, as participants read them."""

    reject: list[str]
    warn: list[str]


@dataclass(frozen=True, slots=True)
class Overview:
    window: RunWindow
    organises: bool
    assesses: bool
    takes_part: bool
    has_asked: bool
    takes_runs: bool
    has_runs_left: bool
    topics: int
    subtopics: int
    documents: int
    checks_docnos: bool
    without_text: int
    runs: RunCounts
    registered_teams: int
    rules: RulesInWords
    scores_shown: list[str]
    questions: dict[str, int]

    @property
    def has_docnos_only(self) -> bool:
        """Whether the collection is a list of document numbers so far."""
        return 0 < self.documents == self.without_text

    @property
    def reads_documents(self) -> bool:
        return self.organises or self.assesses or self.takes_part

    @property
    def script_lacks_docnos(self) -> bool:
        """Whether the reader's check script must fetch the list of document numbers, for which it needs a token."""
        return self.checks_docnos and not (self.reads_documents and self.documents <= PACKED_DOCNOS)


def task_overview(user: Visitor, task: Task) -> Overview:
    documents = document_count(task)
    for_feedback = Q(is_feedback=True, removed_at__isnull=True)
    topics = task.topics.aggregate(total=Count("pk"), feedback=Count("pk", filter=for_feedback))
    return Overview(
        window=run_window(task),
        organises=is_organiser(user, task.campaign),
        assesses=is_assessor(user, task.campaign),
        takes_part=is_participant(user, task.campaign),
        has_asked=task.campaign.registrations.filter(team__in=Team.objects.of(user)).exists(),
        takes_runs=takes_runs_of(user, task),
        has_runs_left=isinstance(user, User) and any(windows_with_room(user, [task])),
        topics=topics["total"],
        subtopics=Subtopic.objects.filter(topic__task=task).count() if task.mode.needs_subtopics else 0,
        documents=documents,
        checks_docnos=task.docno_policy == Task.KNOWN,
        without_text=documents - task.collection.text_count if task.collection else 0,
        runs=_run_counts(user, task),
        registered_teams=task.campaign.registrations.approved().count(),
        rules=_rules_in_words(task),
        scores_shown=shown_in_words(task, topics["feedback"]),
        questions=question_counts(user, task),
    )


def _run_counts(user: Visitor, task: Task) -> RunCounts:
    visible = Run.objects.all() if is_organiser(user, task.campaign) else Run.objects.of_teams_of(user)
    counts = visible.filter(task=task).aggregate(
        valid=Count("pk", filter=Q(state=Run.VALID)),
        received=Count("pk", filter=Q(state=Run.RECEIVED)),
        rejected=Count("pk", filter=Q(state=Run.REJECTED)),
        teams=Count("team", filter=Q(state=Run.VALID), distinct=True),
    )
    return RunCounts(**counts)


def _rules_in_words(task: Task) -> RulesInWords:
    """Without a document list, no docno is unknown."""
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
