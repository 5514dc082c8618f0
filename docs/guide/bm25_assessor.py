"""A model assessor without a model: grades by thresholds of BM25, through the API. Standard library only.

    export RUNPOOL_MODEL_TOKEN=rpm_...           # from the page “Model assessors” of the task
    python3 bm25_assessor.py --print-sha256      # the SHA-256 that the page asks for
    python3 bm25_assessor.py http://127.0.0.1:8000

It reads each topic's documents, ranks them by BM25 of the topic's title, and gives the best share of them the highest grade, the
next share the next one, the rest the lowest. What is graded already is left alone, so that it can be run again.
"""

import hashlib
import json
import math
import os
import re
import sys
import time
import unicodedata
import urllib.error
import urllib.request
import uuid
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

SHARES = (0.1, 0.25)
"""Down to which share of a topic's documents the highest grade goes, and the next one."""
K1, B = 0.9, 0.4
WITHOUT_BLANKS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3"
AT_ONCE = 100
RULE_SHA256 = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def ask(address: str, data: object = None) -> Any:
    """The JSON of an answer; waits where the site says that there are too many requests."""
    headers = {"Authorization": f"Bearer {os.environ['RUNPOOL_MODEL_TOKEN']}", "Content-Type": "application/json"}
    body = None if data is None else json.dumps(data).encode()
    while True:
        request = urllib.request.Request(address, body, headers)  # noqa: S310 - the address is the caller's own
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code != 429:
                sys.exit(f"{address}: {refusal.read().decode()}")
            time.sleep(int(refusal.headers["Retry-After"]))


def words(text: str) -> list[str]:
    """The words with their marks; where they stand without blanks (Chinese, Japanese, Thai and others), pairs of characters."""
    normal = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(one if unicodedata.category(one)[0] in "LMN" else " " for one in normal)
    found: list[str] = []
    for run in re.findall(rf"[{WITHOUT_BLANKS}]+|[^\s{WITHOUT_BLANKS}]+", kept):
        is_joined = len(run) > 1 and re.match(f"[{WITHOUT_BLANKS}]", run)
        found += [run[place : place + 2] for place in range(len(run) - 1)] if is_joined else [run]
    return found


def bm25(query: str, documents: list[dict[str, Any]]) -> dict[str, float]:
    """A score for each document, by its docno; frequencies are those among these documents."""
    counted = {row["docno"]: Counter(words(f"{row['title']} {row['text']}")) for row in documents}
    lengths = {docno: sum(counts.values()) for docno, counts in counted.items()}
    usual = sum(lengths.values()) / max(len(lengths), 1) or 1
    scores = dict.fromkeys(counted, 0.0)
    for term in set(words(query)):
        holding = sum(term in counts for counts in counted.values())
        weight = math.log(1 + (len(counted) - holding + 0.5) / (holding + 0.5))
        for docno, counts in counted.items():
            damped = counts[term] + K1 * (1 - B + B * lengths[docno] / usual)
            scores[docno] += weight * counts[term] * (K1 + 1) / damped
    return scores


def grades_of(scores: dict[str, float], scale: list[int]) -> dict[str, int | None]:
    """Grades by the place in the order of the scores; a document without a word of the query gets the lowest."""
    ranked = sorted(scores, key=lambda docno: (-scores[docno], docno))
    grades: dict[str, int | None] = {}
    for place, docno in enumerate(ranked):
        above = sum(place < share * len(ranked) for share in SHARES)
        step = above if scores[docno] > 0 else 0
        grades[docno] = scale[max(len(scale) - 1 - (len(SHARES) - step), 0)] if step else scale[0]
    return grades


def documents_of(root: str, topic: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = ""
    while True:
        query = urlencode({"topic": topic, "ungraded": "true", "after": after, "limit": AT_ONCE})
        page = ask(f"{root}/documents?{query}")["documents"]
        if not page:
            return found
        found += page
        after = page[-1]["docno"]


def grade_topic(root: str, topic: dict[str, Any], scale: list[int]) -> None:
    documents = documents_of(root, topic["number"])
    scores = bm25(topic["title"], [row for row in documents if row["has_text"]])
    grades = grades_of(scores, scale) | {row["docno"]: None for row in documents if not row["has_text"]}
    sent = [
        {
            "uuid": str(uuid.uuid4()),
            "topic": topic["number"],
            "docno": docno,
            "grade": grade,
            "prompt_sha256": RULE_SHA256,
        }
        for docno, grade in grades.items()
    ]
    results: list[dict[str, str]] = []
    for start in range(0, len(sent), AT_ONCE):
        results += ask(f"{root}/grades", {"grades": sent[start : start + AT_ONCE]})["results"]
    refused = [result["message"] for result in results if result["state"] == "refused"]
    told = f"topic {topic['number']}: {len(results) - len(refused)} graded, {len(refused)} refused"
    sys.stdout.write(" ".join([told, *refused[:1]]) + "\n")


def main() -> None:
    if sys.argv[1:] == ["--print-sha256"]:
        sys.stdout.write(f"{RULE_SHA256}\n")
        return
    root = f"{sys.argv[1].rstrip('/')}/api/v1/model-assessor"
    scale = sorted(step["value"] for step in ask(root)["grades"])
    address = f"{root}/topics?limit=200"
    while address:
        page = ask(address)
        for topic in page["items"]:
            grade_topic(root, topic, scale)
        address = page["next"]


if __name__ == "__main__":
    main()
