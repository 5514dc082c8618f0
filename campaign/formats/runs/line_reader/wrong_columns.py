"""What a line is that has other than six columns. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence

from campaign.formats.problems import visible
from campaign.formats.runs.header import (
    NAMES_OF_COLUMNS,
    has_commas,
    is_json,
    is_markup,
    is_of_dynamic_domain,
    is_shifted,
    is_training_data,
    named_columns,
    other_order,
)
from campaign.formats.source import objects_in_python, separator_hint

INTEGER = re.compile(rb"[+-]?[0-9]{1,18}")
NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NO_BREAK_SPACE = "\u00a0".encode()
SAYS_NOTHING = frozenset({b"Q0", b"q0", b"0"})
OF_NAMES = " The line names columns: write the six in this order, and no line of names."
HAS_DIGIT = re.compile(rb".*[0-9].*")
YAML_KEY = re.compile(rb"[A-Za-z][\w-]*:")
LIKE_YAML = " This looks like YAML: metadata stand at the head of the run, between the two marks of ir_metadata."
LIKE_TREC_EVAL = " This looks like the output of trec_eval, and not like a run."
LIKE_A_POOL = (
    " The line looks like one of a pool (topic, docno), and not of a run. If it is a ranking with the best document first: "
    """awk '{print $1, "Q0", $2, ++n[$1], -n[$1], "TAG"}' FILE > NEW_FILE."""
)
WRITES = {
    "Q0": '$1, "Q0", $2, $3, $4, $5',
    "Q0 and the rank": '$1, "Q0", $2, ++n[$1], $3, $4',
    "Q0, rank and tag": '$1, "Q0", $2, ++n[$1], $3, "TAG"',
    "The rank": '$1, "Q0", $3, ++n[$1], $4, $5',
    "The tag": '$1, "Q0", $3, $4, $5, "TAG"',
}
"""What awk prints to put columns in that say nothing, or that the order of the lines gives."""
LIKE_NUMBERS = " This looks like a list of document or topic numbers, and not like a run."
OF_MARKUP = " A run is no markup: write a line for each document."
OF_PASSAGES = (
    " The first passage of each document is kept by: "
    """awk '!seen[$1, $3]++ {print $1, "Q0", $3, $5, $6, "TAG"}' FILE > NEW_FILE."""
)
OF_PASSAGES_AT_END = (
    " Offset and length of a passage stand before the tag. The first passage of each document is kept by: "
    """awk '!seen[$1, ${docno}]++ {{print $1, "Q0", ${docno}, ${rank}, ${score}, ${tag}}}' FILE > NEW_FILE."""
)
OF_INDRI = (
    " This looks like what IndriRunQuery writes without trecFormat (score, docno, begin, end): "
    "run it with <trecFormat>true</trecFormat>."
)
OF_DYNAMIC_DOMAIN = (
    " Documents of the dynamic domain track are ranked by round and place: "
    """awk '{print $1, "Q0", $3, ++n[$1], -n[$1], "TAG"}' FILE > NEW_FILE."""
)
OF_QRELS = " This looks like qrels (topic, 0, docno, grade), and not like a run."
OF_MS_MARCO = (
    " Runs of MS MARCO have the three columns topic, docno and rank: "
    """awk '{print $1, "Q0", $2, $3, -$3, "TAG"}' FILE > NEW_FILE writes six. Qrels of three columns are no run."""
)
OF_TRAINING = (
    " This looks like training data for learning to rank (LETOR, SVMlight). Its grades come in as qrels; the run is the ranking "
    "that a model made of such data."
)
OF_JSON = " A run is no JSON: write a line for each document."
RECORDS = re.compile(rb"\s*(?:\[\s*)?\{[^{}\[\]]*\}", re.DOTALL)
KEY = re.compile(rb'"([A-Za-z_.-]{1,40})"\s*:')
SCORES = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*(?:"[^"]*"\s*:\s*[-+0-9].*)?', re.DOTALL)
OF_SCORES = (
    OF_JSON + " Scores by topic and docno, as pytrec_eval, BEIR and ranx have them, become a run by: "
    """python3 -c 'import json, sys; [print(t, "Q0", d, r, s, "TAG") for t, scores in json.load(sys.stdin).items() """
    """for r, (d, s) in enumerate(sorted(scores.items(), key=lambda pair: -pair[1]), 1)]' < FILE > NEW_FILE."""
)
OF_SEVERAL_ANSWERS = (
    OF_JSON
    + " The answers of a search service to several topics become lines, with their places in the file as topics, by: "
    """python3 -c 'import json, sys; [print(t, "Q0", hit["_id"], r, hit["_score"], "TAG") """
    """for t, answer in enumerate(json.load(sys.stdin)["responses"], 1) """
    """for r, hit in enumerate(answer["hits"]["hits"], 1)]' < FILE > NEW_FILE."""
)
OF_ANSWERS = (
    " These are generated answers and no ranking: send the run of the search on which they rest, with the six columns for each "
    "document."
)
LIKE_ANSWERS = re.compile(rb'"(?:citations|references)"\s*:')
OF_LISTS = tuple(
    (
        keys,
        OF_JSON + f" The lines of {whose} are written by: python3 -c 'import json, sys; {command}' < FILE > NEW_FILE.",
    )
    for keys, whose, command in (
        (
            (b'"turn_id"', b'"passage_provenance"'),
            "the first response to each turn",
            (
                """[print(t["turn_id"], "Q0", p["id"], r, p["score"], "TAG") for t in json.load(sys.stdin)["turns"] """
                """for r, p in enumerate(t["responses"][0]["passage_provenance"], 1)]"""
            ),
        ),
        (
            (b'"turn_id"', b'"provenance"'),
            "the first response to each turn",
            (
                """[print(t["turn_id"], "Q0", p["id"], r, p["score"], "TAG") for t in json.load(sys.stdin)["turns"] """
                """for r, p in enumerate(t["responses"][0]["provenance"], 1)]"""
            ),
        ),
        (
            (b'"candidates"', b'"docid"'),
            "the candidates of each query",
            (
                """[print(a["query"]["qid"], "Q0", c["docid"], r, c["score"], "TAG") for a in map(json.loads, sys.stdin) """
                """for r, c in enumerate(a["candidates"], 1)]"""
            ),
        ),
        (
            (b'"qid"', b'"ranking"'),
            "the last ranking of each query",
            (
                """[print(q, "Q0", d, r, -r, "TAG") for q, ranking in {a["qid"]: a["ranking"] for a in """
                """map(json.loads, sys.stdin)}.items() for r, d in enumerate(ranking, 1)]"""
            ),
        ),
        (
            (b'"id"', b'"suggestions"'),
            "the list of each request",
            (
                """[print(a["id"], "Q0", d, r, -r, "TAG") for a in map(json.loads, sys.stdin) """
                """for r, d in enumerate(a["body"]["suggestions"], 1)]"""
            ),
        ),
    )
)
"""iKAT, CAsT of 2022, candidates of Anserini and RankLLM, fair ranking of 2019 and 2020,
contextual suggestion of 2016: the keys that they have."""
OF_SERVICES = tuple(
    (
        keys,
        OF_JSON + " The answer of a search service to one topic becomes lines by: "
        f"""python3 -c 'import json, sys; [print("TOPIC", "Q0", hit["{docno}"]{part}, r, hit["{score}"], "TAG") """
        f"""for r, hit in enumerate(json.load(sys.stdin){hits}, 1)]' < FILE >> NEW_FILE.""",
    )
    for keys, hits, docno, part, score in (
        ((b'"hits"', b'"_score"'), '["hits"]["hits"]', "_id", "", "_score"),
        ((b'"root"', b'"relevance"'), '["root"]["children"]', "id", '.split("::")[-1]', "relevance"),
        ((b'"responseHeader"', b'"response"'), '["response"]["docs"]', "id", "", "score"),
    )
)
"""Elasticsearch and OpenSearch, Vespa, Solr: the keys that their answers have. Docnos of Vespa stand behind ::."""


def column_values(text: bytes, count: int) -> dict[str, str]:
    """The values of the message of `column_count`.

    >>> column_values(b"1 d1 0.5 bm25", 4)["found"]
    'There are 4 columns instead of 6.'
    """
    found = f"There {'is 1 column' if count == 1 else f'are {count} columns'} instead of 6."
    if is_json(text.lstrip()):
        found = "This is JSON, and not six columns."
    elif is_markup(text):
        found = "This is markup (XML, HTML or SGML), and not six columns."
    elif has_commas(text):
        found = (
            "A comma and a blank separate the columns."
            if b"," in text
            else "A semicolon and a blank separate the columns."
        )
    elif is_shifted(text):
        found = "Rank and score stand in the fifth and sixth column instead of the fourth and fifth."
    elif count == 6 and is_of_dynamic_domain(text):
        found = "The columns are those of the dynamic domain track: topic, round, docno, score, on topic and subtopics."
    elif count == 6:
        found = "The line names the columns in another order than that of a run."
    return {"found": found, "hint": _hint(text.strip(), count)}


def _hint(text: bytes, count: int) -> str:
    if is_json(text):
        if records := _of_records(text):
            return records
        if b'"responses"' in text and b'"_score"' in text:
            return OF_SEVERAL_ANSWERS
        service = next((hint for keys, hint in OF_SERVICES if all(key in text for key in keys)), "")
        lists = next((hint for keys, hint in OF_LISTS if all(key in text for key in keys)), "")
        other = OF_ANSWERS if LIKE_ANSWERS.search(text) else OF_JSON
        return service or lists or (OF_SCORES if SCORES.fullmatch(text) else other)
    if is_markup(text):
        return OF_MARKUP
    if has_commas(text):
        return f" {'Commas' if b',' in text else 'Semicolons'} do not separate columns.{_of_table(text)}"
    if is_training_data(text):
        return OF_TRAINING
    if is_shifted(text):
        return OF_PASSAGES
    if is_of_dynamic_domain(text):
        return OF_DYNAMIC_DOMAIN
    if (places := other_order(text)) is not None:
        return _reordering(text, places) if "score" in places else OF_NAMES
    hint = " No-break spaces do not separate columns." if NO_BREAK_SPACE in text else ""
    hint = separator_hint(text, count, 6) or hint
    return hint + _of_table(text) or _hint_of_fields(text.split())


def _hint_of_fields(fields: Sequence[bytes]) -> str:
    if len(fields) > 1 and all(map(names_a_column, fields)):
        return OF_NAMES
    if len(fields) > 6:
        return _with_blanks(fields)
    if other := _other_kind(fields):
        return other
    if len(fields) == 4 and fields[1] in SAYS_NOTHING and INTEGER.fullmatch(fields[3]):
        return OF_QRELS
    if len(fields) == 3 and INTEGER.fullmatch(fields[2]):
        return OF_MS_MARCO
    if len(fields) == 4 and re.fullmatch("n.[0i][0i]", "".join(map(_kind, fields))) and fields[0].startswith(b"-"):
        return OF_INDRI
    missing = _missing(fields)
    if not missing:
        return ""
    command = f" This puts it in: awk '{{print {WRITES[missing]}}}' FILE > NEW_FILE." if missing in WRITES else ""
    return f" {missing} seem{'' if ' and ' in missing else 's'} to be missing.{command}"


def _of_records(text: bytes) -> str:
    """The command for a list of objects, or objects on lines of their own, that each name topic, docno and score or rank.

    >>> _of_records(b'[{"qid": 1, "docid": 2, "score": 0.5}]').split("; ")[1][:45]
    '[print(*row) for row in ((hit["qid"], "Q0", h'
    >>> _of_records(b'[{"question": "why", "answer": "so"}]')
    ''
    """
    if not RECORDS.match(text):
        return ""
    found = _of_objects(list(dict.fromkeys(KEY.findall(text))), objects_in_python(text))
    return found and OF_JSON + found


def _of_objects(names: Sequence[bytes], loaded: str) -> str:
    """The command for objects, or rows of a table, of which these names show topic, docno, and score or rank."""
    places = named_columns(names)
    score = next((name for name in (b"score", b"rel_score", b"similarity", b"sim") if name in names), b"")
    if not {"topic", "docno"} <= places.keys() or not (score or "rank" in places):
        return ""
    key = {column: f'hit["{visible(names[place - 1])}"]' for column, place in places.items()}
    value = f'hit["{visible(score)}"]' if score else f"-int({key['rank']})"
    row = f"""({key["topic"]}, "Q0", {key["docno"]}, {key.get("rank", "0")}, {value}, "TAG")"""
    command = (
        f"""'import csv, json, re, sys; [print(*row) for row in ({row} for hit in {loaded})]' < FILE > NEW_FILE."""
    )
    return f" Objects with topic and docno become lines by: python3 -c {command}"


def _of_table(text: bytes) -> str:
    """The command for columns that commas, semicolons, bars or tabs separate: those of a run, or with names of topic and docno.

    >>> _of_table(b"1,Q0,d1,1,2.5,bm25")[:71]
    " This writes them with blanks: python3 -c 'import csv; [print(*map(str."
    >>> _of_table(b"1,d1")
    ''
    """
    line = text.split(b"\n", 1)[0].decode(errors="replace")
    mark = next((mark for mark in "\t;|," if mark in line), ",")
    try:
        cells = [cell.encode() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])]
    except csv.Error:
        return ""
    delimiter = mark.replace("\t", r"\t")
    read = f"""(open(0, encoding="utf-8-sig"), delimiter="{delimiter}", skipinitialspace=True)"""
    if mark != "\t" and re.fullmatch(".0.[0i][0in].", "".join(_kind(cell.strip()) for cell in cells)):
        command = (
            f"python3 -c 'import csv; [print(*map(str.strip, row)) for row in csv.reader{read}]' < FILE > NEW_FILE."
        )
        return f" This writes them with blanks: {command}"
    return _of_objects(cells, f"csv.DictReader{read}").replace("Objects", "Rows")


def _other_kind(fields: Sequence[bytes]) -> str:
    """What a line of up to three columns looks like that are none of a run.

    >>> _other_kind([b"map", b"all", b"0.25"]), _other_kind([b"a", b"b"])
    (' This looks like the output of trec_eval, and not like a run.', '')
    """
    if len(fields) < 3 and fields and YAML_KEY.fullmatch(fields[0]):
        return LIKE_YAML
    if len(fields) == 3 and fields[1] == b"all":
        return LIKE_TREC_EVAL
    if all(map(HAS_DIGIT.fullmatch, fields)):
        return {1: LIKE_NUMBERS, 2: LIKE_A_POOL}.get(len(fields), "")
    return ""


def names_a_column(field: bytes) -> bool:
    """Whether a word is a usual name of a column of runs.

    >>> names_a_column(b"qid"), names_a_column(b"kites")
    (True, False)
    """
    return any(pattern.fullmatch(field) for pattern in NAMES_OF_COLUMNS.values())


def _reordering(text: bytes, places: Mapping[str, int]) -> str:
    """How to write the columns in the order of a run: lines whose score is no number, as that of names, are left out.

    >>> print(_reordering(b"docno qid", {"topic": 2, "docno": 1, "score": 4}).strip())
    The columns are put in order by: awk '$4 == $4 + 0 {print $2, "Q0", $1, ++n[$2], $4, "TAG"}' FILE > NEW_FILE.
    """
    topic, docno, score = (f"${places[column]}" for column in ("topic", "docno", "score"))
    rank = f"${places['rank']}" if "rank" in places else f"++n[{topic}]"
    tag = f"${places['tag']}" if "tag" in places else '"TAG"'
    separator = r"-F '\t' " if b"\t" in text else ""
    printed = f"""{topic}, "Q0", {docno}, {rank}, {score}, {tag}"""
    return f" The columns are put in order by: awk {separator}'{score} == {score} + 0 {{print {printed}}}' FILE > NEW_FILE."


def _missing(fields: Sequence[bytes]) -> str:
    """What a line of three to five columns lacks.

    >>> _missing([b"1", b"Q0", b"d1", b"1", b"2.5"]), _missing([b"1", b"d1", b"1", b"2.5", b"bm25"])
    ('The tag', 'Q0')
    """
    kinds = "".join(map(_kind, fields))
    shapes = (
        ("Q0, rank and tag", "..[in]"),
        ("The rank and the tag", ".0.[in]"),
        ("Q0 and the rank", "..nx"),
        ("Q0 and the tag", "..[0i][0in]"),
        ("The tag", ".0.[0i][0in]"),
        ("The docno or the rank", ".0[i0]n."),
        ("The rank", ".0.n."),
        ("The rank or the score", ".0.[0i]."),
        ("The topic", "0.[0i][0in]."),
        ("Q0", "..[0i][0in]."),
    )
    return next((missing for missing, shape in shapes if re.fullmatch(shape, kinds)), "")


def _with_blanks(fields: Sequence[bytes]) -> str:
    kinds = "".join(map(_kind, fields))
    if re.fullmatch(".(0.|[^0])[0i][0in][0i][0i].", kinds) and not re.fullmatch(".0.[0i][0in].[0i][0i]", kinds):
        docno = len(fields) - 5
        return OF_PASSAGES_AT_END.format(docno=docno, rank=docno + 1, score=docno + 2, tag=docno + 5)
    shapes = (
        ("docno", ".0.{2,}[0i][0in]."),
        ("tag", ".0.[0i][0in].{2,}"),
        ("topic", ".{2,}0.[0i][0in]."),
    )
    if further := re.fullmatch(".0.[0i][0in].([0in]+)", kinds):
        return f" Behind the tag {'stands a number' if len(further[1]) == 1 else 'stand numbers'}: take what follows the tag out."
    column = next((column for column, shape in shapes if re.fullmatch(shape, kinds)), "")
    return f" The {column} seems to hold blanks: write it without." if column else ""


def _kind(field: bytes) -> str:
    """0 for what the second column holds, i for an integer, n for another number, x for words."""
    if field in SAYS_NOTHING:
        return "0"
    return "i" if INTEGER.fullmatch(field) else "n" if NUMBER.fullmatch(field) else "x"
