"""The options of `python -m evaluation`: what each means, which style has a use for it, and how they are read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from campaign.command.options import Help, number, read_options
from campaign.command.program import name_of
from evaluation.command.arguments import ScoreArguments
from evaluation.command.parsers import parser_of_runs
from evaluation.command.styled_options import STYLES, Options

PROGRAM = name_of("evaluation")
TREC_EVAL, NDEVAL, GDEVAL = ("trec_eval",), ("ndeval",), ("gdeval",)
ORDERS = {"by_score": "score", "by_rank": "rank", "by_line": "line"}
"""Other spellings of --run-order: of ndeval, and of version 1.0.0."""

OVERVIEW = f"""usage: {PROGRAM} score [options] QRELS RUN [RUN ...]
       {PROGRAM} compare [options] QRELS RUN RUN [RUN ...]
       {PROGRAM} reliability [options] QRELS RUN [RUN ...]
       {PROGRAM} components [options] QRELS RUN RUN [RUN ...]
       {PROGRAM} curves [options] QRELS RUN [RUN ...]
       {PROGRAM} measures [--brief] [NAME ...]
       {PROGRAM} --version

  score        score runs against relevance judgments, as trec_eval, ndeval and gdeval do
  compare      show which differences between runs are significant: tests, intervals, groups, ranks
  reliability  say how far the order of runs can be trusted: judged shares, uniques, topics, saturation
  components   split the variance into runs, topics and the rest; how many topics a reliable order needs
  curves       print or draw recall and precision, ROC, cumulated gain, F down the ranks
  measures     list the measures: names, parameters, formula, source; with --brief names and meaning only

`{PROGRAM} score --help` explains the options of score; so do the others.
"""

SCORE_DESCRIPTION = """Score runs against relevance judgments, as trec_eval, ndeval and gdeval do.

  QRELS  judgments, a line each: topic, 0 or the subtopic, docno, grade
  RUN    runs, a line for each document: topic, Q0, docno, rank, score, tag
  `-` is the standard input; files packed with gzip are recognised.
"""

SCORE_EXAMPLES = f"""examples:
  everything that trec_eval knows of a run, topic by topic:
    {PROGRAM} score -q -m all_trec qrels.txt run.txt

  two measures of many runs over all topics of the qrels, as a table:
    {PROGRAM} score -c -m nDCG@10 -m AP --format csv qrels.txt runs/*.txt.gz

`{PROGRAM} measures` explains the measures.
exit status: 0 fine, 1 bad input, 2 wrong usage
"""


def score_options() -> Options:
    options = Options(parser_of_runs(f"{PROGRAM} score", SCORE_DESCRIPTION, SCORE_EXAMPLES))
    _add_measures(options)
    _add_topics(options)
    _add_output(options)
    _add_web_track(options)
    _add_rules(options)
    return options


def _add_measures(options: Options) -> None:
    options.group("measures and documents")
    options.add(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        metavar="NAME",
        styles=TREC_EVAL + NDEVAL,
        help="nDCG@10, ndcg_cut_10, P.5,10, all_trec, ...; may be repeated (default: official)",
    )
    options.add(
        "-l",
        "--level",
        "--level_for_rel",
        metavar="N",
        type=number(int, 0),
        styles=TREC_EVAL,
        help="lowest grade that counts as relevant (default: 1)",
    )
    _add_documents(options)


def _add_documents(options: Options) -> None:
    options.add(
        "-J",
        "--judged-only",
        "--Judged_docs_only",
        styles=TREC_EVAL,
        help="take unjudged documents out of the rankings first",
    )
    options.add(
        "-M",
        "--depth",
        "--Max_retrieved_per_topic",
        metavar="N",
        type=number(int, 1),
        styles=TREC_EVAL + NDEVAL,
        help="cut every ranking off after N documents",
    )
    options.add(
        "-N",
        "--collection-size",
        "--Number_docs_in_coll",
        metavar="N",
        type=number(int, 1),
        styles=TREC_EVAL,
        help="documents in the collection, for measures that ask for it",
    )
    options.add(
        "-R",
        "--qrels-format",
        "--Rel_info_format",
        dest="qrels_format",
        metavar="FORMAT",
        choices=("qrels", "qrels_jg"),
        styles=TREC_EVAL,
        help="qrels, or qrels_jg where the second column names the group of judgments",
    )


def _add_topics(options: Options) -> None:
    options.group("topics")
    options.add(
        "-q",
        "--per-topic",
        "--query_eval_wanted",
        styles=TREC_EVAL,
        help="the values of every topic too",
    )
    options.add(
        "-c",
        "--all-topics",
        "--complete_rel_info_wanted",
        help="average over all topics of the qrels; one that the run misses counts as an empty ranking",
    )
    options.add(
        "-n",
        "--no-summary",
        "--nosummary",
        dest="no_summary",
        styles=TREC_EVAL,
        help="no averages",
    )


def _add_output(options: Options) -> None:
    options.group("output")
    options.add(
        "--style",
        metavar="STYLE",
        choices=STYLES,
        help="whose output, averages and order: trec_eval (default), ndeval, gdeval",
    )
    options.add(
        "--format",
        dest="form",
        metavar="FORMAT",
        choices=("trec", "csv", "json"),
        help="trec (default): as that program prints it; csv, json: all digits, for scripts",
    )
    options.add("--digits", metavar="N", type=number(int, 0, 17), help="digits after the decimal point")


def _add_web_track(options: Options) -> None:
    options.group("with --style ndeval or gdeval")
    options.add(
        "-k",
        "--cutoff",
        dest="k",
        metavar="N",
        type=number(int, 1),
        styles=GDEVAL,
        help="rank cut-off (gdeval; default: 20)",
    )
    options.add(
        "--alpha",
        "-alpha",
        metavar="X",
        type=number(float, 0, 1),
        styles=NDEVAL,
        help="redundancy (ndeval; default: 0.5)",
    )
    options.add(
        "--beta", "-beta", metavar="X", type=number(float, 0, 1), styles=NDEVAL, help="patience (ndeval; default: 0.5)"
    )
    options.add(
        "--baseline", "-baseline", metavar="RUN", styles=NDEVAL + GDEVAL, help="score the difference to this run"
    )
    options.add(
        "--risk-alpha",
        "-riskAlpha",
        metavar="X",
        type=number(float, 0),
        styles=NDEVAL + GDEVAL,
        help="losses count 1 + X times (with --baseline)",
    )


def _add_rules(options: Options) -> None:
    options.group("rules")
    options.add(
        "--run-order",
        "--order",
        metavar="BY",
        choices=("score", "rank", "line"),
        help="order documents by score (trec_eval, gdeval; default), by rank (ndeval; default) or by line; equal scores by docno",
    )
    for name, order in {
        ("--by-score", "-traditional"): "score",
        ("--by-rank",): "rank",
        ("--by-order",): "line",
    }.items():
        options.add(*name, dest=f"by_{order}", help=argparse.SUPPRESS)
    options.add(
        "--trec-eval-version",
        "--reference",
        dest="reference",
        metavar="9|10",
        choices=("9", "10"),
        styles=TREC_EVAL,
        help="rules of trec_eval 9.0 (default) or 10.0",
    )
    options.add(
        "--max-errors",
        "--problems",
        dest="problems_shown",
        metavar="N",
        type=number(int, 1),
        help="show up to N problems of bad input (default: 25)",
    )


def read_score_arguments(argv: Sequence[str]) -> ScoreArguments:
    """Read the words after `score`; what cannot be understood ends the program with exit status 2."""
    options = score_options()
    read = vars(read_options(options.parser, argv))
    given = {dest: value for dest, value in read.items() if value is not None}
    options.check(given, given.get("style", STYLES[0]))
    _check_together(options.parser, given)
    given["runs"], given["measures"] = tuple(given["runs"]), tuple(given.get("measures", ()))
    given["summary"] = not given.pop("no_summary", False)
    given["judgment_groups"] = given.pop("qrels_format", "qrels") == "qrels_jg"
    for option in ORDERS.keys() & given.keys():
        given["run_order"] = ORDERS[option]
        del given[option]
    return ScoreArguments(**given)


def _check_together(parser: argparse.ArgumentParser, given: dict[str, Any]) -> None:
    if [given["qrels"], *given["runs"], given.get("baseline")].count("-") > 1:
        parser.error("the standard input (-) can be read only once.")
    if "risk_alpha" in given and "baseline" not in given:
        parser.error("--risk-alpha needs the run to compare with: give --baseline RUN.")
    if len((ORDERS.keys() | {"run_order"}) & given.keys()) > 1:
        parser.error("--run-order takes one order: --by-score, --by-rank and --by-order are other spellings of it.")
    if "digits" in given and given.get("form") == "json":
        parser.error("--digits has no meaning with --format json, which has all digits.")


def measures_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} measures",
        description="List the measures: names, parameters, range, formula, source.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these, by any of their names (default: all)")
    parser.add_argument("--brief", action="store_true", help="two lines for each: its names and its meaning")
    parser.add_argument(
        "--format",
        dest="form",
        metavar="FORMAT",
        choices=("text", "markdown"),
        default="text",
        help="text (default) or markdown",
    )
    return parser
