"""trec_eval's release 9.0.8 as an oracle: how it is asked, and what its answers are compared with."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import pytrec_eval_ext

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.scoring import score_run
from tests.evaluation.engine.random_collections import Collection

EXACT = {"abs": 1e-9, "rel": 0}
FOUR_DECIMALS = {"abs": 0.5e-4, "rel": 0}
RECALLS = [0.0, 0.05, 0.1, 0.2, 0.3, 0.37, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
MULTIPLES = [0.0, 0.2, 0.25, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 7.0]
ELEVEN = [tenth / 10 for tenth in range(11)]
# What is asked of the tool, and how the tool writes what it answers.
ASKED = [
    *("Rprec", "11pt_avg", "infAP", "binG", "G", "ndcg_rel", "Rndcg", "num_nonrel_judged_ret", "gm_map", "gm_bpref"),
    *("set_relative_P", "set_map", "set_F", "utility", "relative_P.1,2,3,10,100", "success.1,2,3,10"),
    f"iprec_at_recall.{','.join(map(str, RECALLS))}",
    f"Rprec_mult.{','.join(map(str, MULTIPLES))}",
]
ANSWERED = [
    *ASKED[:14],
    *(f"relative_P_{k}" for k in (1, 2, 3, 10, 100)),
    *(f"success_{k}" for k in (1, 2, 3, 10)),
    *(f"iprec_at_recall_{recall:.2f}" for recall in RECALLS),
    *(f"Rprec_mult_{multiple:.2f}" for multiple in MULTIPLES),
]


def standard_tool(
    collection: Collection, asked: list[str], level: int = 1, judged_only: bool = False
) -> dict[str, dict[str, float]]:
    """Release 9.0.8's values. Topics without any grade from 0 are kept from it: there it reads memory it never wrote."""
    qrels = {topic: docs for topic, docs in collection.grades.items() if max(docs.values()) >= 0}
    if not qrels:
        return {}
    return pytrec_eval_ext.RelevanceEvaluator(
        query_relevance=qrels, measures=set(asked), relevance_level=level, judged_docs_only_flag=judged_only
    ).evaluate(collection.run)


def assert_equal_to_standard_tool(
    collection: Collection,
    asked: list[str],
    measures: dict[str, str],
    level: int = 1,
    judged_only: bool = False,
    undefined: Callable[[str, str], float] | None = None,
):
    """`measures`: what the tool calls each, and what is asked here. `undefined`: the value decided where it has none."""
    expected = standard_tool(collection, asked, level, judged_only)
    wanted = [parse_measure(name, defaults={"rel": level, "judged_only": judged_only}) for name in measures.values()]
    scores = score_run(collection.run_table, collection.judgments, wanted)
    for column, topic in enumerate(scores.topics):
        for row, name in enumerate(measures):
            value = scores.values[row, column]
            if topic not in expected:
                # Utility alone of these measures is not 0 where nothing is relevant or nothing retrieved.
                assert value == 0.0 or name == "utility", (name, topic)
                continue
            answer = expected[topic][name]
            if name.startswith("gm_"):
                value = math.log(max(value, 1e-5))
            if math.isnan(answer):
                answer = undefined(name, topic)
            assert value == pytest.approx(answer, **EXACT), (name, topic)


def grades_in_order(collection: Collection, topic: str, as_type: type = np.float32) -> list[int | None]:
    """The grades by rank; None for a document outside the qrels, -1 for every negative grade."""
    grades = collection.grades[topic]
    ranking = collection.scoring_order(topic, as_type) if topic in collection.run else []
    return [None if docno not in grades else max(grades[docno], -1) for docno in ranking]
