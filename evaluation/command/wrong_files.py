"""Messages of one line about a file as a whole: it is not what the command expects there, or it cannot be read."""

import errno
import os
from io import BytesIO

from campaign.command import files
from campaign.formats.qrels.layouts import LAYOUTS
from campaign.formats.runs.rules import COLUMNS as RUN_COLUMNS

QRELS_COLUMNS = "topic 0 docno grade"
ORDER = "QRELS come first on the command line, then the RUN."
SECOND_COLUMNS_NAMED = 5


def instead_of_run(data: bytes) -> str:
    """Say what a file without a single line of a run seems to be; nothing where there may be lines of a run."""
    if _columns(data) != {4}:
        return ""
    return f"Every line has 4 columns, not the 6 of a run: {RUN_COLUMNS}. Are these qrels? {ORDER}"


def instead_of_qrels(data: bytes, *, sampled: bool) -> str:
    """Say what a file without a single line of qrels seems to be; nothing where there may be lines of qrels."""
    columns = _columns(data)
    if min(columns, default=0) >= len(RUN_COLUMNS.split()):
        return f"Every line has {min(columns)} columns or more, not the 4 of qrels: {QRELS_COLUMNS}. Is this a run? {ORDER}"
    if columns == {LAYOUTS["stratum"].columns} and not sampled:
        return f"Every line has 5 columns, not 4: {QRELS_COLUMNS}. {remedy_of_fifth_column()}"
    return ""


def remedy_of_fifth_column() -> str:
    from evaluation.engine.measures.names.registry import known_measures

    readers = ", ".join(definition.name for definition in known_measures() if definition.judgments.sampled)
    return f"Take the fifth column out, or ask for a measure of sampled judgments, which reads it: {readers}."


def several_second_columns(repetitions: int, second_columns: list[str]) -> tuple[str, str]:
    """Say what judgments seem to be that repeat documents, but only with another second column, and what to do."""
    more = [", ..."] if len(second_columns) > SECOND_COLUMNS_NAMED else []
    named = ", ".join(second_columns[:SECOND_COLUMNS_NAMED]) + "".join(more)
    times = "1 line judges" if repetitions == 1 else f"{repetitions:,} lines judge"
    message = f"{times} a document again, always with another second column{f' ({named})' if named else ''}"
    return (
        f"{message}: these look like judgments of subtopics or of groups of assessors.",
        "Ask for a measure of subtopics, such as alpha_nDCG@20, or for --style ndeval; for groups add -R qrels_jg.",
    )


def unreadable(path: str, problem: OSError) -> str:
    """Say why a file cannot be read and what to do."""
    if problem.errno == errno.ENOENT and _is_measure(path):
        reason = problem.strerror or str(problem)
        return f"{reason}. {path} is a measure: write -m before each one, as in -m AP -m P@10."
    return files.unreadable(path, problem)


def _columns(data: bytes) -> set[int]:
    """Give the numbers of columns that lines have; empty lines and comments do not count."""
    rows = (line.split(maxsplit=7) for line in BytesIO(data.replace(b"\r", b"\n")))
    return {len(fields) for fields in rows if fields and not fields[0].startswith(b"#")}


def _is_measure(path: str) -> bool:
    from evaluation.engine.measures.names.trec_eval import read_trec_eval_names
    from evaluation.engine.measures.parameters import MeasureNameError
    from evaluation.engine.ranked_run import DEFAULT_REFERENCE

    if os.sep in path:
        return False
    try:
        return bool(read_trec_eval_names([path], {"N": 1}, reference=DEFAULT_REFERENCE, judgment_groups=False))
    except MeasureNameError:
        return False
