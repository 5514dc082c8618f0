"""How a pool grows: documents are chosen for one topic as judgments arrive; the organiser stops a topic or lets it go on.

Whoever writes entries of a topic holds `topic_lock`, so that positions and steps are given once.
"""

from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from campaign.log.audit import audit
from campaign.models import Topic, User
from campaign.models.fields import length_problem
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.text import limits
from campaign.text.plurals import number_of
from campaign.web.daily_limits import require_few_changes
from pooling.core.strategies.adaptive.choosing import logged, next_choices
from pooling.core.strategies.adaptive.lists import NO_DOCUMENT, TopicLists
from pooling.core.strategies.adaptive.policy import NO_RUN, Choice
from pooling.core.strategies.engine import ENGINE
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolChoice, PoolEntry, TopicStop
from pooling.selectors.growth import (
    CHOOSE_DOCUMENTS,
    STOPPED,
    Course,
    rule_in_words,
    run_tags,
    spec_of,
    topic_course,
)

MOST_MORE = 1000


def topic_lock(topic: Topic | int) -> None:
    """Until the end of the transaction nobody else adds documents to the topic or claims any; taken before other locks."""
    key = topic if isinstance(topic, int) else topic.pk
    # NO KEY: rows that refer to the topic can be added meanwhile.
    Topic.objects.select_for_update(no_key=True).get(pk=key)


def choosing_request(pool: Pool, topic_id: int) -> None:
    """Have a worker choose for the topic, and close what is done; asked for twice, it is done once."""
    enqueue(CHOOSE_DOCUMENTS, pool_id=pool.pk, topic_id=topic_id)


@transaction.atomic
def documents_choose(*, pool: Pool, topic: Topic, lists: TopicLists, relevant: Mapping[str, bool], wanted: int) -> int:
    """Add up to `wanted` documents to the topic, or note that it stops; returns how many were added.

    `relevant`: what is known of the topic's documents; it must be read under the topic's lock, which the caller holds.
    """
    spec, course = spec_of(pool), topic_course(pool, topic)
    _stop_or_go_on(pool, topic, spec, course, relevant)
    course = topic_course(pool, topic)
    if course.is_stopped or wanted <= 0:
        return 0
    chosen, is_exhausted = _next(spec, lists, course, relevant, wanted)
    added = _keep(pool, topic, lists, course, chosen, relevant)
    course = topic_course(pool, topic)
    if is_exhausted:
        _log_stop(pool, topic, TopicStop.EXHAUSTED, "Every candidate of the pooled runs is chosen.")
    else:
        _stop_or_go_on(pool, topic, spec, course, relevant)
    return added


def _stop_or_go_on(pool: Pool, topic: Topic, spec: PoolSpec, course: Course, relevant: Mapping[str, bool]) -> None:
    """Note that the rule stops the topic, or that a judgment has changed by which it did."""
    kind = course.last_stop.kind if course.last_stop is not None else TopicStop.ON
    rule = course.stopping(spec, relevant)
    reason = rule_in_words(rule, spec) if rule.reason else ""
    if course.until is not None:
        reason = f"The topic has {number_of(rule.judged, 'document')}, as many as were allowed by hand."
        reason = reason if rule.judged >= course.until else ""
    # Choices that wait for their judgment may still be relevant; the size stays what it is.
    is_final = rule.judged >= (course.until or spec.parameters["size"]) or not course.pending(relevant)
    if kind == TopicStop.ON and reason and is_final:
        _log_stop(pool, topic, TopicStop.RULE, reason)
    elif kind == TopicStop.RULE and not reason:
        _log_stop(pool, topic, TopicStop.ON, "Judgments have changed since: the rule does not stop the topic.")


def _next(
    spec: PoolSpec, lists: TopicLists, course: Course, relevant: Mapping[str, bool], wanted: int
) -> tuple[list[Choice], bool]:
    """The next choices, of which `wanted` are new to the pool, and whether no candidate is left after them."""
    chosen: list[Choice] = []
    entries = set(course.entries)
    while wanted > 0:
        judged = len({*course.base, *course.control, *(choice.docno for choice in [*course.made, *chosen])})
        count = wanted if course.until is None else min(wanted, course.until - judged)
        made = [*course.made, *chosen]
        past_rule = course.until is not None
        more = next_choices(
            lists, spec, course.base, made, relevant, count, control=course.control, past_rule=past_rule
        )
        if not more:
            break
        chosen += more
        new = {choice.docno for choice in more} - entries
        wanted -= len(new)
        entries |= new
    reachable = lists.within(spec.parameters["candidates"]).rankings
    candidates = {lists.docnos[index] for index in set(reachable[reachable != NO_DOCUMENT].tolist())}
    return chosen, candidates <= course.followed | {choice.docno for choice in chosen}


def _keep(
    pool: Pool,
    topic: Topic,
    lists: TopicLists,
    course: Course,
    chosen: list[Choice],
    relevant: Mapping[str, bool],
) -> int:
    """Write the steps, and the entries of the documents that the pool does not hold yet."""
    _log(pool, topic, course, chosen, relevant)
    new = [choice.docno for choice in chosen if choice.docno not in course.entries]
    last = PoolEntry.objects.filter(pool=pool, topic=topic).aggregate(last=Max("position"))["last"] or 0
    PoolEntry.objects.bulk_create(
        PoolEntry(
            pool=pool,
            topic=topic,
            docno=docno,
            position=position,
            stratum=PoolEntry.CHOSEN_STRATUM,
            inclusion_probability=1.0,
            source=PoolEntry.CHOSEN,
            **_appearance(lists, docno),
        )
        for position, docno in enumerate(new, start=last + 1)
    )
    return len(new)


def _appearance(lists: TopicLists, docno: str) -> dict[str, int]:
    runs, places = (lists.rankings == lists.index_of[docno]).nonzero()
    return {"best_position": int(places.min()) + 1, "run_count": len(set(runs.tolist()))}


def _log(pool: Pool, topic: Topic, course: Course, chosen: list[Choice], relevant: Mapping[str, bool]) -> None:
    tags, before, followed = run_tags(pool), course.known, set(course.followed)
    rows = []
    for choice in chosen:
        known = {docno: relevant[docno] for docno in sorted(followed) if docno in relevant}
        [step] = logged([choice], before, known)
        rows.append(
            PoolChoice(
                pool=pool,
                topic=topic,
                step=choice.step,
                docno=choice.docno,
                run="" if choice.run == NO_RUN else tags[choice.run],
                policy=pool.strategy,
                seed=pool.seed,
                engine=ENGINE,
                learned=dict(step.learned),
                pending=sorted(followed - known.keys()),
            )
        )
        before = known
        followed.add(choice.docno)
    PoolChoice.objects.bulk_create(rows)


def _log_stop(
    pool: Pool, topic: Topic, kind: str, reason: str, actor: User | None = None, until: int | None = None
) -> None:
    TopicStop.objects.create(pool=pool, topic=topic, kind=kind, reason=reason, decided_by=actor, until=until)


@transaction.atomic
def topic_stop(*, actor: User, pool: Pool, topic: Topic, reason: str) -> None:
    """Choose nothing more for the topic; what is chosen already is still judged."""
    held_organised_campaign_or_404(actor, pool.task.campaign)
    reason = _checked_reason(reason)
    topic_lock(topic)
    course = topic_course(pool, topic)
    if course.is_stopped:
        raise ValidationError(f"Topic {topic.number} has stopped already. Reload the page.")
    _log_stop(pool, topic, TopicStop.HAND, reason, actor)
    _audit(actor, "stop topic", pool, topic, reason=reason)
    choosing_request(pool, topic.pk)


@transaction.atomic
def topic_go_on(*, actor: User, pool: Pool, topic: Topic, more: int, reason: str) -> None:
    """Choose up to `more` further documents of a stopped topic, whatever the rule says."""
    held_organised_campaign_or_404(actor, pool.task.campaign)
    reason = _checked_reason(reason)
    if not 1 <= more <= MOST_MORE:
        raise ValidationError({"more": f"Give a whole number from 1 to {MOST_MORE:,}."})
    topic_lock(topic)
    course = topic_course(pool, topic)
    last = course.last_stop
    if last is None or last.kind not in STOPPED:
        raise ValidationError(f"Topic {topic.number} has not stopped. Reload the page.")
    if last.kind == TopicStop.EXHAUSTED:
        raise ValidationError(f"Topic {topic.number} has no candidate left: freeze a deeper pool instead.")
    until = course.stopping(spec_of(pool), {}).judged + more
    _log_stop(pool, topic, TopicStop.ON, reason, actor, until)
    require_few_changes(actor)
    _audit(actor, "go on with topic", pool, topic, reason=reason, until=until)
    choosing_request(pool, topic.pk)


def _checked_reason(reason: str) -> str:
    text = reason.strip()
    problem = length_problem(text, limits.REASON) if text else "Give a reason: it is logged with the decision."
    if problem:
        raise ValidationError({"reason": problem})
    return text


def _audit(actor: User, verb: str, pool: Pool, topic: Topic, **facts: object) -> None:
    audit(actor, verb, pool, campaign=pool.task.campaign, topic=topic.number, version=pool.version, **facts)
