from campaign.collection.services.texts_checksum import texts_checksum_compute
from campaign.models import Collection, Document
from judging.models import Qrels
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_collection, make_topics
from tests.judging.makers import make_subtopics

HOSTILE = '"""\'; import os\nos.abort() # {FACTS} \\N{BULLET} \\'


def make_collected_cast() -> tuple[Cast, Qrels]:
    """A task with documents, topics and qrels, whose texts try to break out of the files that they are written into."""
    cast = make_cast()
    first, _ = make_topics(cast.task, ["401", '"402'])
    first.title, first.narrative = f"brakes {' '.join(HOSTILE.split())}", "Relevant:\n\n=1+1"
    first.save()
    make_subtopics(first, ["1", "2"])
    collection = make_collection(cast.task, ["d1", '"d2', "d3"])
    Document.objects.filter(docno="d1").update(text=HOSTILE)
    cast.campaign.title = cast.task.title = HOSTILE.replace("\n", " ")[:100]
    cast.campaign.save()
    cast.task.save()
    cast.task.grades.filter(value=1).update(label='"related"')
    grades = {"401": {"d1": 2, '"d2': 0, "d3": -1}, '"402': {"d3": 1}}
    qrels = make_qrels(cast.task, grades, cast.organiser)
    checksum_texts(collection)
    return cast, qrels


def checksum_texts(collection: Collection) -> None:
    texts_checksum_compute(
        collection_id=collection.pk, version=collection.documents_version, report=lambda done, total, what: None
    )
