"""Topics of the genomics track of 2003: a line of topic, number, organism, type and name, with tabs, for each name of a gene."""

from __future__ import annotations

import re
from collections.abc import Sequence

from campaign.formats.problems import ProblemLog
from campaign.formats.topics.drafts import TopicDraft, are_too_many

TYPE = re.compile(r"[A-Z]+(?:_[A-Z]+)+|PRODUCT|SYMBOL|ALIAS")
COLUMNS = 5
FIRST_TYPES = ("OFFICIAL_GENE_NAME", "PREFERRED_GENE_NAME")
"""What the title is taken from; else the first name of the topic."""


def are_gene_names(rows: Sequence[tuple[int, Sequence[str]]]) -> bool:
    """Whether each line has five columns, with a number in the first two and a type such as OFFICIAL_SYMBOL in the fourth.

    >>> are_gene_names([(1, ["1", "1026", "Homo sapiens", "OFFICIAL_SYMBOL", "CDK"])]), are_gene_names([(1, ["1", "mills"])])
    (True, False)
    """
    return bool(rows) and all(
        len(row) == COLUMNS and row[0].strip().isdigit() and row[1].strip().isdigit() and TYPE.fullmatch(row[3].strip())
        for _, row in rows
    )


def gene_drafts(rows: Sequence[tuple[int, Sequence[str]]], problems: ProblemLog) -> list[TopicDraft]:
    names: dict[str, list[tuple[str, str]]] = {}
    drafts: dict[str, TopicDraft] = {}
    for line, row in rows:
        number, _, organism, kind, name = (field.strip() for field in row)
        if number not in drafts:
            drafts[number] = TopicDraft(line, number)
            drafts[number].set("description", f"Organism: {organism}")
            names[number] = []
            if are_too_many(len(drafts), 0, line, problems):
                return []
        names[number].append((kind, name))
    for number, draft in drafts.items():
        found = names[number]
        title = next((name for kind, name in found if kind in FIRST_TYPES), found[0][1])
        draft.set("title", title)
        draft.set("narrative", "\n\n".join(f"{kind.replace('_', ' ').lower()}: {name}" for kind, name in found))
    message = "Each line was read as a name of a gene: the first name is the title, all of them are the narrative."
    remedy = "The second column, a number of the gene, is left out."
    problems.add("topic_genes", message, remedy, line=rows[0][0], severity="warning")
    return list(drafts.values())
