"""What publishing a leaderboard would do, in sentences: the organiser confirms them, and nothing else is published."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from campaign.models import Job, Notice, Task, User
from campaign.models.mail import RESULTS
from campaign.news.selectors.recipients import Audience, mailed
from campaign.queue.jobs import GONE
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import uploads_end
from campaign.text.natural_order import natural_order
from campaign.text.plurals import listed, number_of
from evaluation.boards.audiences import ANONYMOUS, AUDIENCES, FEWEST_TEAMS, PARTICIPANTS, PUBLIC, SEEN_BY
from evaluation.boards.measures_on_scale import tells_how_much_is_judged
from evaluation.boards.table import judged_range, range_in_percent
from evaluation.models import Leaderboard, WorkingBoard
from evaluation.selectors.audiences import told_by_names
from evaluation.selectors.boards import ScoredRuns, is_current, scored_runs, stored_board, working_board
from evaluation.selectors.leaderboard_drafts import next_number
from evaluation.selectors.score_visibility import why_no_live_board
from evaluation.selectors.scoring_scope import runs_not_ranked, why_not_ranked
from evaluation.selectors.task_measures import board_cautions, measures_left_out, measures_problem
from judging.core.set_names import DEFAULT
from judging.progress.selectors.pool_share import pool_share
from judging.qrels.selectors.releases import released_table, scored_but_telling_nothing

NAMES_SHOWN: Final = {
    PARTICIPANTS: "Each team sees the tags of its own runs. No team sees the tags or the names of others.",
    ANONYMOUS: "Pseudonyms stand in the place of run tags and team names. Each team is told its own.",
    PUBLIC: "Run tags and team names are shown to everybody who sees the leaderboard.",
}
NOT_TAKEN_BACK: Final = (
    "You cannot change or withdraw the leaderboard. To correct it, publish a new one; this one stays."
)
LIVE_BOARD_ENDS: Final = "The live board ends: this leaderboard takes its place."
NOBODY_TOLD: Final = "Nobody gets a notice: the campaign is a draft, or the task is in its set-up."
NOT_SCORED: Final = "You cannot publish yet: some valid runs have no scores for some measures of the task."
NOT_COMPUTED: Final = (
    "You cannot publish yet: runs, qrels, settings or the version of Runpool have changed since the board was computed. Have it "
    "computed on the page of the unpublished scores."
)
PUBLISH: Final = "publish leaderboard"
"""Done by evaluation/jobs.py."""
Read = Mapping[str, Sequence[Sequence[str]]]
"""What a confirmation rests on, by subject: its lines and its names."""
ANEW: Final = "The scores were computed anew."
"""What is said where the board is another, and none of the sentences."""


@dataclass(frozen=True, slots=True)
class Said:
    """One subject of the confirmation. `names`: runs or measures, each a text. `is_passing`: true at this moment only, so that
    a confirmation stays good when it changes: assessors judge on, and people register, while an organiser reads."""

    subject: str
    lines: Sequence[str]
    names: Sequence[str] = ()
    is_passing: bool = False


def publication(task: Task) -> Job | None:
    """The publication of the task that was asked for last, where a job does it or has done it."""
    return Job.objects.filter(name=PUBLISH, task=task).order_by("-pk").first()


def failed_publication(task: Task) -> Job | None:
    """The last one, if it published nothing and nothing was published since.

    A board is dated when its job begins to write it, which may be before another job failed: the end of its job counts as well.
    """
    job = publication(task)
    if job is None or job.is_unfinished or has_published(job):
        return None
    since = Job.objects.filter(name=PUBLISH, task=task, state=Job.DONE, finished_at__gt=job.finished_at)
    boards = Leaderboard.objects.filter(task=task, published_at__gt=job.finished_at)
    return None if boards.exists() or any(map(has_published, since)) else job


def has_published(job: Job) -> bool:
    """A job whose task was deleted, and brought back since, is done as well."""
    return job.state == Job.DONE and job.message != GONE


def why_not_yet(task: Task, set_name: str) -> str:
    """Why the working board cannot be published to anybody now; empty if it can, and where no run is scored at all."""
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    if scored is None or not scored.runs:
        return ""
    if problem := measures_problem(task, scored.qrels):
        return problem
    if scored.unscored:
        return NOT_SCORED
    return "" if is_current(working, scored) else NOT_COMPUTED


def publication_said(actor: User, task: Task, set_name: str, audience: str) -> list[Said]:
    """What publishing the working board to this audience would do now; nothing before a board is computed."""
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    if scored is None or working is None:
        return []
    board = stored_board(str(working.board.name))
    teams = number_of(len({run.team for run in board.runs}), "team")
    tags = sorted((run.tag for run in board.runs), key=natural_order)
    said = [
        Said("Leaderboard", [f"Leaderboard {next_number(task)} of the task {task}, by {scored.qrels}."]),
        Said("Earlier leaderboards", _earlier(task)),
        Said("Who sees it", [SEEN_BY[audience], *fewest_teams(audience, working)]),
        Said("Names", [NAMES_SHOWN[audience]]),
        Said("For good", [NOT_TAKEN_BACK, *_for_good(task, audience)]),
        Said("Runs", [f"{number_of(len(tags), 'run')} of {teams}, ranked.", *_listed_below(task, audience)], tags),
        Said("Measures", [f"{number_of(len(scored.measures), 'measure')}, over {_topics(scored)}."], scored.measures),
        Said("Order and tests", _tests(scored)),
        Said("Judged", judged_lines(task, working), is_passing=True),
        Said("Warnings", _warnings(task, scored, audience)),
        Said("What follows", what_follows(task, set_name, audience)),
        Said("Notices", [_notice(actor, task, audience)], is_passing=True),
    ]
    return [one for one in said if one.lines]


def _earlier(task: Task) -> list[str]:
    """The newest three first; the rest in one sentence."""
    boards = list(Leaderboard.objects.filter(task=task).order_by("-number"))
    said = [f"Leaderboard {board.number} stays as it is, for {AUDIENCES[board.audience]}." for board in boards[:3]]
    rest = len(boards) - len(said)
    return (
        [*said, f"{number_of(rest, 'older leaderboard')} {'stays' if rest == 1 else 'stay'} as well."] if rest else said
    )


def what_follows(task: Task, set_name: str, audience: str) -> list[str]:
    """How publication to the audience moves the task on, and what becomes of uploads."""
    if audience != PUBLIC:
        return []
    moved = moves_on(task, Task.PUBLISHED) if set_name == DEFAULT else []
    ends = [LIVE_BOARD_ENDS] if task.round_kind != Task.DEVELOPMENT and not why_no_live_board(task) else []
    return [*moved, *uploads_end(task, qrels=True), *ends]


def fewest_teams(audience: str, working: WorkingBoard | None) -> list[str]:
    """What participants do not see where few teams have runs."""
    teams = {run.team for run in stored_board(str(working.board.name)).runs} if working else set()
    if audience != PARTICIPANTS or len(teams) >= FEWEST_TEAMS:
        return []
    left_out = "lowest, median and highest are left out: they would tell the values of the others"
    return [f"Fewer than {FEWEST_TEAMS} teams have runs, so {left_out}."]


def judged_lines(task: Task, working: WorkingBoard | None) -> list[str]:
    """How much of the pool, and of the first 10 documents of a run, is judged; none where neither is known."""
    share = pool_share(task)
    is_known = working is not None and not working.qrels.holds_relevant_only
    judged = judged_range(stored_board(str(working.board.name)).runs) if working and is_known else None
    said = [share.in_words] if share else []
    said += [f"{range_in_percent(judged)} of the first 10 documents of a run"] if judged else []
    return [f"{', and '.join(said)}."] if said else []


def as_read(said: Sequence[Said]) -> dict[str, list[list[str]]]:
    """What a confirmation rests on, to be compared with what is so when it comes: by subject its lines and its names."""
    return {one.subject: [[*one.lines], [*one.names]] for one in said if not one.is_passing}


def mark_of_read(read: Read) -> str:
    """A checksum by which two confirmations can be compared: the same wherever `changed_since` finds nothing.

    >>> mark_of_read({"Runs": [["2 runs."], ["a", "b"]]}) == mark_of_read({"Runs": [["2 runs."], ["b", "a"]]})
    True
    >>> mark_of_read({"Runs": [["2 runs."], ["a"]]}) == mark_of_read({"Runs": [["2 runs."], ["b"]]})
    False
    """
    as_sets = {subject: [sorted(set(some)) for some in both] for subject, both in read.items()}
    return sha256(json.dumps(as_sets, sort_keys=True).encode()).hexdigest()


def changed_since(read: Read, said: Sequence[Said]) -> list[str]:
    """What is not as it was read, a sentence for each change; none where all is.

    >>> changed_since({"Runs": [["2 runs."], ["a", "b"]]}, [Said("Runs", ["2 runs."], ["b", "c"])])
    ['Runs: added c.', 'Runs: gone a.']
    >>> changed_since({}, [Said("Judged", ["All."], is_passing=True)])
    []
    """
    now, changes = as_read(said), []
    for subject in dict.fromkeys([*now, *read]):
        (lines, names), (old_lines, old_names) = now.get(subject, ([], [])), read.get(subject, ([], []))
        changes += [f"{subject}, now: {line}" for line in lines if line not in old_lines]
        changes += [f"{subject}, no longer: {line}" for line in old_lines if line not in lines]
        for word, some, others in (("added", names, old_names), ("gone", old_names, names)):
            if found := [name for name in some if name not in set(others)]:
                changes.append(f"{subject}: {word} {listed(found)}.")
    return changes


def _topics(scored: ScoredRuns) -> str:
    left_out = scored.qrels.topics_not_scored
    return scored.counts.in_words + (f", without {listed(left_out)}, which you left out" if left_out else "")


def _tests(scored: ScoredRuns) -> list[str]:
    choice, lines = scored.choice, [f"Runs are ordered by: {scored.ordering.in_words}."]
    lines.append(f"Tests: {choice.in_words}.")
    if choice.baseline:
        late = "" if choice.named_before_scores else ", named after scores had been seen"
        lines.append(f"Baseline: {choice.baseline}{late}.")
    margin = choice.margin_in_words
    return [*lines, f"{margin[0].upper()}{margin[1:]}."]


def _listed_below(task: Task, audience: str) -> list[str]:
    """Runs that do not rank; on a board without names only the reasons are listed."""
    unranked = [(run.tag, why_not_ranked(run)) for run in runs_not_ranked(task)]
    if not unranked or audience == PARTICIPANTS:
        return []
    each = [f"{tag} ({why})" for tag, why in unranked]
    without = ", without names" if audience == ANONYMOUS else ""
    return [f"Listed below them{without}, and never ranked: {'; '.join(each)}."]


def _warnings(task: Task, scored: ScoredRuns, audience: str) -> list[str]:
    lines = [*measures_left_out(task, scored.qrels), *board_cautions(scored.qrels, scored.measures, remedies=False)]
    if doubtful := scored_but_telling_nothing(scored.qrels, released_table(scored.qrels, "overall")):
        lines.append(f"Topics without a relevant document, which are scored: {', '.join(map(str, doubtful))}.")
    if not tells_how_much_is_judged(scored.measures):
        lines.append("No measure tells how much of each run is judged. Unjudged documents count as not relevant.")
    for change in changes_after_scores(task):
        day = str(change["at"])[:10]
        lines.append(f"Changed after scores had been computed, on {day} (UTC): {', '.join(change['changes'])}.")
    return [*lines, *told_by_names(task, audience)]


def _for_good(task: Task, audience: str) -> list[str]:
    """What can no longer change once this is published."""
    lines = []
    if next_number(task) == 1:
        lines.append(
            "Topics for feedback, and which runs their teams leave out of the ranking, cannot change any more."
        )
    if audience == PUBLIC:
        lines.append("The qrels stay published, and no leaderboard without names can follow.")
    if audience == ANONYMOUS:
        lines.append("No live board of the task can be chosen any more.")
    return lines


def _notice(actor: User, task: Task, audience: str) -> str:
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return NOBODY_TOLD
    name = Notice.SUBMITTERS if audience == PARTICIPANTS else Notice.EVERYBODY
    people = len(mailed(Audience(task.campaign, name, kind=RESULTS, task=task, but=actor).with_teams()))
    told = "the teams with runs" if audience == PARTICIPANTS else "everybody"
    by_mail = (
        "Nobody gets it" if not people else f"{number_of(people, 'person,people')} get{'s' if people == 1 else ''} it"
    )
    return f"A notice on the page News tells {told}. {by_mail} by mail."
