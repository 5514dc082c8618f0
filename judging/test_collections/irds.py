"""The Python file that registers a test collection with ir_datasets: one file, with the facts of the collection inside."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

TEMPLATE = Path(__file__).with_name("irds_template.py")
PLACE = "FACTS: dict[str, Any] = {}\n"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """`sha256`: of the unpacked text; `count`: of its documents, topics or grades."""

    name: str
    url: str
    sha256: str
    count: int


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """`page`: where the files can be had; `files`: by documents, topics and qrels, of which documents may be missing.

    `topics_not_counted`: in the qrels, but in no published mean: removed from scoring, for feedback, or left out of the scores.
    """

    dataset: str
    title: str
    campaign: str
    page: str
    qrels_version: int
    grades: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[str, FileFacts] = field(default_factory=dict)
    topics_not_counted: tuple[str, ...] = ()


def dataset_name(campaign: str, task: str, set_name: str = "") -> str:
    """The name under which ir_datasets has the collection; `set_name` is an address, empty for relevance.

    >>> dataset_name("velo", "everyday-cycling"), dataset_name("velo", "everyday-cycling", "readability")
    ('runpool/velo/everyday-cycling', 'runpool/velo/everyday-cycling/readability')
    """
    return "/".join(filter(None, ("runpool", campaign, task, set_name)))


def module_name(dataset: str) -> str:
    """A name by which Python can import the file, whatever the addresses.

    >>> module_name("runpool/2027-velo/everyday-cycling")
    'runpool_2027_velo_everyday_cycling_irds'
    """
    return re.sub(r"[^a-z0-9]+", "_", dataset.lower()) + "_irds"


def irds_module(facts: CollectionFacts) -> str:
    """The source; whatever stands in a title is ASCII within one literal of Python, out of which it cannot break.

    >>> facts = CollectionFacts("runpool/velo/main", "\\'Velo", "Velo", "https://example.org/", 1)
    >>> compile(irds_module(facts), "module.py", "exec") is not None
    True
    """
    literal = repr(json.dumps(asdict(facts), ensure_ascii=True, sort_keys=True))
    return _template().replace(PLACE, f"FACTS: dict[str, Any] = json.loads(\n    {literal}\n)\n")


@cache
def _template() -> str:
    source = TEMPLATE.read_text(encoding="utf-8")
    if source.count(PLACE) != 1:
        raise ValueError(f"{TEMPLATE} has no place for the facts")
    return source
