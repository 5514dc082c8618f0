from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from campaign.collection.selectors.topics import topics_may_be_replaced
from campaign.collection.services.imports import (
    PREVIEWED,
    encoding_of,
    import_file,
    import_finish,
    import_finish_check,
    import_refuse,
    shortened,
)
from campaign.formats.keys import address_problem
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.topics.dialects import TO_NARRATIVE, TopicChoices
from campaign.formats.topics.read import TopicRecord, TopicsRead, read_topics
from campaign.models import Import, Run, Subtopic, Task, Topic
from campaign.models.run import CHECK_ALL_RUNS
from campaign.permissions import locked_task_or_404
from campaign.queue.jobs import enqueue
from campaign.text.plurals import number_of
from campaign.web.topic_numbers import TopicNumberConverter

NUMBER_LENGTH, SUBTOPIC_LENGTH = 100, 20
Texts = tuple[str, str, str, tuple[tuple[str, str], ...]]


def topics_check(import_: Import) -> None:
    read = topics_read(import_)
    _check_addresses(read)
    if _compare(import_, read):
        _tell_of_runs(import_, read.problems)
    preview = [_preview(record) for record in read.records[:PREVIEWED]]
    import_finish_check(import_, format=read.format, records=len(read.records), preview=preview, problems=read.problems)


def topics_apply(import_: Import) -> None:
    """One transaction: all topics of the file appear at once, and a second call finds nothing left to do."""
    read = topics_read(import_)
    with transaction.atomic():
        task = locked_task_or_404(import_.task)
        if Import.objects.get(pk=import_.pk).state != Import.APPLYING:
            return
        new = _compare(import_, read)
        if not read.problems.ok:
            import_refuse(import_, read.problems)
            return
        if import_.options.get("replace"):
            task.topics.all().delete()
        are_first = not task.topics.exists()
        _create(task, new)
        if new and are_first and _runs(task).exists():
            enqueue(CHECK_ALL_RUNS, task_id=task.pk, actor_id=import_.created_by_id)
        import_finish(import_)


def topics_read(import_: Import) -> TopicsRead:
    with import_file(import_) as file:
        return read_topics(file, encoding=encoding_of(import_), choices=_choices(import_.options))


def _choices(options: Mapping[str, Any]) -> TopicChoices:
    return TopicChoices(
        number_from=options.get("number_from", ""),
        title_from=options.get("title_from", ""),
        appends=options.get("other_parts") == TO_NARRATIVE,
        language=options.get("language", "").strip().lower(),
    )


def _check_addresses(read: TopicsRead) -> None:
    """Report topic and subtopic numbers that cannot be part of an address, though the file format allows them."""
    for record in read.records:
        step = TopicNumberConverter().to_url(record.number)
        _check_key(record.number, step, "topic number", NUMBER_LENGTH, record.line, read.problems)
        for subtopic in record.subtopics:
            _check_key(subtopic.number, subtopic.number, "subtopic number", SUBTOPIC_LENGTH, record.line, read.problems)


def _check_key(key: str, step: str, what: str, length: int, line: int, problems: ProblemLog) -> None:
    """`step`: how the key stands in an address."""
    if found := address_problem(step, what):
        code, message, remedy = found
        problems.add(f"number_{code}", message, remedy, line=line, excerpt=key)
    if len(key) > length:
        message = f"The {what} {visible(key)} has {len(key)} characters, the maximum is {length}."
        problems.add("number_long", message, "Shorten it, here and in all files of the task.", line=line, excerpt=key)


def _compare(import_: Import, read: TopicsRead) -> list[TopicRecord]:
    """Return the records that are new to the task; those that contradict an existing topic become problems."""
    replace = bool(import_.options.get("replace"))
    if replace and topics_may_be_replaced(import_.task):
        return list(read.records)
    if replace:
        message = "The topics of this task cannot be replaced any more: runs, pools, judgments or errata rest on them."
        read.problems.add("topics_in_use", message, "Send the file again without asking for replacement.")
    return _compare_with(_existing(import_.task), read)


def _tell_of_runs(import_: Import, problems: ProblemLog) -> None:
    """Runs that came before the first topics were checked without them: no topic of theirs may be one of the task."""
    if not (runs := _runs(import_.task).count()):
        return
    is_replaced = import_.options.get("replace") and topics_may_be_replaced(import_.task)
    if is_replaced or not import_.task.topics.exists():
        message = (
            f"The task has {number_of(runs, 'run')} already. They are checked again, by the numbers of these topics."
        )
        problems.add("runs_checked_again", message, "A run that answers none of them is rejected.", severity="warning")
        return
    message = (
        f"The task has {number_of(runs, 'run')} already, checked without the new topics: lines of these do not count."
    )
    remedy = "To count them, check all runs again: the page Runs of the task offers it."
    problems.add("runs_unchecked", message, remedy, severity="warning")


def _runs(task: Task) -> QuerySet[Run]:
    return Run.objects.filter(task=task).exclude(state=Run.WITHDRAWN)


def _compare_with(existing: dict[str, Texts], read: TopicsRead) -> list[TopicRecord]:
    new, same = [], 0
    for record in read.records:
        before = existing.get(record.number)
        if before is None:
            new.append(record)
        elif before == _texts(record):
            same += 1
        else:
            message = f"Topic {record.number} is in the task already, with another text."
            remedy = (
                "Take it out of the file and correct it on its page, or replace all topics while nothing rests on them."
            )
            read.problems.add("topic_exists", message, remedy, line=record.line)
    if same:
        message = f"{same} of the topics {'is' if same == 1 else 'are'} in the task already, with the same text."
        read.problems.add("topic_known", message, "Nothing changes for them.", severity="warning")
    return new


def _existing(task: Task) -> dict[str, Texts]:
    return {
        topic.number: (
            topic.title,
            topic.description,
            topic.narrative,
            tuple((subtopic.number, subtopic.text) for subtopic in topic.subtopics.all()),
        )
        for topic in task.topics.prefetch_related("subtopics")
    }


def _texts(record: TopicRecord) -> Texts:
    subtopics = tuple((subtopic.number, subtopic.text) for subtopic in record.subtopics)
    return record.title, record.description, record.narrative, subtopics


def _create(task: Task, records: list[TopicRecord]) -> None:
    last = task.topics.aggregate(last=Max("position"))["last"] or 0
    topics = Topic.objects.bulk_create(
        Topic(
            task=task,
            number=record.number,
            position=last + offset,
            title=record.title,
            description=record.description,
            narrative=record.narrative,
        )
        for offset, record in enumerate(records, start=1)
    )
    Subtopic.objects.bulk_create(
        Subtopic(topic=topic, number=subtopic.number, position=position, text=subtopic.text)
        for topic, record in zip(topics, records, strict=True)
        for position, subtopic in enumerate(record.subtopics, start=1)
    )


def _preview(record: TopicRecord) -> dict[str, Any]:
    return {
        "number": record.number,
        "title": shortened(record.title),
        "description": shortened(record.description),
        "narrative": shortened(record.narrative),
        "subtopics": [{"number": subtopic.number, "text": shortened(subtopic.text)} for subtopic in record.subtopics],
    }
