"""The measures of a task: what they are, whether they can be scored, and what to say of them beside a board."""

from campaign.collection.selectors.documents import document_count
from campaign.models import Task
from campaign.storage.quarantine import DamagedFileError
from campaign.text.plurals import number_of
from campaign.web.asking_once import once
from campaign.web.cache import SCORES_KEPT, kept
from evaluation.boards.curves import CurveSettings
from evaluation.boards.few_relevant import few_relevant_cautions
from evaluation.boards.measures_on_scale import GradeScale, known_measures_of, unfit_problem
from evaluation.boards.nonrelevant import that_need_nonrelevant, that_take_ungraded_for_nonrelevant
from evaluation.boards.pool_fit import pool_cautions
from evaluation.engine.gains import gain_name
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.parameters import MeasureNameError
from judging.core.samples import relevant_by_sample
from judging.models import Qrels
from judging.models.qrels import SAMPLE_TABLES
from judging.qrels.selectors.releases import pairs_without_grade, released_table, why_no_uniform_sample
from pooling.core.preview.exactness import PoolReach
from pooling.models import Pool
from pooling.selectors.pools import latest_pool

INSTEAD_OF_A_UNIFORM_SAMPLE = {Qrels.STRATUM: "xinfAP", Qrels.PROBABILITY: "statAP"}


COUNTS_AS_NOT_RELEVANT = "What has no grade counts as not relevant, also within the depth of the pool."
JUDGE_THEM = "Judge them and release again."
HOW_MANY_SCORED = "How many of them are of topics that are scored cannot be told while its file is damaged."
DAMAGED_QRELS = "Restore the file."
WITHOUT_A_UNIFORM_SAMPLE = (
    "Name bpref, or AP beside Judged@10, in the task's settings, judge all of the pool, or freeze a pool that is a sample by "
    "strata and name xinfAP."
)


def measures_of_task(task: Task, qrels: Qrels | None = None) -> list[Measure]:
    """The measures that the task names, each once, without those whose judgments the qrels do not hold.

    A task that names none has those of its judging mode. What a name leaves open follows from the task's grade scale;
    MeasureNameError for a name unknown.
    """
    scale = _scale(task, qrels)
    measures = [scale.measure(name) for name in task.measures or task.mode.measures]
    by_name = {measure.name: measure for measure in measures}
    return [
        measure for measure in by_name.values() if qrels is None or measure.definition.judgments.table in qrels.files
    ]


def curve_settings(task: Task, qrels: Qrels) -> CurveSettings:
    """By what the curves of runs are computed; the size of a collection is known where runs may name its documents only."""
    known = task.docno_policy == Task.KNOWN and task.collection_id is not None
    size = document_count(task) if known else 0
    return CurveSettings(task.lowest_relevant_grade, gain_name(_scale(task, qrels).gains), size or None)


def _scale(task: Task, qrels: Qrels | None) -> GradeScale:
    gains = once((_scale, task.pk), lambda: dict(task.grades.values_list("value", "gain")))
    return GradeScale(gains, task.lowest_relevant_grade).up_to(qrels.highest_of_own_scale if qrels else 0)


def measures_problem(task: Task, qrels: Qrels | None = None) -> str:
    """What is wrong with the measures of the task, and the remedy; empty when nothing is."""
    return measures_and_problem(task, qrels)[1]


def measures_and_problem(task: Task, qrels: Qrels | None = None) -> tuple[list[Measure], str]:
    """The measures of the task, as far as they are known, and what is wrong with them."""
    try:
        measures = measures_of_task(task, qrels)
    except MeasureNameError as problem:
        return [], f"{problem} Correct the measures in the task's settings, then ask for the scores."
    return measures, _problem(task, measures, qrels)


def _problem(task: Task, measures: list[Measure], qrels: Qrels | None) -> str:
    if unfit := [words for measure in measures if (words := unfit_problem(measure))]:
        return f"{' '.join(unfit)} Name others in the task's settings, then ask for the scores."
    if qrels is not None and (unfit_sample := _sample_problem(measures, qrels)):
        return unfit_sample
    if not measures:
        missing = " and ".join(dict.fromkeys(m.definition.judgments.in_words for m in measures_of_task(task)))
        return f"All measures of the task need {missing}, and {qrels} has none. Name others in its settings."
    return ""


def _sample_problem(measures: list[Measure], qrels: Qrels) -> str:
    """Why the estimators among the measures do not fit these qrels, and what to name instead; empty when they do."""
    estimators = [measure.name for measure in measures if measure.definition.takes_uniform_sample]
    reason = why_no_uniform_sample(qrels) if estimators else ""
    if not reason:
        return ""
    fitting = INSTEAD_OF_A_UNIFORM_SAMPLE.get(qrels.sampled_by)
    remedy = f"Name {fitting} in the task's settings." if fitting else WITHOUT_A_UNIFORM_SAMPLE
    named = ", ".join(estimators)
    return f"{named} estimates from a uniform sample of each topic's pool, and {qrels} is none: {reason}. {remedy}"


def task_pool_cautions(task: Task, reach: PoolReach | None = None) -> list[str]:
    """What to say of the task's measures if a pool of this reach is judged and nothing else.

    Without a reach: that of the task's latest pool; nothing is said where there is none.
    """
    reach = pool_reach(latest_pool(task)) if reach is None else reach
    try:
        measures = measures_of_task(task)
    except MeasureNameError:
        return []
    return [] if reach is None else [*pool_cautions(measures, reach), *few_relevant_cautions(measures, reach)]


def task_measures_that_need_nonrelevant(task: Task) -> list[str]:
    try:
        return that_need_nonrelevant(measures_of_task(task))
    except MeasureNameError:
        return []


def board_cautions(qrels: Qrels, measures: list[str], *, remedies: bool = True) -> list[str]:
    """The same of the measures of a board, by the pool that its qrels were judged on, and by what the qrels hold."""
    known = known_measures_of(measures)
    said = _of_relevant_documents_only(qrels, known, remedies=remedies)
    said += _of_documents_without_grade(qrels, known, remedies=remedies)
    reach = pool_reach(qrels.pool)
    if reach is None:
        return said
    said += pool_cautions(known, reach, remedies=remedies)
    table = SAMPLE_TABLES.get(qrels.sampled_by)
    if table in qrels.files and few_relevant_cautions(known, reach):
        try:
            relevant = _relevant_by_sample(qrels)
        except DamagedFileError:  # which topics have few cannot be told
            relevant = None
        said += few_relevant_cautions(known, reach, relevant, remedies=remedies)
    return said


def _of_relevant_documents_only(qrels: Qrels, measures: list[Measure], *, remedies: bool) -> list[str]:
    lowest = qrels.lowest_relevant_grade
    names = that_need_nonrelevant(one for one in measures if int(one.given.get("rel", lowest)) <= lowest)
    if not names or not qrels.holds_relevant_only:
        return []
    said = (
        f"{', '.join(names)}: no document is judged non-relevant by {qrels}, so that what was judged cannot be told from what "
        "was not. Values mean little."
    )
    remedy = " Import qrels with the documents that were judged and are not relevant, or name other measures."
    return [f"{said}{remedy * remedies}"]


def _of_documents_without_grade(qrels: Qrels, measures: list[Measure], *, remedies: bool) -> list[str]:
    names = that_take_ungraded_for_nonrelevant(measures)
    if not names or not qrels.unjudged_count:
        return []
    try:
        count = _without_grade(qrels)
    except DamagedFileError:
        lacking, remedy = f"{number_of(qrels.unjudged_count, 'pooled document')}. {HOW_MANY_SCORED}", DAMAGED_QRELS
    else:
        lacking, remedy = f"{number_of(count, 'pooled document')} of the topics that are scored.", JUDGE_THEM
        if not count:
            return []
    said = f"{', '.join(names)}: {qrels} has no grade for {lacking} {COUNTS_AS_NOT_RELEVANT}"
    return [f"{said}{f' {remedy}' * remedies}"]


def _without_grade(qrels: Qrels) -> int:
    """Pooled pairs of the scored topics without a grade. Kept: a version of the qrels does not change."""
    key = f"evaluation:without-grade:{qrels.pk}:{qrels.sha256}"
    return kept(key, lambda: pairs_without_grade(qrels), SCORES_KEPT)


def _relevant_by_sample(qrels: Qrels) -> dict[str, float]:
    """The estimated number of relevant documents of each topic. Kept: a version of the qrels does not change."""
    lowest = qrels.task.lowest_relevant_grade
    key = f"evaluation:relevant-by-sample:{qrels.pk}:{qrels.sha256}:{lowest}"
    table = SAMPLE_TABLES[qrels.sampled_by]
    return kept(key, lambda: relevant_by_sample(released_table(qrels, table), qrels.sampled_by, lowest), SCORES_KEPT)


def measures_left_out(task: Task, qrels: Qrels) -> list[str]:
    """What to say of measures that the task names and that have no column: the qrels do not hold their judgments, or by the
    grades of the task another one is the same.
    """
    try:
        named = measures_of_task(task)
    except MeasureNameError:
        return []
    by_judgments: dict[str, list[str]] = {}
    for measure in named:
        if measure.definition.judgments.table not in qrels.files:
            by_judgments.setdefault(measure.definition.judgments.in_words, []).append(measure.name)
    without_judgments = [
        f"{', '.join(names)}: not on this board, since {qrels} has no {judgments}."
        for judgments, names in by_judgments.items()
    ]
    return without_judgments + _same_by_grades(task, qrels)


def _same_by_grades(task: Task, qrels: Qrels) -> list[str]:
    scale = _scale(task, qrels)
    first: dict[str, str] = {}
    said = []
    for name in task.measures:
        measure = scale.measure(name)
        earlier = first.setdefault(measure.name, name)
        if earlier != name and measure.definition.judgments.table in qrels.files:
            said.append(f"{name}: not on this board a second time, since by the grades of this task it is {earlier}.")
    return said


def pool_reach(pool: Pool | None) -> PoolReach | None:
    """What measures need to know of the pool; None where that is not known."""
    return pool.reach if pool else None
