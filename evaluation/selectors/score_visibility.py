"""Who sees which scores: the one policy for pages, fragments, files, pictures and the API.

What a published leaderboard shows follows from its audience (`evaluation.permissions`). Before one is published the
task's `scores_shown` decides; in words it stands in `campaign.setup.selectors.score_visibility_in_words`.
"""

from dataclasses import dataclass

from django.http import Http404

from campaign.models import Run, Task, Visitor
from campaign.permissions import get_task_or_404, is_organiser
from campaign.setup.selectors.score_visibility_in_words import feedback_count, is_untested
from evaluation.boards.audiences import ANONYMOUS, AUDIENCES, PARTICIPANTS, PUBLIC
from evaluation.boards.live import UNTESTED, untested
from evaluation.boards.stored import p_of, values_of
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.models import Leaderboard, WorkingBoard
from evaluation.selectors.audiences import live_board_problem
from evaluation.selectors.board_views import LiveView
from evaluation.selectors.boards import content_of, stored_board, working_board
from evaluation.selectors.run_scores import RunScores, early_scores, newest_scores, published_scores
from evaluation.selectors.scoring_scope import feedback_topics, what_counts, why_not_ranked

PUBLISHED = {
    PUBLIC: "A leaderboard is published for everybody, with the names of runs and teams.",
    ANONYMOUS: "A leaderboard is published for everybody, without names.",
    PARTICIPANTS: "A leaderboard is published for participants: each team sees the scores of its own runs.",
}
ON_NO_BOARD = {
    Task.MEANS: "Of its runs that no leaderboard shows, each team sees the means as soon as they are scored.",
    **dict.fromkeys(
        (Task.TOPICS, Task.LIVE),
        "Of its runs that no leaderboard shows, each team sees the scores by topic as soon as they are scored.",
    ),
}
"""What the policy still shows once a leaderboard is published."""
BY_TOPIC = (Task.TOPICS, Task.LIVE)
"""The policies by which a team sees the scores of its own runs by topic."""


@dataclass(frozen=True, eq=False)
class ShownScores:
    """What a reader sees of a run's scores. `scores`: None for nothing, and `why` says why.

    `by_topic`: whether the values of topics are shown. `is_early`: shown by the task's policy, before a publication.
    """

    scores: RunScores | None
    by_topic: bool
    is_early: bool
    organises: bool
    why: str


def shown_scores(reader: Visitor, run: Run) -> ShownScores:
    """The caller has made sure that the reader may see the run."""
    if is_organiser(reader, run.task.campaign):
        found = newest_scores(run)
        why = "" if found else "Not scored yet: there are no qrels, or scoring is not complete."
        return ShownScores(found, by_topic=True, is_early=False, organises=True, why=_of_state(run) or why)
    published = published_scores(run)
    if published is not None:
        return ShownScores(published, by_topic=True, is_early=False, organises=False, why="")
    policy = run.task.scores_shown
    found = None if policy == Task.NOTHING else early_scores(run)
    why = "" if found else _of_state(run) or _why_nothing(run)
    return ShownScores(found, by_topic=policy in BY_TOPIC, is_early=True, organises=False, why=why)


def _of_state(run: Run) -> str:
    if run.state in (Run.WITHDRAWN, Run.REJECTED):
        kept = "A leaderboard that was published with it keeps its scores."
        return f"The run is {run.get_state_display()} and is not scored. {kept}"
    return ""


def _why_nothing(run: Run) -> str:
    """Why the run's team sees nothing of it."""
    if run.task.scores_shown != Task.NOTHING:
        if feedback_count(run.task):
            return "There are no scores over the topics for feedback yet. They are shown here as soon as the run is scored."
        return "There are no scores yet. They are shown here as soon as relevance judgments are released and the run is scored."
    reason = why_not_ranked(run)
    if reason:
        return f"No leaderboard shows the scores of this run. It is {reason}."
    return "You see your scores here when the organisers publish a leaderboard with this run."


def why_no_live_board(task: Task) -> str:
    """Why nobody sees a live board of the task; empty where there is one to see, once runs are scored."""
    if task.scores_shown != Task.LIVE:
        return "This task has no live board."
    if problem := live_board_problem(task):
        return problem
    published = Leaderboard.objects.filter(task=task, audience=PUBLIC)
    if task.round_kind != Task.DEVELOPMENT and published.exists():
        return "A leaderboard is published: it has taken the place of the live board."
    return ""


def published_in_words(task: Task) -> list[str]:
    """Who sees which scores by the leaderboards that are published, in sentences; none before the first."""
    audiences = set(Leaderboard.objects.filter(task=task).values_list("audience", flat=True))
    said = [PUBLISHED[audience] for audience in reversed(AUDIENCES) if audience in audiences][:1]
    if said and task.scores_shown in ON_NO_BOARD:
        said.append(ON_NO_BOARD[task.scores_shown])
    if said and not why_no_live_board(task):
        said.append("Everybody also sees a live board of all runs, which changes as runs are scored.")
    return said


def get_live_board_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> tuple[Task, LiveView | None]:
    """The task and its live board; None before the first run is scored. Http404 where the policy of the task shows none."""
    task = get_task_or_404(user, campaign_slug, task_slug)
    if why_no_live_board(task):
        raise Http404
    return task, _live_board(user, task)


def _live_board(user: Visitor, task: Task) -> LiveView | None:
    feedback = feedback_topics(task)
    stored = working_board(task, scope=WorkingBoard.FEEDBACK if feedback else WorkingBoard.COUNTING)
    if stored is None:
        return None
    board = stored_board(str(stored.board.name))
    allowed = set(feedback or what_counts(task, stored.qrels).counting)
    if not allowed.issuperset(
        board.topics
    ):  # the topics for feedback were changed, and the board is being computed anew
        return None
    whole, has_tests = board, not is_untested(task)
    board = board if has_tests else untested(board)
    pairs = content_of(stored.p_of_pairs) if has_tests else b""
    said = said_of_tests(board.choice)
    return LiveView(
        task=task,
        reader=user,
        board=board,
        qrels=stored.qrels,
        ordering=task.ordering,
        tests=said if has_tests else {**said, "in_words": UNTESTED},
        key=f"live:{has_tests}:{stored.board.name}",
        run_ids=stored.run_ids,
        _values=lambda: values_of(content_of(stored.values), whole),
        _p_of_pairs=lambda: p_of(pairs, board),
    )
