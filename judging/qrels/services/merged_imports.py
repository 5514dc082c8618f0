"""A file of judgments that is released together with what was judged here.

The check fixes which acts of the desk count. The release reads the same ones again, so that it holds what the organiser saw
although judging goes on.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import polars as pl

from campaign.formats.problems import ProblemLog, visible
from campaign.formats.qrels.read import QrelsRead
from campaign.formats.qrels.table import SAMPLED_BY, write_qrels
from campaign.models import Import
from campaign.text.plurals import number_of
from judging.core.merging import PAIR, REFUSE, RULES, Merged, merged
from judging.core.modes.declaration import QrelsTables
from judging.core.resolution import LATEST, OVER, POLICIES, policy_in_words
from judging.core.set_names import DEFAULT
from judging.judgments.selectors.at_revision import AsOf
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.selectors.manifests import what_a_release_rests_on
from judging.qrels.selectors.qrels_sets import set_named
from judging.qrels.selectors.releases import Draft, release_draft, with_no_subtopic
from judging.qrels.services.releases import Origin, newest_acts
from pooling.models import Pool
from pooling.selectors.samples import is_sample

COMBINE, POLICY, ADJUDICATED = "combine", "policy", "adjudicated"
"""The options of an import that say what becomes of the judgments made here; without COMBINE the file stands alone."""
SET: Final = "set_name"
"""The option of an import that names the set of the qrels; without it they are judgments of relevance."""
SHOWN: Final = 20
"""Pairs with two grades that the preview shows."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A file merged with what was judged here. `tables` are those of the release: topics with at least one grade."""

    pool: Pool
    as_of: AsOf
    draft: Draft
    result: Merged

    @property
    def tables(self) -> QrelsTables:
        overall, by_subtopic = self.result.tables.overall, self.result.tables.by_subtopic
        graded = overall.filter(pl.col("grade") >= 0).select("topic").unique()
        rows = None if by_subtopic is None else by_subtopic.join(graded, on="topic", how="semi", maintain_order="left")
        return QrelsTables(overall.join(graded, on="topic", how="semi", maintain_order="left"), rows)

    @property
    def without_grade(self) -> int:
        return self.result.tables.overall.filter(pl.col("grade") < 0).height

    @property
    def counts(self) -> dict[str, int]:
        return {
            "only_here": self.result.only_here,
            "only_in_file": self.result.only_in_file,
            "same": self.result.same,
            "different": self.result.differing.height,
        }


def set_of(import_: Import) -> str:
    """The name of the set that the file goes into."""
    return set_named(import_.task, str(import_.options.get(SET, DEFAULT)))


def merge_asked(import_: Import) -> bool:
    return import_.options.get(COMBINE, "") in RULES


def merge_at_check(import_: Import, file: QrelsTables, read: QrelsRead) -> Merge | None:
    """The file merged with the judgments of now; None, with the reason among the problems, where they do not go together."""
    pool = pool_numbered(import_.task)
    if set_of(import_) != DEFAULT:
        _refuse_set(set_of(import_), read.problems)
        return None
    if pool is None or is_sample(pool) or set(SAMPLED_BY) & set(read.table.columns if read.table is not None else ()):
        _refuse(pool, read.problems)
        return None
    merge = _merge(import_, file, pool, newest_acts(import_.task))
    if import_.options[COMBINE] == REFUSE:
        _refuse_differences(merge.result.differing, read)
    _warn_of_undecided(merge, read.problems)
    return merge


def found_by(merge: Merge, import_: Import) -> dict[str, Any]:
    """What the confirmation shows of a merge and its job goes by, as JSON."""
    return {
        **merge.counts,
        "pool": merge.pool.version,
        "judgment": merge.as_of.judgment,
        "decision": merge.as_of.decision,
        "rule": RULES[import_.options[COMBINE]],
        "policy_in_words": policy_in_words(_policy(import_)),
        "differing": merge.result.differing.head(SHOWN).rows(),
        "sha256": _hash_of(merge.tables),
        "confirm": f"Release {number_of(merge.tables.overall.height, 'merged line')}",
    }


def merge_at_release(import_: Import, file: QrelsTables) -> Merge | None:
    """The merge that was checked; None if the desk's part of it can no longer be made as it was then."""
    found = import_.found
    pool = pool_numbered(import_.task, found["pool"])
    if pool is None:
        return None
    merge = _merge(import_, file, pool, AsOf(found["judgment"], found["decision"]))
    return merge if _hash_of(merge.tables) == found["sha256"] else None


def origin_of(merge: Merge, import_: Import) -> Origin:
    """What the released version records of where its grades come from."""
    rule = import_.options[COMBINE]
    facts = {"rule": rule, "rule_in_words": RULES[rule], **merge.counts}
    return Origin(
        pool=merge.pool,
        policy=_policy(import_),
        twins=merge.draft.twins,
        without_grade=merge.without_grade,
        rests_on={
            **what_a_release_rests_on(merge.pool, _policy(import_).startswith(OVER), merge.as_of),
            "merged": facts,
        },
    )


def _merge(import_: Import, file: QrelsTables, pool: Pool, as_of: AsOf) -> Merge:
    draft = release_draft(pool, _policy(import_), as_of)
    here = QrelsTables(draft.table, draft.subtopic_table)
    return Merge(pool, as_of, draft, merged(here, file, import_.options[COMBINE]))


def _policy(import_: Import) -> str:
    chosen = import_.options.get(POLICY, LATEST)
    policy = chosen if chosen in POLICIES else LATEST
    return OVER + policy if import_.options.get(ADJUDICATED, False) else policy


def _hash_of(tables: QrelsTables) -> str:
    parts = [with_no_subtopic(tables.overall), *([] if tables.by_subtopic is None else [tables.by_subtopic])]
    return sha256(b"\n".join(write_qrels(part) for part in parts)).hexdigest()


def _refuse(pool: Pool | None, problems: ProblemLog) -> None:
    if pool is None:
        message, remedy = "There is no pool, so nothing was judged here to merge the file with.", ""
    elif is_sample(pool):
        message = f"Pool {pool.version} is a sample: estimators would take documents that the file adds for drawn ones."
        remedy = "Or release the judgments made here from the page Qrels."
    else:
        message = "The file is a sample: its strata or probabilities say nothing of the documents judged here."
        remedy = "Or send its four columns topic, 0, docno, grade."
    problems.add("merge_impossible", message, f"Send the file again, to stand alone. {remedy}".rstrip())


def _refuse_set(set_name: str, problems: ProblemLog) -> None:
    message = f"Judgments made here are of relevance: they are not merged with a file of {set_name}."
    problems.add("merge_impossible", message, "Send the file again, to stand alone or without the name of a set.")


def _warn_of_undecided(merge: Merge, problems: ProblemLog) -> None:
    undecided = pl.DataFrame(merge.draft.undecided, schema=dict.fromkeys(PAIR, pl.String), orient="row")
    left = undecided.join(merge.result.tables.overall.filter(pl.col("grade") < 0), on=PAIR, how="semi").height
    if left:
        problems.add(
            "pairs_undecided",
            f"{number_of(left, 'pair')} judged here without a grade by the policy, and without one in the file.",
            "Released as not judged (-1). To avoid it, send the file again with another policy.",
            severity="warning",
        )


def _refuse_differences(differing: pl.DataFrame, read: QrelsRead) -> None:
    lines = read.lines_of(differing.head(SHOWN).select(PAIR))
    for (topic, docno, here, file), line in zip(differing.head(SHOWN).iter_rows(), lines, strict=True):
        grades = (
            f"grade {here} here, grade {file} in the file" if here != file else "other subtopics here than in the file"
        )
        read.problems.add(
            "grades_differ",
            f"Docno {visible(docno)} of topic {visible(topic)}: {grades}.",
            "Settle which is right, or send the file again and choose whose grade stands.",
            line=line,
        )
    if more := max(differing.height - SHOWN, 0):
        read.problems.add(
            "more_grades_differ", f"{number_of(more, 'more pair')} with different grades.", "", times=more
        )
