import gzip
import io
import json
from functools import partial
from typing import Any

from campaign.collection.services.imports import import_receive
from campaign.models import Import, Task, User

TOPICS_TSV = b"1\tfirst title\tfirst description\n2\tsecond title\n"
DOCUMENTS = b"".join(
    json.dumps({"docno": f"d{number}", "title": f"title {number}", "text": f"text {number}"}).encode() + b"\n"
    for number in range(1, 8)
)
TREC_TOPICS = b"""<top>
<num> Number: 51
<title> brake pads
<desc> Description:
How are brake pads changed?
</top>
"""
XML_TOPICS = b"""<topics><topic number="7"><query>cargo bikes</query><description>Which carry children?</description>
<subtopic number="1">two wheels</subtopic><subtopic number="2">three wheels</subtopic></topic></topics>"""
TREC_DOCUMENTS = b"<DOC>\n<DOCNO> a-1 </DOCNO>\n<TITLE>Pads</TITLE>\n<TEXT>Change both.</TEXT>\n</DOC>\n"


def document_line(docno: str, text: str) -> bytes:
    return json.dumps({"docno": docno, "text": text}).encode() + b"\n"


def receive(task: Task, actor: User, kind: str, content: bytes, **options: Any) -> Import:
    file = io.BytesIO(content)
    return import_receive(actor=actor, task=task, kind=kind, file=file, file_name="upload.txt", options=options)


zipped = partial(gzip.compress, mtime=0)
