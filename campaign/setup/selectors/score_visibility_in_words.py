"""Who sees which scores, before and after a leaderboard is published, in words: one text for every page."""

from campaign.measures import measure_answers
from campaign.models import Task
from campaign.text.plurals import number_of

SHOWN = {
    Task.NOTHING: "Nobody but the organisers sees scores before a leaderboard is published.",
    Task.MEANS: "Each team sees the means of its own runs as soon as they are scored, and nothing of others before a leaderboard "
    "is published.",
    Task.TOPICS: "Each team sees the scores of its own runs by topic as soon as they are scored, and nothing of others before a "
    "leaderboard is published.",
    Task.LIVE: "Everybody sees a live board of all runs, which changes as runs are scored; each team also sees the scores of its "
    "own runs by topic.",
}


def feedback_count(task: Task) -> int:
    return task.topics.filter(is_feedback=True, removed_at__isnull=True).count()


def shown_in_words(task: Task, feedback: int | None = None) -> list[str]:
    """Sentences for everybody: who sees what, until when. `feedback`: the number of topics for it, if that is known."""
    published = measure_answers().published_in_words(task)
    said = published or [SHOWN[task.scores_shown]]
    feedback = feedback_count(task) if feedback is None else feedback
    if feedback:
        topics = number_of(feedback, "topic")
        if task.scores_shown != Task.NOTHING:
            which = "The scores of runs that no leaderboard shows" if published else "Before publication these scores"
            said.append(f"{which} are over {topics} for feedback only; those over the other topics stay hidden.")
        said.append(f"{topics} for feedback {'enters' if feedback == 1 else 'enter'} no published mean and no test.")
    if is_untested(task) and not published:
        said.append(
            "This is no development round: teams can tune their runs to the live board, so it shows no significance tests, and "
            "ends when a leaderboard is published for everybody."
        )
    return said


def is_untested(task: Task) -> bool:
    """Whether the live board of the task must not show tests."""
    return task.scores_shown == Task.LIVE and task.round_kind != Task.DEVELOPMENT


def shown_cautions(task: Task) -> list[str]:
    """What is odd about the choice, for organisers; none of it prevents anything."""
    feedback = feedback_count(task)
    if task.scores_shown == Task.NOTHING:
        return (
            ["Topics are chosen for feedback, and no scores are shown before publication: choose what teams see."]
            if feedback
            else []
        )
    if task.round_kind == Task.DEVELOPMENT:
        return []
    kind = "test" if task.round_kind == Task.TEST else "residual"
    if feedback:
        remedy = "They see the topics for feedback only."
    else:
        remedy = "Choose topics for feedback to keep the others hidden, or show nothing before publication."
    live = " Significance tests on the live board would mean nothing, so it shows none." if is_untested(task) else ""
    return [
        f"This is a {kind} round, and teams see scores before publication: they can tune their runs to them. {remedy}{live}"
    ]
