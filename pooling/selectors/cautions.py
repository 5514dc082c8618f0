"""What the builder warns of, and what it asks before a pool is frozen."""

from campaign.measures import measure_answers
from campaign.models import Run, Task
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import run_window, uploads_end
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from pooling.core.labels import hours, replacing, runs_taken
from pooling.core.preview.exactness import reach_as_drawn
from pooling.core.preview.values import PoolFigures
from pooling.selectors.pools import latest_pool
from pooling.selectors.previews import PoolPreview

TOPICS_NAMED = 10


def cautions_of(task: Task, preview: PoolPreview) -> list[str]:
    """Warnings to the organiser; none of them prevents freezing."""
    cautions = []
    unchecked = Run.objects.filter(task=task, state=Run.RECEIVED).count()
    if unchecked:
        cautions.append(f"{number_of(unchecked, 'run')} still being checked: not in this pool.")
    if run_window(task).is_open:
        cautions.append(_runs_to_come(task))
    if preview.spec.method.reads_judgments:
        cautions.append("The strategy reads the judgments: those made until the pool is frozen count.")
    if preview.spec.judging_order.follows_runs:
        cautions.append(
            "In this order assessors see first what the runs rank high, and may notice. Random order keeps them blind."
        )
    cautions += measure_answers().pool_cautions(task, *reach_as_drawn(preview.spec, preview.figures.judged_whole))
    return cautions + _of_topics_and_texts(preview)


def _of_topics_and_texts(preview: PoolPreview) -> list[str]:
    cautions, figures = [], preview.figures
    if figures.total and figures.topics_without:
        shown = ", ".join(sorted(figures.topics_without, key=natural_order)[:TOPICS_NAMED])
        more = " …" if len(figures.topics_without) > TOPICS_NAMED else ""
        cautions.append(f"{number_of(len(figures.topics_without), 'topic')} without a document: {shown}{more}")
    if figures.without_text:
        verb = "has" if figures.without_text == 1 else "have"
        cautions.append(
            f"{number_of(figures.without_text, 'pooled document')} {verb} no text in the collection. Import the texts before "
            "these are judged."
        )
    return cautions


def _runs_to_come(task: Task) -> str:
    if task.takes_runs_after_pool or task.round_kind == Task.DEVELOPMENT:
        return "The task still accepts runs: later ones are not in this pool."
    return "The task still accepts runs until the pool is frozen: later ones are not in this pool."


def freezing_consequences(task: Task, preview: PoolPreview) -> list[str]:
    """What follows when this pool is frozen, before it is."""
    figures = preview.figures
    runs, topics = number_of(len(figures.runs), "run"), number_of(len(figures.topics), "topic")
    chosen = ", ".join(runs_taken(figures.settings))
    at_start = " at the start" if figures.grows else ""
    consequences = [
        f"{number_of(figures.total, 'topic-document pair')}{at_start} of {runs}{f' ({chosen})' if chosen else ''} and {topics}.",
        f"{time_needed(preview)} of judging at {figures.seconds:g} s per document.",
        f"Runs ordered by: {preview.spec.ordering.in_words}.",
        "The pool can never be changed or deleted. A late run needs a new version; judgments of this one are kept.",
        *cautions_of(task, preview),
    ]
    latest = latest_pool(task)
    if latest is not None:
        consequences.insert(1, replacing(latest.version, figures.dropped))
    if figures.known:
        consequences.insert(1, _of_earlier_versions(figures))
    return [*consequences, *moves_on(task, Task.JUDGING), *uploads_end(task)]


def _of_earlier_versions(figures: PoolFigures) -> str:
    """12 pairs are in no earlier version; 157 of the other 257 are not judged yet, the judgments of the rest are kept."""
    waiting = figures.unjudged_before
    new = f"{number_of(figures.new, 'pair')} {'is' if figures.new == 1 else 'are'} in no earlier version"
    new = new if figures.new else "Every pair is in an earlier version"
    others = f"other {figures.known:,}" if figures.new else f"{figures.known:,}"
    if not waiting:
        return f"{new}; judgments of the {others} are kept."
    kept = ", judgments of the rest are kept" if waiting < figures.known else ""
    return f"{new}; {waiting:,} of the {others} {'is' if waiting == 1 else 'are'} not judged yet{kept}."


def time_needed(preview: PoolPreview) -> str:
    """Hours for the pairs that are not judged; from least to most where a policy chooses on."""
    figures = preview.figures
    if not figures.varies:
        return hours(figures.hours_for(figures.most))
    return f"{hours(figures.hours_for(figures.least))} to {hours(figures.hours_for(figures.most))}"
