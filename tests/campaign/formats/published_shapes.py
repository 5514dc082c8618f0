"""Topics, documents, qrels and runs in the shapes of campaigns, with words of our own, and the page that lists them.

`python -m tests.campaign.formats.published_shapes` prints the tables of the page.
"""

import bz2
import gzip
import io
import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from campaign.formats.documents import DocumentReader
from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.topics.read import read_topics

COMMAND = re.compile("(?:python3|awk) .*NEW_FILE")
ELEMENT = re.compile(r"<[^<>]+>")
Topic = tuple[str, ...]
"""Number and title, where there are such also description and narrative, then subtopics as `number: text`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """`read`: the topics, or the rows of qrels, that the file holds; none where it is refused."""

    campaign: str
    shape: str
    text: str | bytes
    read: tuple[tuple[object, ...], ...] = ()


def as_json(*values: Any, indent: int | None = None) -> str:
    return "\n".join(json.dumps(value, indent=indent) for value in values)


def turn(number: object, key: str, text: str, **more: object) -> dict[str, object]:
    return {key: number, **more} if not text else {key: number, "utterance": text, **more}


TOPICS = (
    Shape(
        "TREC-1 to 3, ad hoc",
        "SGML without closing tags, sections of the first years",
        "<top>\n<head> Topic Description\n<num> Number:  051\n<dom> Domain:  Trade\n<title> Topic:  Glass Roofs\n\n"
        "<desc> Description:\nA document names a glass roof.\n\n<smry> Summary:\nRoofs.\n\n<narr> Narrative:\nAny roof.\n\n"
        "<con> Concept(s):\n1. glass\n\n<fac> Factor(s):\n<nat> Nationality: Malta\n</fac>\n<def> Definition(s):\n</top>\n",
        (("051", "Glass Roofs", "A document names a glass roof.", "Any roof."),),
    ),
    Shape(
        "TREC-4, ad hoc",
        "SGML with a description alone",
        "<top>\n<num> Number: 201\n<desc> Description:\nWhere are mill ponds?\n</top>\n",
        (("201", "Where are mill ponds?"),),
    ),
    Shape(
        "TREC robust, terabyte, blog",
        "SGML, blanks at line ends",
        "\n<top>\r\n\r\n<num> Number: 301 \r\n<title> Mill Ponds \r\n\r\n<desc> Description: \r\n"
        "Which mills\r\nhave ponds? \r\n\r\n"
        "<narr> Narrative: \r\nAll ponds. \r\n\r\n</top>\r\n",
        (("301", "Mill Ponds", "Which mills have ponds?", "All ponds."),),
    ),
    Shape(
        "TREC common core",
        "SGML with closing tags, labels without a colon",
        "<top>\n<num> Number: 321 </num>\n<title>\nGarden doors\n</title>\n<desc> Description\nWho paints doors?\n</desc>\n"
        "<narr> Narrative\nAny painter.\n</narr>\n</top>\n",
        (("321", "Garden doors", "Who paints doors?", "Any painter."),),
    ),
    Shape(
        "TREC news, background linking 2018 to 2020",
        "SGML with a document and its address, closed by an opening tag",
        "<top>\n<num> Number: 321 </num>\n<docid>9a1b</docid>\n<url>https://example.org/a/<url>\n</top>\n",
        (("321", "docid: 9a1b; url: https://example.org/a/"),),
    ),
    Shape(
        "TREC news, background linking 2021",
        "SGML with numbered `<sub>` in `<subtopics>`",
        "<top>\n<num> Number: 936 </num>\n<docid>9a1b</docid>\n<title>Ferries</title>\n<desc>\nHow do they dock?\n</desc>\n"
        '<subtopics>\n<sub num="1">Which ports?</sub>\n<sub num="2">Which ships?</sub>\n</subtopics>\n</top>\n',
        (("936", "Ferries", "How do they dock?", "1: Which ports?", "2: Which ships?"),),
    ),
    Shape(
        "TREC microblog, from 2012 on",
        "SGML with a query and its time",
        "<top>\n<num> Number: MB051 </num>\n<query> kite day </query>\n<querytime> Tue Feb 08 22:41:35 +0000 2011 </querytime>\n"
        "<querytweettime> 351059 </querytweettime>\n</top>\n",
        (("MB051", "kite day"),),
    ),
    Shape(
        "TREC incident streams",
        "SGML with data set, kind and address of an event",
        "<top>\n<num>TRECIS-X-H-001</num>\n<dataset>one</dataset>\n<title>2012 flood</title>\n<type>flood</type>\n"
        "<url>https://example.org</url>\n<narr>A river rose.\n</narr>\n</top>\n",
        (("TRECIS-X-H-001", "2012 flood", "A river rose."),),
    ),
    Shape(
        "TREC web",
        "XML with types, subtopics, an empty one among them",
        '<webtrack2012>\n  <topic number="151" type="ambiguous">\n    <query>heron</query>\n'
        "    <description>Find herons.</description>\n"
        '    <subtopic number="1" type="inf">Where?</subtopic>\n'
        '    <subtopic number="2" type="nav"></subtopic>\n  </topic>\n</webtrack2012>\n',
        (("151", "heron", "Find herons.", "1: Where?"),),
    ),
    Shape(
        "TREC million query 2007 and 2008",
        "lines `number:query`",
        "1:warm socks\n2:bus 42: times\n",
        (("1", "warm socks"), ("2", "bus 42: times")),
    ),
    Shape(
        "TREC million query 2009",
        "lines `number:priority:query`",
        "20001:1:warm socks\n20002:4:bus times\n",
        (("20001", "warm socks"), ("20002", "bus times")),
    ),
    Shape(
        "TREC genomics 2004",
        "XML in capitals",
        '<?xml version="1.0"?>\n<TOPICS>\n<TOPIC>\n<ID>1</ID>\n<TITLE>Moss</TITLE>\n'
        "<NEED>Find genes.</NEED>\n<CONTEXT>A study.</CONTEXT>\n"
        "</TOPIC>\n</TOPICS>\n",
        (("1", "Moss", "Find genes.", "A study."),),
    ),
    Shape(
        "TREC genomics 2006 and 2007",
        "lines `<number>question`",
        "<160>Which [GENES] has moss?\n<161>How do ferns grow?\n",
        (("160", "Which [GENES] has moss?"), ("161", "How do ferns grow?")),
    ),
    Shape(
        "TREC legal",
        "XML with requests for papers",
        "<TrecRequestFile>\n<ProductionRequest>\n<RequestNumber>6</RequestNumber>\n"
        "<RequestText>All papers on glue.</RequestText>\n"
        "<BooleanQuery>glue</BooleanQuery>\n</ProductionRequest>\n</TrecRequestFile>\n",
        (("6", "All papers on glue."),),
    ),
    Shape(
        "TREC session 2011 and 2012",
        "XML with a topic, the interactions and the current query of each session",
        '<?xml version="1.0" encoding="utf-8"?>\n<sessiontrack2012>\n<session num="1" starttime="10:00">\n<topic num="7">\n'
        "<title>wood stoves</title>\n<desc>Find stoves.</desc>\n<narr>Any.</narr>\n</topic>\n"
        '<interaction num="1" starttime="10:01">\n<query>stove</query>\n'
        '<results><result rank="1"><url>u</url><title>t</title></result>'
        '</results>\n</interaction>\n<currentquery starttime="10:05"><query>buy stove</query></currentquery>\n</session>\n'
        "</sessiontrack2012>\n",
        (("1", "wood stoves", "Find stoves.", "Any."),),
    ),
    Shape(
        "TREC session 2013 and 2014",
        "the same without a title of the topic",
        '<sessiontrack2014>\n<session num="1" starttime="0" userid="u1">\n<topic num="7">\n'
        "<desc>You want a stove.</desc>\n</topic>\n"
        '<interaction num="1" starttime="10" type="reformulate">\n<query>stove</query>\n</interaction>\n'
        '<currentquery starttime="12"><query>buy stove</query></currentquery>\n</session>\n</sessiontrack2014>\n',
        (("1", "buy stove", "You want a stove."),),
    ),
    Shape(
        "TREC dynamic domain",
        "XML with names in attributes, passages in subtopics",
        '<trec_dd>\n<domain name="x" id="1">\n<topic name="Kites" id="DD16-1" num_of_subtopics="1">\n'
        "<description>Find kites.</description>\n"
        '<subtopic name="Wind" id="1" num_of_passages="1"><passage id="1"><docno>a</docno><rating>4</rating>'
        "</passage></subtopic>\n"
        "</topic>\n</domain>\n</trec_dd>\n",
        (("DD16-1", "Kites", "Find kites.", "1: Wind"),),
    ),
    Shape(
        "TREC federated web",
        "XML with a mark of official topics",
        '<topics evaluation="FW14">\n<topic official="true" id="7015">\n<query>kites</query>\n'
        "<description>Find kites.</description>\n"
        "<narrative>All.</narrative>\n</topic>\n</topics>\n",
        (("7015", "kites", "Find kites.", "All."),),
    ),
    Shape(
        "TREC clinical decision support",
        "XML with note, description and summary",
        '<topics task="2016 TREC CDS">\n<topic number="1" type="diagnosis">\n<note>He came at night.</note>\n'
        "<description>A man coughs.</description>\n<summary>Cough.</summary>\n</topic>\n</topics>\n",
        (("1", "Cough.", "A man coughs.", "He came at night."),),
    ),
    Shape(
        "TREC precision medicine",
        "XML with disease, gene, person, without a title",
        '<topics task="2017 TREC Precision Medicine">\n<topic number="1">\n<disease>Gout</disease>\n<gene>ABC1</gene>\n'
        "<demographic>40-year-old</demographic>\n<other>None</other>\n</topic>\n</topics>\n",
        (("1", "disease: Gout; gene: ABC1; demographic: 40-year-old; other: None"),),
    ),
    Shape(
        "TREC clinical trials 2021 and 2022",
        "XML, the text straight in the topic",
        '<topics task="2021 TREC Clinical Trials">\n<topic number="1">\nPatient sleeps &lt; 5 h.\n</topic>\n</topics>\n',
        (("1", "Patient sleeps < 5 h."),),
    ),
    Shape(
        "a text longer than a title may be",
        "XML, the text straight in the topic",
        '<topics>\n<topic number="1">\n' + "Patient sleeps &lt; 5 h.\n" * 100 + "</topic>\n</topics>\n",
        (("1", f"{'Patient sleeps < 5 h. ' * 13}Patient …", "\n".join(["Patient sleeps < 5 h."] * 100)),),
    ),
    Shape(
        "TREC clinical decision support, admission notes",
        "XML with a list in the note",
        '<topics task="2016 TREC CDS">\n<topic number="1" type="diagnosis">\n<note>\n  He came at night with a cough that\n'
        "  did not go away. Medicines:\n    1. tea\n    2. honey from\n       the garden\n</note>\n"
        "<summary>Cough.</summary>\n</topic>\n</topics>\n",
        (
            (
                "1",
                "Cough.",
                "He came at night with a cough that did not go away. Medicines:\n1. tea\n2. honey from the garden",
            ),
        ),
    ),
    Shape(
        "TREC clinical trials 2023",
        "XML with named fields, empty ones among them",
        '<topics task="2023">\n<topic number="1" template="gout">\n<field name="definitive diagnosis">foot</field>\n'
        '<field name="drops"></field>\n</topic>\n</topics>\n',
        (("1", "definitive diagnosis: foot"),),
    ),
    Shape(
        "TREC-COVID",
        "XML with query, question and narrative",
        '<?xml version="1.0" encoding="UTF-8"?>\n<topics task="COVIDRND1" batch="1">\n  <topic number="1">\n'
        "    <query>masks</query>\n"
        "    <question>do masks help?</question>\n    <narrative>seeking studies</narrative>\n  </topic>\n</topics>\n",
        (("1", "masks", "do masks help?", "seeking studies"),),
    ),
    Shape(
        "TREC health misinformation",
        "XML with a stance and evidence",
        "<topics>\n<topic>\n<number>101</number>\n<query>honey cough</query>\n"
        "<description>Does it help?</description>\n<narrative>Yes.</narrative>\n"
        "<disclaimer>No advice.</disclaimer>\n<stance>helpful</stance>\n"
        "<evidence>https://example.org</evidence>\n</topic>\n</topics>\n",
        (("101", "honey cough", "Does it help?", "Yes."),),
    ),
    Shape(
        "TREC deep learning, RAG 2024, MS MARCO, MIRACL, LongEval",
        "TSV of number and query",
        "1037798\twho was he\n2024-145979\twhat is a weir\n",
        (("1037798", "who was he"), ("2024-145979", "what is a weir")),
    ),
    Shape(
        "TREC product search",
        "TSV with a line of headings",
        "query_id\tquery\n1\tkites\n",
        (("1", "kites"),),
    ),
    Shape(
        "TREC RAG 2025",
        "JSON lines with a narrative alone",
        as_json({"id": "14", "narrative": "I want to learn of boats."}, {"id": "15", "narrative": "And of oars."}),
        (("14", "I want to learn of boats."), ("15", "And of oars.")),
    ),
    Shape(
        "TREC tip of the tongue 2023",
        "JSON lines with title, text and notes on its sentences",
        as_json(
            {
                "id": "763",
                "url": "u",
                "domain": "movie",
                "title": "a boat",
                "text": "I saw it.",
                "sentence_annotations": [{"id": 1}],
            }
        ),
        (("763", "a boat", "I saw it."),),
    ),
    Shape(
        "TREC fair ranking",
        "JSON lines with keywords and relevant documents",
        as_json(
            {"id": 1, "title": "Rivers", "keywords": ["river"], "scope": "All.", "homepage": "h", "rel_docs": [12, 13]}
        ),
        (("1", "Rivers"),),
    ),
    Shape(
        "TREC CAsT 2019",
        "a list in JSON: conversations with title, description and turns",
        as_json(
            [
                {
                    "number": 31,
                    "description": "On boats.",
                    "turn": [{"number": 1, "raw_utterance": "What is a sloop?"}],
                    "title": "boats",
                }
            ],
            indent=2,
        ),
        (("31_1", "What is a sloop?", "boats\n\nOn boats."),),
    ),
    Shape(
        "TREC CAsT 2020 and 2021",
        "the same with rewritten utterances",
        as_json(
            [
                {
                    "number": 81,
                    "turn": [
                        {
                            "number": 1,
                            "raw_utterance": "Who built it?",
                            "manual_rewritten_utterance": "Who built the sloop?",
                            "automatic_rewritten_utterance": "Who built it now?",
                            "query_turn_dependence": [],
                            "result_turn_dependence": [1],
                            "canonical_result_id": "X_1",
                        }
                    ],
                }
            ],
            indent=2,
        ),
        (("81_1", "Who built it?", "Who built the sloop?"),),
    ),
    Shape(
        "TREC CAsT 2022, flattened",
        "branches of a conversation, each with the turns before it",
        as_json(
            [
                {"number": 132, "turn": [turn("1-1", "number", "What is it?", response="A ship.")]},
                {"number": 132, "turn": [turn("1-1", "number", "What is it?"), turn("1-3", "number", "How big?")]},
            ],
            indent=4,
        ),
        (("132_1-1", "What is it?"), ("132_1-3", "How big?")),
    ),
    Shape(
        "TREC CAsT 2022, tree",
        "one conversation as an object over several lines, with turns of the system",
        as_json(
            {
                "number": 1,
                "turn": [
                    turn(
                        "1-1",
                        "number",
                        "Where?",
                        participant="User",
                        parent="",
                        manual_rewritten_utterance="Where is it?",
                    ),
                    turn("1-2", "number", "", participant="System", parent="1-1", response="North."),
                ],
            },
            indent=4,
        ),
        (("1_1-1", "Where?", "Where is it?"),),
    ),
    Shape(
        "TREC iKAT 2023 and 2024",
        "a list in JSON: conversations with facts of the person, and turns",
        as_json(
            [
                {
                    "number": "9-1",
                    "title": "Trips",
                    "ptkb": {"1": "I walk."},
                    "turns": [
                        turn(
                            1,
                            "turn_id",
                            "Where to?",
                            resolved_utterance="Where to go?",
                            response="North.",
                            ptkb_provenance=[1],
                        )
                    ],
                }
            ],
            indent=4,
        ),
        (("9-1_1", "Where to?", "Where to go?", "Trips"),),
    ),
    Shape(
        "TREC iKAT 2025",
        "the same with other names",
        as_json(
            [
                {
                    "number": "1-1",
                    "title": "Trips",
                    "responses": [{"turn_id": 1, "user_utterance": "Where to?", "citations": []}],
                }
            ],
            indent=4,
        ),
        (("1-1_1", "Where to?", "Trips"),),
    ),
    Shape(
        "TREC CrisisFACTS, EpidemicQA",
        "a list of objects in JSON over several lines",
        as_json([{"question_id": "CQ1", "question": "Who?", "query": "who", "background": "Looking."}], indent=4),
        (("CQ1", "who", "Who?", "Looking."),),
    ),
    Shape(
        "TREC NeuCLIR, HC4",
        "JSON lines, each topic in several languages",
        as_json(
            {
                "topic_id": "1",
                "languages_with_qrels": ["fas"],
                "topics": [
                    {"lang": "fas", "source": "human translation", "topic_title": "x"},
                    {"lang": "eng", "source": "original", "topic_title": "Bees", "topic_description": "Find bees."},
                ],
                "narratives": {"fas": {}},
            }
        ),
        (("1", "Bees", "Find bees."),),
    ),
    Shape(
        "TREC NeuCLIR and RAGTIME, reports",
        "JSON lines with a request: background and problem statement",
        as_json(
            {"request_id": "300", "collection_ids": ["x"], "background": "I paint.", "problem_statement": "Find oars."}
        ),
        (("300", "Find oars.", "I paint."),),
    ),
    Shape(
        "TREC BioGen",
        "a list in JSON: topic, question and narrative",
        as_json([{"id": "116", "topic": "gout", "question": "Does tea help?", "narrative": "A man asks."}], indent=1),
        (("116", "gout", "Does tea help?", "A man asks."),),
    ),
    Shape(
        "TREC contextual suggestion 2016",
        "JSON lines of requests: a place, a person and a trip",
        as_json(
            {
                "id": 700,
                "body": {
                    "group": "Friends",
                    "season": "Winter",
                    "location": {"id": 1, "name": "Cork", "state": "IE", "lat": 51.9},
                    "person": {"id": 1, "preferences": [{"documentId": "T-1", "rating": 2}]},
                },
                "candidates": ["T-2"],
            }
        ),
        (("700", "Cork, IE", "group: Friends; season: Winter"),),
    ),
    Shape(
        "TREC total recall",
        "lines of a number that begins with letters, a blank and a name",
        "athome100 Mill Ponds\nathome101 Kites\n",
        (("athome100", "Mill Ponds"), ("athome101", "Kites")),
    ),
    Shape(
        "TREC total recall",
        "the same with a colon",
        "athome401:Mill Ponds\nathome402:Kites\n",
        (("athome401", "Mill Ponds"), ("athome402", "Kites")),
    ),
    Shape(
        "files of others",
        "TSV that a program wrote with a column of line numbers without a name",
        "\tquery_id\tquery\n0\t17\tkites\n",
        (("17", "kites"),),
    ),
    Shape(
        "TREC tip of the tongue 2024 and 2025",
        "JSON lines with a query of several sentences",
        as_json({"query_id": "2001", "query": "I saw a film of a boat at sea. " * 12}),
        (
            (
                "2001",
                f"{'I saw a film of a boat at sea. ' * 9}I saw a film of a …",
                " ".join(["I saw a film of a boat at sea."] * 12),
            ),
        ),
    ),
    Shape(
        "TREC medical video",
        "a list in JSON: questions with sample numbers",
        as_json([{"sample_id": 7, "question": "How to tie a sling?", "video_id": "v"}], indent=1),
        (("7", "How to tie a sling?"),),
    ),
    Shape(
        "TREC podcasts",
        "XML with the type of a topic",
        "<topics>\n<topic>\n<num>1</num>\n<query>boat talk</query>\n<type>topical</type>\n"
        "<description>Find talk of boats.</description>\n</topic>\n</topics>\n",
        (("1", "boat talk", "Find talk of boats."),),
    ),
    Shape(
        "TREC temporal summarization",
        "XML with events as topics",
        "<events>\n<event>\n<id>1</id>\n<start>10</start>\n<query>river flood</query>\n<type>flood</type>\n</event>\n</events>\n",
        (("1", "river flood"),),
    ),
    Shape(
        "TREC real-time summarization",
        "a list in JSON with `topid`",
        as_json([{"topid": "RTS1", "title": "kites", "description": "Find.", "narrative": "All."}], indent=1),
        (("RTS1", "kites", "Find.", "All."),),
    ),
    Shape(
        "TREC video, ad hoc search",
        "lines of number, blank and text",
        "701 A man with a kite\n702 Boats on a lake\n",
        (("701", "A man with a kite"), ("702", "Boats on a lake")),
    ),
    Shape(
        "TREC CAR",
        "lines of article and section",
        "enwiki:Mill/Mill%20ponds\nenwiki:Mill\n",
        (("enwiki:Mill/Mill%20ponds", "Mill, Mill ponds"), ("enwiki:Mill", "Mill")),
    ),
    Shape(
        "TREC question answering 1999 to 2002",
        "SGML with a description alone",
        "<top>\n<num> Number: 1394 \n<desc> Description: \nWho flies kites?\n</top>\n",
        (("1394", "Who flies kites?"),),
    ),
    Shape(
        "TREC question answering 2003",
        "SGML with the type of a question, without closing tags",
        "<top>\n<num> Number: 1894 \n<type> Type: factoid\n<desc> Description: \nHow far is the weir?\n</top>\n",
        (("1894", "How far is the weir?"),),
    ),
    Shape(
        "TREC question answering 2004 to 2007",
        "XML with questions of a target",
        '<trecqa>\n<target id="1" text="Kites">\n<qa>\n<q id="1.1" type="FACTOID">\nWho?\n</q>\n</qa>\n'
        '<qa><q id="1.2" type="LIST">Which ones?</q></qa>\n</target>\n'
        '<target id = "2" text = "Oars">\n<qa><q id="2.1" type="OTHER">Other</q></qa>\n</target>\n</trecqa>\n',
        (("1.1", "Who?", "Kites"), ("1.2", "Which ones?", "Kites"), ("2.1", "Other", "Oars")),
    ),
    Shape(
        "TREC question answering 2006 and 2007, ciQA",
        "SGML with a template and a narrative",
        '<top>\n<num> Number: 26 </num>\n\n<template id="1">\nWhat is there for [kites]?\n</template>\n\n'
        "<narr> Narrative:\nThe analyst flies.\n</narr>\n</top>\n",
        (("26", "The analyst flies."),),
    ),
    Shape(
        "TREC novelty 2003 and 2004",
        "SGML with a type and relevant documents, without closing tags",
        "<top>\n<num> Number: N51\n<title> kite days\n<toptype> event\n<desc> Description:\nFind days.\n"
        "<narr> Narrative: All.\n<docs> Relevant documents:\nNYT1 NYT2\n</top>\n",
        (("N51", "kite days", "Find days.", "All."),),
    ),
    Shape(
        "TREC HARD",
        "XML with two narratives and metadata",
        "<topic>\n<number>HARD-001</number>\n<title>kites</title>\n<description>Find.</description>\n"
        "<topic-narrative>Any.</topic-narrative>\n<metadata-narrative>Of late.</metadata-narrative>\n"
        "<metadata>\n<familiarity>little</familiarity>\n</metadata>\n</topic>\n",
        (("HARD-001", "kites", "Find.", "Any."),),
    ),
    Shape(
        "TREC Spanish and Chinese",
        "SGML with the language in the tags, the language of the documents first",
        "<top>\n<num> Number: SP26\n<sp-title> Cometas\n<E-title> Kites\n<sp-desc> Descripcion:\nDonde.\n"
        "<E-desc> Description:\nWhere.\n</top>\n",
        (("SP26", "Cometas", "Descripcion:\nDonde."),),
    ),
    Shape(
        "TREC enterprise 2007",
        "SGML with known pages",
        "<top>\n<num>CE-001</num>\n<query>kites</query>\n<narr>Find.</narr>\n<page>C1</page>\n<page>C2</page>\n</top>\n",
        (("CE-001", "kites", "Find."),),
    ),
    Shape(
        "TREC tasks",
        "XML with subtasks",
        '<trec2015>\n<topic number="1">\n<query>kites</query>\n<freebase id="m.1"/>\n<task>Fly</task>\n'
        '<subtask number="1">a</subtask>\n</topic>\n</trec2015>\n',
        (("1", "kites"),),
    ),
    Shape(
        "CODEC",
        "an object in JSON: topics by their numbers",
        as_json({"economics-1": {"Query": "Why tax?", "Domain": "economics", "Guidelines": "Read all."}}, indent=2),
        (("economics-1", "Why tax?", "Read all."),),
    ),
    Shape(
        "BEIR",
        "JSON lines with `_id`",
        as_json({"_id": "1", "text": "kites", "metadata": {}}),
        (("1", "kites"),),
    ),
    Shape(
        "BioASQ",
        "an object in JSON that holds the list of questions",
        as_json({"questions": [{"id": "5a", "body": "Is it?", "type": "yesno", "documents": ["u"]}]}, indent=1),
        (("5a", "Is it?"),),
    ),
    Shape(
        "files of others",
        "an object in JSON: version and source beside the list of topics",
        as_json({"version": "1.1", "source": "u", "data": [{"id": "7", "query": "kites"}]}),
        (("7", "kites"),),
    ),
    Shape(
        "files of others",
        "TSV with comments, and with names of columns after #",
        "# topics of 2026\n#qid\tquery\n1\tkites\n# late\n2\toars\n",
        (("1", "kites"), ("2", "oars")),
    ),
    Shape(
        "CLEF 2000 to 2003",
        "SGML with the language in the tags",
        '<top lang="EN">\n<num> C141 </num>\n<EN-title> Ships </EN-title>\n<EN-desc> Find ships. </EN-desc>\n'
        "<EN-narr> All. </EN-narr>\n</top>\n",
        (("C141", "Ships", "Find ships.", "All."),),
    ),
    Shape(
        "CLEF 2008 and 2009",
        "XML with an identifier that holds a slash",
        "<topics>\n<topic lang='en'>\n<identifier>10.2452/451-AH</identifier>\n<title>Roads</title>\n"
        "<description>Find.</description>\n"
        "</topic>\n</topics>\n",
        (("10.2452/451-AH", "Roads", "Find."),),
    ),
    Shape(
        "CLEF eHealth 2013 and 2014",
        "XML with a file of the patient",
        "<queries>\n<query>\n<id>qtest1</id>\n<discharge_summary>98-1.txt</discharge_summary>\n"
        "<title>Cough</title>\n<desc>what is cough</desc>\n"
        "<narr>Any.</narr>\n<profile>A man.</profile>\n</query>\n</queries>\n",
        (("qtest1", "Cough", "what is cough", "Any."),),
    ),
    Shape(
        "CLEF eHealth 2016 to 2020",
        "XML, blanks around number and title",
        "<queries>\n<query>\n<id> 151001 </id>\n<title> cough </title>\n</query>\n</queries>\n",
        (("151001", "cough"),),
    ),
    Shape(
        "CLEF-IP",
        "XML with a file and a narrative",
        "<topics>\n<topic>\n<num>EP-1</num>\n<narr>Find patents.</narr>\n<file>EP-1.xml</file>\n</topic>\n</topics>\n",
        (("EP-1", "Find patents."),),
    ),
    Shape(
        "CLEF Touché",
        "XML with objects that are compared; a bare ampersand",
        "<topics>\n<topic>\n<number>1</number>\n<title>Is R&D < art?</title>\n<objects>a, b</objects>\n"
        "<description>Say why.</description>\n"
        "</topic>\n</topics>\n",
        (("1", "Is R&D < art?", "Say why."),),
    ),
    Shape(
        "CLEF Touché 2025, images for arguments",
        "XML with arguments as topics",
        "<arguments>\n<argument>\n<id>1-1</id>\n<topic>Kites</topic>\n<claim>Kites calm people</claim>\n</argument>\n"
        "<argument>\n<id>1-2</id>\n<topic>Kites</topic>\n<claim>Kites need wind</claim>\n</argument>\n</arguments>\n",
        (("1-1", "Kites calm people", "Kites"), ("1-2", "Kites need wind", "Kites")),
    ),
    Shape(
        "CLEF LongEval",
        "SGML with closing tags on one line",
        "<top>\n<num>q0622</num>\n<title>bateau à voile</title>\n</top>\n",
        (("q0622", "bateau à voile"),),
    ),
    Shape(
        "CLEF CheckThat",
        "TSV of posts with headings",
        "tweet_id\ttweet_content\n12\tThe sea is dry\n",
        (("12", "The sea is dry"),),
    ),
    Shape(
        "CLEF CheckThat 2025",
        "TSV of posts and their documents with headings",
        "post_id\ttweet_text\tcord_uid\n12\tThe sea is dry\tx1\n",
        (("12", "The sea is dry"),),
    ),
    Shape(
        "CLEF SimpleText",
        "CSV with semicolons and headings",
        "query_id;query_text;topic_id;topic_text\nG01.1;kites;G01;Kites at sea\n",
        (("G01.1", "kites"),),
    ),
    Shape(
        "CLEF TAR, eHealth",
        "a review with labels in place of elements",
        "Topic: CD008122\n\nTitle: Tests of kites\n\nQuery:\n1. Kites/\n\nPids:\n    123\n",
        (("CD008122", "Tests of kites"),),
    ),
    Shape(
        "INEX",
        "XML with a query of structure",
        '<inex-topics>\n<inex_topic topic_id="202" query_type="CO">\n<title>sails</title>\n<castitle>//a</castitle>\n'
        "<description>Find sails.</description>\n<narrative>All.</narrative>\n</inex_topic>\n</inex-topics>\n",
        (("202", "sails", "Find sails.", "All."),),
    ),
    Shape(
        "FIRE",
        "SGML with the language as an attribute",
        "<topics>\n<top lang='en'>\n<num>76</num>\n<title>River floods</title>\n<desc>Find.</desc>\n"
        "<narr>All.</narr>\n</top>\n</topics>\n",
        (("76", "River floods", "Find.", "All."),),
    ),
    Shape(
        "FIRE AILA",
        "lines of number, two bars and a case",
        "AILA_Q1||The tenant left.\nAILA_Q2||The roof fell.\n",
        (("AILA_Q1", "The tenant left."), ("AILA_Q2", "The roof fell.")),
    ),
    Shape(
        "NTCIR STC, Data Search",
        "TSV of number and text",
        "DS1-E-1001\tboats by year\ntest-post-1\tIt rains\n",
        (("DS1-E-1001", "boats by year"), ("test-post-1", "It rains")),
    ),
    Shape(
        "NTCIR WWW",
        "XML with query number and content",
        "<queries>\n<query>\n<qid>0001</qid>\n<content>kites</content>\n"
        "<description>You want kites.</description>\n</query>\n</queries>\n",
        (("0001", "kites", "You want kites."),),
    ),
    Shape(
        "NTCIR CLIR",
        "XML in capitals without an element around the topics",
        "<TOPIC>\n<NUM>001</NUM>\n<SLANG>CH</SLANG>\n<TITLE>Kites</TITLE>\n<DESC>Find kites.</DESC>\n<NARR>\n<BACK>Wind.</BACK>\n"
        "<REL>All.</REL>\n</NARR>\n<CONC>kite, wind</CONC>\n</TOPIC>\n",
        (("001", "Kites", "Find kites.", "Wind.\n\nAll."),),
    ),
    Shape(
        "CLEF CheckThat! 2023, authorities of rumours",
        "JSON, numbers of the rumour and of the tweet",
        as_json([{"rumor_id": "AR_7", "tweet_id": "991", "rumor": "A bridge is closed."}]),
        (("AR_7", "A bridge is closed."),),
    ),
    Shape(
        "CLEF CheckThat! 2024, rumours and authorities",
        "JSON lines with posts as lists",
        as_json(
            {"id": "AR_8", "rumor": "A bridge is open.", "label": "X", "timeline": [["a", "1", "b"]], "evidence": []}
        ),
        (("AR_8", "A bridge is open."),),
    ),
    Shape(
        "CLEF-IP 2013, claims to passages",
        "XML with paths of claims, without a number that is known",
        "<topics>\n<topic>\n<tid>PSG-1</tid>\n<tfile>EP-1.xml</tfile>\n<tclaims>/claims/claim[1]</tclaims>\n</topic>\n</topics>\n",
    ),
    Shape(
        "CLEF JOKER, humour-aware retrieval",
        "a list in JSON of number and query",
        as_json([{"qid": "qid_1", "query": "boats"}], indent=1),
        (("qid_1", "boats"),),
    ),
    Shape(
        "CLEF SimpleText 2023 and 2024",
        "CSV with commas, several queries of a topic",
        "topic_id,topic_text,query_id,query_text\nG01,Kites at sea,G01.1,kites\nG01,Kites at sea,G01.2,wind\n",
        (("G01.1", "kites"), ("G01.2", "wind")),
    ),
    Shape(
        "BioASQ Synergy",
        "an object in JSON that holds the list of questions, with a mark of answers",
        as_json(
            {"questions": [{"id": "5e", "body": "Are sails red?", "type": "yesno", "answerReady": True}]}, indent=1
        ),
        (("5e", "Are sails red?"),),
    ),
    Shape(
        "NTCIR-1 and 2",
        "SGML in capitals: the number is an attribute without quotation marks",
        "<TOPIC q=0001>\n<TITLE>\nkites\n</TITLE>\n<DESCRIPTION>\nFind kites.\n</DESCRIPTION>\n"
        "<NARRATIVE>\nAll.\n</NARRATIVE>\n<CONCEPT>\na. wind\n</CONCEPT>\n<FIELD>\n1. air\n</FIELD>\n</TOPIC>\n",
        (("0001", "kites", "Find kites.", "All."),),
    ),
    Shape(
        "NTCIR MATH",
        "XML with formulas in MathML",
        '<topics xmlns="http://example.org/">\n<topic>\n<num>N11-1</num>\n<query>\n'
        '<formula id="f.1"><m:math xmlns:m="http://example.org/m"><m:mi>x</m:mi></m:math></formula>\n'
        '<keyword id="w.1">kites</keyword>\n</query>\n</topic>\n</topics>\n',
        (("N11-1", "x kites"),),
    ),
    Shape(
        "CLEF ARQMath",
        "XML with HTML in the question",
        '<Topics>\n<Topic number="A.1">\n<Title>Kites $x$</Title>\n<Question><p>Find <span class="m">$x$</span></p></Question>\n'
        "<Tags>wind</Tags>\n</Topic>\n</Topics>\n",
        (("A.1", "Kites $x$", "Find\n\n$x$"),),
    ),
    Shape(
        "ImageCLEF, Wikipedia",
        "XML with titles in several languages, and pictures",
        '<topics>\n<topic>\n<number>71</number>\n<title xml:lang="de">Drachen</title>\n<title xml:lang="en">kites</title>\n'
        '<image src="71/a.jpg"/>\n<narrative>Red ones.</narrative>\n</topic>\n</topics>\n',
        (("71", "kites", "Red ones."),),
    ),
    Shape(
        "FIRE",
        "XML in Hindi",
        "<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n<topics>\n<top lang='hi'>\n<num>126</num>\n"
        "<title>पतंग</title>\n<desc>पतंग खोजिये।</desc>\n<narr>सभी।</narr>\n</top>\n</topics>\n",
        (("126", "पतंग", "पतंग खोजिये।", "सभी।"),),
    ),
    Shape(
        "NTCIR-5 WEB",
        "XML in capitals with category, known documents and user",
        "<TOPIC><NUM>1001</NUM><TYPE>1</TYPE><CATEGORY>B</CATEGORY><TITLE>red sails</TITLE><DESC>Find sails.</DESC>"
        "<RDOC>NW01</RDOC><USER>A student</USER></TOPIC>\n",
        (("1001", "red sails", "Find sails."),),
    ),
    Shape(
        "NTCIR Lifelog",
        "XML with the type of a topic",
        "<topics>\n<topic>\n<id>AD26001</id>\n<type>adhoc</type>\n<title>Kites</title>\n"
        "<description>Find kites.</description>\n<narrative>Any.</narrative>\n</topic>\n</topics>\n",
        (("AD26001", "Kites", "Find kites.", "Any."),),
    ),
    Shape(
        "Quran QA, IslamicEval",
        "TSV of number and question in Arabic",
        "428\tما هي الأشرعة؟\n322\tمن صنع القوارب؟\n",
        (("428", "ما هي الأشرعة؟"), ("322", "من صنع القوارب؟")),
    ),
    Shape(
        "TREC RAG 2025",
        "a list in JSON over several lines, with a narrative alone",
        as_json([{"id": "1", "narrative": "How are sails made? Who makes them?"}], indent=4),
        (("1", "How are sails made? Who makes them?"),),
    ),
    Shape(
        "TREC BioGen 2024",
        "JSON lines: title, question and narrative",
        as_json(
            {"topic_id": "1", "title": "red sails", "question": "Are sails red?", "narrative": "They ask for red."}
        ),
        (("1", "red sails", "Are sails red?", "They ask for red."),),
    ),
    Shape(
        "TREC DRAGUN",
        "JSON lines: a document as topic, numbered by its docid",
        as_json(
            {
                "docid": "msm_1",
                "url": "http://a.example",
                "title": "Sails rise",
                "headings": "Sails",
                "body": "They rose.",
            }
        ),
    ),
    Shape(
        "TREC lateral reading, questions of assessors",
        "CSV without headings: topic, assessor, rank and question",
        "1,A1,1,Who made the sail?\n1,A1,2,When was it made?\n",
    ),
    Shape(
        "posts about claims",
        "two numbers of topics with one claim and the same texts",
        '<top id="1">\n<claim_id>7</claim_id>\n<title>A bridge is closed.</title>\n</top>\n'
        '<top id="2">\n<claim_id>7</claim_id>\n<title>A bridge is closed.</title>\n</top>\n',
    ),
    Shape("CLEF CheckThat!, lists of topics", "numbers alone", "AR_001\nAR_002\n"),
    Shape(
        "FIRE CMIR",
        "CSV with headings in camel case",
        "QueryID,QueryText\n7,lake bus time table\n",
        (("7", "lake bus time table"),),
    ),
    Shape("tables of others", "headings that nobody knows", "QueryNr,Words\n7,lake bus\n"),
    Shape("qrels sent as topics", "tabs", "1\t0\ta\t1\n2\t0\tb\t1\n"),
    Shape("a run sent as topics", "tabs", "1\tQ0\ta\t1\t2.5\tbm25\n"),
    Shape(
        "SMART: CISI, CACM, MED",
        "parts that begin with a full stop and a letter",
        ".I 1\n.W\nWhich mills\nhave ponds?\n.I 2\n.T\nKites\n.A\nMill, A.\n.W\nHow do they fly?\n",
        (("1", "Which mills have ponds?"), ("2", "Kites", "How do they fly?")),
    ),
    Shape(
        "TREC genomics 2003",
        "lines with tabs: topic, gene, organism, type of name and name",
        "1\t10\tMus musculus\tOFFICIAL_GENE_NAME\tkite tail 2\n1\t10\tMus musculus\tALIAS_SYMBOL\tKT2\n",
        (
            (
                "1",
                "kite tail 2",
                "Organism: Mus musculus",
                "official gene name: kite tail 2\n\nalias symbol: KT2",
            ),
        ),
    ),
    Shape(
        "NTCIR INTENT, IMine",
        "lines of a number, a blank and one word",
        "0051 heron\n0052 風\n",
        (("0051", "heron"), ("0052", "風")),
    ),
    Shape(
        "CLEF, ad hoc",
        "SGML with each topic in several languages, one after the other",
        '<top lang="de">\n<num>41</num>\n<title>Drachen</title>\n</top>\n'
        '<top lang="en">\n<num>41</num>\n<title>Kites</title>\n</top>\n',
        (("41", "Kites"),),
    ),
    Shape(
        "MIRACL, CLIRMatrix",
        "JSON lines with each topic in several languages, none of them English",
        as_json({"query_id": "7", "lang": "sw", "query": "tiara"}, {"query_id": "7", "lang": "de", "query": "Drachen"}),
        (("7", "tiara"),),
    ),
    Shape(
        "CLEF eHealth, multilingual",
        "XML with an element for each language",
        "<queries><query><id> 151001 </id><en> kite </en><fr> cerf </fr></query></queries>",
        (("151001", "en: kite; fr: cerf"),),
    ),
    Shape(
        "TREC contextual suggestion 2012 and 2013",
        "XML of contexts",
        '<contexts><context number="1"><city>Mill</city><state>Ohio</state></context></contexts>',
        (("1", "city: Mill; state: Ohio"),),
    ),
    Shape(
        "TREC contextual suggestion 2013 to 2015",
        "CSV of contexts: the title can be read from a column",
        "id,city,state,lat,long\n101,Mill,OH,38.5,-81.4\n102,Pond,OH,38.6,-81.5\n",
    ),
    Shape(
        "TREC contextual suggestion 2012",
        "XML of profiles, which are no topics",
        '<profiles><profile number="1"><example number="1" initial="1" final="-1"/></profile></profiles>',
    ),
    Shape(
        "TREC LiveQA 2015 to 2017",
        "XML of questions with a body",
        "<xml><question><qid>2015A</qid><title>How do kites fly?</title><body>Mine falls.</body></question></xml>",
        (("2015A", "How do kites fly?"),),
    ),
    Shape(
        "TREC LiveQA 2017, medical",
        "XML of letters with a summary",
        '<LiveQA><NLM-QUESTION qid="TQ1"><Original-Question qfile="1"><MESSAGE>Does it fly?</MESSAGE></Original-Question>'
        "<NLM-Summary>Can kites fly</NLM-Summary></NLM-QUESTION></LiveQA>",
        (("TQ1", "Can kites fly"),),
    ),
    Shape(
        "TRECVID instance search",
        "XML with the text in an attribute",
        '<videoInstanceTopics><videoInstanceTopic text="a red kite" num="9069" type="OBJECT">'
        '<videoInstanceExample object="a.png" shotID="shot1"/></videoInstanceTopic></videoInstanceTopics>',
        (("9069", "a red kite"),),
    ),
    Shape(
        "TRECVID instance search",
        "XML with the text in the attribute of an element",
        '<videoInstanceTopics><videoInstanceTopic num="9069"><textInstanceTopic text="a red kite"/>'
        '<imageExample src="a.png"/></videoInstanceTopic></videoInstanceTopics>',
        (("9069", "a red kite"),),
    ),
    Shape(
        "TRECVID ad-hoc video search",
        "XML with a text",
        '<videoAdhocSearchTopics><videoAdhocSearchTopic num="1501"><textTopic>Find a kite</textTopic>'
        "</videoAdhocSearchTopic></videoAdhocSearchTopics>",
        (("1501", "Find a kite"),),
    ),
    Shape(
        "TREC fair ranking 2019 and 2020",
        "JSON lines with documents and their relevance",
        as_json({"qid": 1, "query": "kites", "frequency": 0.1, "documents": [{"doc_id": "a", "relevance": 1}]}),
        (("1", "kites"),),
    ),
    Shape(
        "TREC AToMiC",
        "JSON lines: a section of an article",
        as_json({"text_id": "kite-1-0", "page_title": "Kites", "section_title": "Form", "hierachy": ["Kites", "Form"]}),
        (("kite-1-0", "Kites"),),
    ),
    Shape(
        "TREC OpenSearch",
        "an object in JSON that holds the list of queries, with `qstr`",
        as_json({"queries": [{"qid": "C-q1", "qstr": "kite", "type": "train"}]}),
        (("C-q1", "kite"),),
    ),
    Shape(
        "TREC RAGTIME, NeuCLIR reports",
        "JSON lines of requests for a report",
        as_json(
            {"topic_id": "300", "title": "Kites", "background": "I fly.", "problem_statement": "Write.", "limit": 2000}
        ),
        (("300", "Kites", "Write.", "I fly."),),
    ),
    Shape(
        "TREC iKAT 2025",
        "a list in JSON: turns as responses, with a list of what is known of the user",
        as_json(
            [
                {
                    "number": "1-1",
                    "title": "Kites",
                    "ptkb": ["I fly"],
                    "responses": [{"turn_id": 1, "user_utterance": "Which?"}],
                }
            ]
        ),
        (("1-1_1", "Which?", "Kites"),),
    ),
    Shape(
        "TREC microblog 2011",
        "SGML with a title and the time of the query",
        "<top>\n<num> Number: MB001 </num>\n<title> kite day </title>\n<querytime> Tue Feb 08 </querytime>\n"
        "<querytweettime> 3495 </querytweettime>\n</top>\n",
        (("MB001", "kite day"),),
    ),
    Shape(
        "TREC interactive, TREC-6 to 8",
        "SGML with aspects",
        "<top>\n<num> Number: 408i\n<title> tropical storms\n<desc> Description:\nWhich storms hit land?\n"
        "<narr> Narrative:\nAny.\n\n<asp> Aspects:\nSave one document for each storm.\n</top>\n",
        (("408i", "tropical storms", "Which storms hit land?", "Any."),),
    ),
    Shape(
        "TREC filtering 2001 and 2002",
        "SGML with numbers of the Reuters topics",
        "<top>\n<num> Number: R101\n<title> Kite theft\n<desc> Description:\nWho stole kites?\n"
        "<narr> Narrative:\nAny.\n</top>\n",
        (("R101", "Kite theft", "Who stole kites?", "Any."),),
    ),
    Shape(
        "TREC filtering 2000, OHSUMED",
        "SGML, headings of MeSH with a definition",
        "<top>\n<num> Number: MSH1\n<title> Moss\n<desc> a plant of stones\n</top>\n",
        (("MSH1", "Moss", "a plant of stones"),),
    ),
    Shape(
        "TREC confusion, spoken documents, homepages",
        "SGML with a description alone",
        "<top>\n<num> Number: CF1\n<desc> Description: \nrules on boats\n</top>\n",
        (("CF1", "rules on boats"),),
    ),
    Shape(
        "TREC cross-language, TREC-6 to 8",
        "SGML with one letter for the language",
        "<top>\n<num> CL1\n<E-title> Bridge tolls\n<E-desc> Who pays?\n<E-narr> Any.\n</top>\n",
        (("CL1", "Bridge tolls", "Who pays?", "Any."),),
    ),
    Shape(
        "TREC chemistry",
        "XML with chemicals",
        "<topics>\n<topic><number>TS-1</number><title>Moss dye</title><narrative>How is it made?</narrative>\n"
        "<chemicals><chemical>dye</chemical></chemicals></topic>\n</topics>\n",
        (("TS-1", "Moss dye", "How is it made?"),),
    ),
    Shape(
        "TREC entity",
        "XML without an element around the topics",
        "<query>\n<num>7</num>\n<entity_name>Kite Ltd</entity_name>\n"
        "<target_entity>organization</target_entity>\n<narrative>Which shops sell its kites?</narrative>\n"
        "</query>\n<query>\n<num>8</num>\n<entity_name>Moss</entity_name>\n"
        "<narrative>Who grows it?</narrative>\n</query>\n",
        (("7", "Which shops sell its kites?"), ("8", "Who grows it?")),
    ),
    Shape(
        "TREC medical records",
        "SGML, the text below the number",
        "<top>\n<num> Number: 101\nPatients with a cold\n\n</top>\n",
        (("101", "Patients with a cold"),),
    ),
    Shape(
        "TREC medical records",
        "SGML, the text straight in the topic",
        "<top>\n<num>101</num>\nPatients with\na cold\n</top>\n",
        (("101", "Patients with a cold"),),
    ),
    Shape(
        "TREC knowledge base acceleration",
        "JSON of entities, which are no topics",
        '{"targets": [{"target_id": "https://example.org/a", "entity_type": "PER"}], "topic_set_id": "kba"}\n',
    ),
    Shape(
        "TREC PLABA",
        "an object in JSON: questions by their numbers",
        '{"1": {"question": "What is moss?", "question_type": "A"}, "2": {"question": "Why?", "question_type": "B"}}\n',
        (("1", "What is moss?"), ("2", "Why?")),
    ),
    Shape(
        "TREC BioGen 2025",
        "a list in JSON with `qa_id` and an answer",
        '[{"qa_id": "1", "question": "Why moss?", "answer": "It is green."}]\n',
        (("1", "Why moss?"),),
    ),
    Shape(
        "CLEF domain-specific",
        "SGML with the language in the topic and the tags",
        '<top lang="EN">\n<num>76</num>\n<EN-title>Schools</EN-title>\n<EN-desc>Find schools.</EN-desc>\n'
        "<EN-narr>Any.</EN-narr>\n</top>\n",
        (("76", "Schools", "Find schools.", "Any."),),
    ),
    Shape(
        "GeoCLEF 2005",
        "SGML with concept, relation and place",
        "<top>\n<num> GC001 </num>\n<orignum> C084 </orignum>\n<EN-title> Sharks </EN-title>\n"
        "<EN-desc> Where do they swim? </EN-desc>\n<EN-narr> Any. </EN-narr>\n<EN-concept> Shark </EN-concept>\n"
        "<EN-location> Malta </EN-location>\n</top>\n",
        (("GC001", "Sharks", "Where do they swim?", "Any."),),
    ),
    Shape(
        "CLEF question answering, ResPubliQA",
        "XML with languages of question and answer",
        '<input>\n<q target_lang="EN" source_lang="EN" q_id="0001">Who is it?</q>\n'
        '<q target_lang="EN" source_lang="EN" q_id="0002">Where?</q>\n</input>\n',
        (("0001", "Who is it?"), ("0002", "Where?")),
    ),
    Shape(
        "ImageCLEF 2004",
        "SGML with an image",
        "<top>\n<num> Number: 1 </num>\n<title> Portraits </title>\n<narr> Any portrait. </narr>\n"
        "<image> a.jpg </image>\n</top>\n",
        (("1", "Portraits", "Any portrait."),),
    ),
    Shape(
        "ImageCLEFmed",
        "XML with a description in each language",
        "<topics><topic><ID>1</ID><EN-DESCRIPTION>Lung</EN-DESCRIPTION><DE-DESCRIPTION>Lunge</DE-DESCRIPTION>\n"
        "<image>1.jpg</image></topic></topics>\n",
        (("1", "Lung"),),
    ),
    Shape(
        "CLEF social book search",
        "XML with a request and examples",
        '<topics>\n<topic id="107"><request>Which books?</request><group>G</group><title>Kite books</title>\n'
        "<examples><example><LT_id>1</LT_id></example></examples></topic></topics>\n",
        (("107", "Kite books", "Which books?"),),
    ),
    Shape(
        "NTCIR GeoTime",
        "XML in capitals with two languages",
        "<TOPIC>\n<NUM>GeoTime-1</NUM>\n<SLANG>EN</SLANG>\n<TLANG>EN</TLANG>\n"
        "<DESCRIPTION>When did it rain?</DESCRIPTION>\n<NARRATIVE>Any day.</NARRATIVE>\n</TOPIC>\n",
        (("GeoTime-1", "When did it rain?", "Any day."),),
    ),
    Shape(
        "NTCIR ACLIA",
        "XML with CDATA",
        '<TOPIC_SET><TOPIC ID="T1"><QUESTION LANG="EN"><![CDATA[What is moss?]]></QUESTION>\n'
        '<NARRATIVE LANG="EN"><![CDATA[Any.]]></NARRATIVE></TOPIC></TOPIC_SET>\n',
        (("T1", "What is moss?", "Any."),),
    ),
    Shape(
        "NTCIR patent retrieval",
        "XML with a claim",
        "<TOPIC><NUM>1001</NUM><TITLE>Kite</TITLE><CLAIM>A kite with a tail.</CLAIM></TOPIC>\n"
        "<TOPIC><NUM>1002</NUM><TITLE>Oar</TITLE><CLAIM>An oar.</CLAIM></TOPIC>\n",
        (("1001", "Kite"), ("1002", "Oar")),
    ),
    Shape(
        "NTCIR FairWeb",
        "XML with the type of a query",
        "<queries><query><qid>M001</qid><content>kite makers</content><type>R</type></query></queries>\n",
        (("M001", "kite makers"),),
    ),
    Shape(
        "FIRE microblog",
        "SGML with closing tags",
        "<top>\n<num>FMT1</num>\n<title>BOATS THAT ARE FREE</title>\n<desc>Find them.</desc>\n"
        "<narr>Any boat.</narr>\n</top>\n",
        (("FMT1", "BOATS THAT ARE FREE", "Find them.", "Any boat."),),
    ),
    Shape(
        "files of others",
        "a line of text before the first topic",
        "Topics of 2026\n\n<top>\n<num> 1\n<title> kites\n</top>\n",
        (("1", "kites"),),
    ),
    Shape(
        "files of others",
        "Markdown",
        "| number | title |\n|---|---|\n| 1 | kites in wind |\n",
        (("1", "kites in wind"),),
    ),
)

QRELS = (
    Shape(
        "TREC ad hoc, robust, terabyte",
        "four columns",
        "301 0 FT9-1 1\n301 0 FT9-2 0\n",
        (("301", "FT9-1", 1), ("301", "FT9-2", 0)),
    ),
    Shape("TREC web", "spam as -2", "151 0 cw09-1 -2\n151 0 cw09-2 3\n", (("151", "cw09-1", -2), ("151", "cw09-2", 3))),
    Shape(
        "TREC web diversity, session",
        "the subtopic in the second column",
        "1 1 cw09-1 1\n1 2 cw09-2 0\n",
        (("1", "cw09-1", 1), ("1", "cw09-2", 0)),
    ),
    Shape(
        "TREC-COVID",
        "the round in the second column",
        "1 4.5 005b 2\n1 0.5 00fm -1\n",
        (("1", "005b", 2), ("1", "00fm", -1)),
    ),
    Shape(
        "TREC CAsT, iKAT, deep learning",
        "tabs, Q0",
        "31_1\tQ0\tMARCO_1\t2\r\n31_1\tQ0\tCAR_1\t0\r\n",
        (("31_1", "MARCO_1", 2), ("31_1", "CAR_1", 0)),
    ),
    Shape("TREC news", "grades 0, 2, 4, 8, 16", "321 0 a 16\n321 0 b 0\n", (("321", "a", 16), ("321", "b", 0))),
    Shape(
        "TREC legal 2007",
        "a probability in the fifth column",
        "52 0 a 1 0.5\n52 0 b 0 NA\n",
        (("52", "a", 1, 0.5), ("52", "b", 0, None)),
    ),
    Shape(
        "TREC legal 2008, medical, chemical",
        "a stratum before the grade",
        "101 0 a 1 2\n101 0 b 2 -1\n101 0 c 2 0\n",
        (("101", "a", 2, 1), ("101", "b", -1, 2), ("101", "c", 0, 2)),
    ),
    Shape(
        "TREC million query",
        "prels: docno, grade, method, probability",
        "10001 GX-1 0 1 0.25\n10001 GX-2 1 2 1\n",
        (("10001", "GX-1", 0, 0.25), ("10001", "GX-2", 1, 1.0)),
    ),
    Shape(
        "TREC podcasts",
        "segments as docnos",
        "1 0 spotify:episode:1_120.0 3\n",
        (("1", "spotify:episode:1_120.0", 3),),
    ),
    Shape("CLEF Touché", "spam as -2", "1 0 S1-A2 -2\n1 0 S1-A3 2\n", (("1", "S1-A2", -2), ("1", "S1-A3", 2))),
    Shape(
        "FIRE AILA",
        "Q0 in the second column",
        "AILA_Q1 Q0 C14 0\nAILA_Q1 Q0 C15 1\n",
        (("AILA_Q1", "C14", 0), ("AILA_Q1", "C15", 1)),
    ),
    Shape("TREC genomics 2006", "passages in seven columns", "160 10229 39874 2053 A B C\n"),
    Shape("TREC genomics 2007", "passages with headings", "TopicID\tPMID\tOffset\tLength\n200\t99\t3001\t200\n"),
    Shape(
        "NTCIR INTENT, IMine",
        "four columns: intents in the second, grades with an L",
        "0001 1 c1 L3\n0001 2 c2 L0\n",
        (("0001", "c1", 3), ("0001", "c2", 0)),
    ),
    Shape(
        "SMART: CISI, CACM",
        "two zeros behind the docno",
        "1 28 0 0.000000\n1 35 0 0.000000\n",
        (("1", "28", 1), ("1", "35", 1)),
    ),
    Shape(
        "LETOR 3 and 4",
        "training data: grade, qid, features and the docid behind #",
        "2 qid:10 1:0.031310 2:0.666667 #docid = GX001-00-0000000 inc = 1 prob = 0.02\n"
        "0 qid:10 1:0.078682 2:0.166667 #docid = GX029-35-5894638 inc = 0.0119881192468859 prob = 0.139842\n",
        (("10", "GX001-00-0000000", 2), ("10", "GX029-35-5894638", 0)),
    ),
    Shape(
        "MSLR-WEB, Yahoo! LETOR, Istella",
        "training data without docids",
        "2 qid:1 1:3 2:3 3:0\n0 qid:1 1:3 2:0 3:3\n",
    ),
    Shape(
        "CLEF TAR, eHealth",
        "PubMed numbers",
        "CD008122     0  1234     1\nCD008122     0  1235     0\n",
        (("CD008122", "1234", 1), ("CD008122", "1235", 0)),
    ),
    Shape("TREC genomics 2003", "two columns with a tab: relevant documents", "1\t12345\n1\t12346\n"),
    Shape(
        "TREC dynamic domain",
        "five columns: a place within the document before the grade",
        "DD15-1 DD15-1.1 doc1 0:10 3\n",
        (("DD15-1", "doc1", 3),),
    ),
    Shape("TREC question answering", "patterns of answers with blanks", "1894 [Jj]ohn\\s+Mill\n"),
    Shape(
        "TREC fair ranking 2019 and 2020",
        "JSON lines with documents and their relevance",
        as_json(
            {
                "qid": 1,
                "query": "kites",
                "documents": [{"doc_id": "a", "relevance": 1}, {"doc_id": "b", "relevance": 0}],
            }
        ),
        (("1", "a", 1), ("1", "b", 0)),
    ),
    Shape(
        "TREC fair ranking 2021 and 2022",
        "JSON lines with lists of relevant documents",
        as_json({"id": 1, "title": "Kites", "rel_docs": [12, 34]}),
        (("1", "12", 1), ("1", "34", 1)),
    ),
    Shape("NTCIR INTENT, IMine", "probabilities of intents", "0001 1 0.6\n0001 2 0.4\n"),
    Shape("NTCIR-1 and 2", "grades as letters", "0001 A d1 1\n0001 C d2 0\n", (("0001", "d1", 1), ("0001", "d2", 0))),
    Shape(
        "TREC tasks 2015",
        "five columns: relevance and usefulness",
        "1 1 cw09-1 2 1\n1 1 cw09-2 0 0\n",
        (("1", "cw09-1", 1, 2), ("1", "cw09-2", 0, 0)),
    ),
    Shape("TREC health misinformation 2020", "six columns: usefulness, correctness, credibility", "1 0 d1 1 1 0\n"),
    Shape("TREC HARD", "passages: six columns", "HARD-001 0 d1 1 100 200\n"),
    Shape("TREC question answering", "judgments of answers", "201 APW1 1 some answer\n202 APW2 -1 none\n"),
    Shape("TREC question answering", "patterns of answers", "201 kite|oars\n"),
    Shape("TREC confusion, MS MARCO", "two columns: relevant documents", "7 d1\n8 d2\n"),
    Shape("preferences", "four columns: two documents and which is better", "1 d1 d2 1\n1 d2 d3 -1\n"),
    Shape("preferences", "values between whole ones", "1 0 d1 0.75\n"),
    Shape(
        "TREC enterprise 2005",
        "three columns: candidates",
        "EX1 candidate-1 1\n",
        (("EX1", "candidate-1", 1),),
    ),
    Shape(
        "TREC RAG 2024",
        "JSON of nuggets",
        as_json({"qid": "1", "query": "x", "nuggets": [{"text": "a", "importance": "vital"}]}),
    ),
    Shape("TREC microblog", "numbers of posts", "MB001 0 34952194402811904 2\n", (("MB001", "34952194402811904", 2),)),
    Shape("BEIR", "three columns with headings", "query-id\tcorpus-id\tscore\n1\t4\t2\n", (("1", "4", 2),)),
    Shape(
        "NTCIR WWW",
        "three columns, grades with an L",
        "0001 cw12-1 L2\n0001 cw12-2 L0\n",
        (("0001", "cw12-1", 2), ("0001", "cw12-2", 0)),
    ),
    Shape(
        "tables of others",
        "four columns with headings",
        "topic-id iteration cord-id judgement\n1 0 a 2\n",
        (("1", "a", 2),),
    ),
    Shape(
        "CLEF CENTRE",
        "four columns of the reproduced campaign",
        "307 0 1001 2\n307 0 1002 0\n",
        (("307", "1001", 2), ("307", "1002", 0)),
    ),
    Shape(
        "FIRE CMIR",
        "CSV with headings",
        "QueryID,DocumentID,Relevance\n1,55691,1\n1,55692,0\n",
        (("1", "55691", 1), ("1", "55692", 0)),
    ),
    Shape(
        "tables of others",
        "CSV of a spreadsheet, fields in quotes",
        '"query_id","iteration","doc_id","label"\n"Q1","0","D1","1"\n',
        (("Q1", "D1", 1),),
    ),
    Shape(
        "tables of others",
        "a pair on two lines alike",
        "401 0 FT9-1 1\n401 0 FT9-2 0\n401 0 FT9-1 1\n",
        (("401", "FT9-1", 1), ("401", "FT9-2", 0)),
    ),
    Shape("tables of others", "a pair on two lines with different grades", "1 0 a 0\n1 0 a 1\n"),
    Shape(
        "BioASQ",
        "JSON with the documents of each question",
        as_json({"questions": [{"id": "55a", "body": "Is it?", "documents": ["d1"]}]}, indent=1),
        (("55a", "d1", 1),),
    ),
    Shape(
        "TREC legal 2009",
        "probability, rank and system behind the grade",
        "7 0 abc 1 0.5 3 kite\n7 0 abd 0 1 12 kite\n",
        (("7", "abc", 1, 0.5), ("7", "abd", 0, 1.0)),
    ),
    Shape(
        "CLEF SimpleText",
        "headings of both topic and query",
        "topic_id\tquery_id\tdoc_id\trel\nG01\tG01.1\t300\t2\nG01\tG01.2\t300\t1\n",
        (("G01.1", "300", 2), ("G01.2", "300", 1)),
    ),
    Shape(
        "CLEF eRisk, sentences of symptoms",
        "CSV with headings",
        "query,q0,docid,rel\n1,0,s_1_2_0,1\n",
        (("1", "s_1_2_0", 1),),
    ),
    Shape(
        "MS MARCO, `qrels.dev.small.tsv`", "tabs, 0 in the second column", "300\t0\t7187\t1\n", (("300", "7187", 1),)
    ),
    Shape(
        "COLIEE, labels of case law",
        "JSON: lists of documents by case",
        as_json({"001.txt": ["017.txt", "004.txt"]}),
        (("001.txt", "017.txt", 1), ("001.txt", "004.txt", 1)),
    ),
    Shape(
        "files of others",
        "JSON of pytrec_eval, BEIR and ranx: grades by topic and docno",
        as_json({"1": {"d1": 2, "d2": 0}}, indent=1),
        (("1", "d1", 2), ("1", "d2", 0)),
    ),
    Shape(
        "FIRE IRSE",
        "CSV of comments and classes",
        "Comments,Class\n/*opens*/,Useful\n",
    ),
    Shape(
        "CLEF JOKER",
        "a list in JSON of pairs",
        as_json([{"qid": "q1", "docid": "7", "qrel": 1}], indent=1),
        (("q1", "7", 1),),
    ),
    Shape(
        "CLEF CheckThat!, verified claims",
        "tabs, lines of grade 1 alone",
        "422\t0\t92\t1\n538\t0\t454\t1\n",
        (("422", "92", 1), ("538", "454", 1)),
    ),
    Shape(
        "Quran QA, IslamicEval",
        "tabs, verses as docnos, -1 where nothing answers",
        "428\tQ0\t6:22-26\t1\n322\tQ0\t-1\t1\n",
        (("428", "6:22-26", 1), ("322", "-1", 1)),
    ),
    Shape(
        "NTCIR Temporalia",
        "three columns, subtopics as topics, grades with an L",
        "001a DOC1 L2\n001p DOC2 L0\n",
        (("001a", "DOC1", 2), ("001p", "DOC2", 0)),
    ),
    Shape("NTCIR, CLIR", "letters as grades, until the sender says what they stand for", "0001 0 d1 S\n0001 0 d2 C\n"),
    Shape(
        "TREC product search, ESCI",
        "CSV with letters as grades, queries with blanks among the columns",
        "query_id,query,product_id,esci_label\n1,kite tails,B01,E\n",
    ),
    Shape(
        "TREC health misinformation, decision",
        "six columns: relevance, effectiveness and credibility, until the sender says which counts",
        "51 0 cw12-1 2 1 0\n51 0 cw12-2 0 -1 -1\n",
    ),
    Shape(
        "TREC tasks",
        "relevance and usefulness, as the columns of a sample, until the sender says which counts",
        "1 0 d1 2 1\n1 0 d2 0 0\n",
        (("1", "d1", 1, 2), ("1", "d2", 0, 0)),
    ),
    Shape(
        "tables of others",
        "CSV that a program wrote with a column of line numbers without a name",
        ",qid,docno,label\n0,1,a,1\n1,1,b,0\n",
        (("1", "a", 1), ("1", "b", 0)),
    ),
    Shape("tables of others", "commas", "1,0,a,1\n", (("1", "a", 1),)),
    Shape("tables of others", "semicolons, `sep=;` before them", "sep=;\n1;0;a;1\n", (("1", "a", 1),)),
    Shape(
        "tables of others",
        "headings in another order and further columns",
        "doc_id,query_id,judge,rel\na,1,17,2\n",
        (("1", "a", 2),),
    ),
    Shape("tables of others", "grades with decimals", "1 0 a 1.0\n", (("1", "a", 1),)),
    Shape("tables of others", "grades between whole ones", "1 0 a 1.5\n"),
    Shape(
        "TREC filtering",
        "three columns, Reuters items",
        "101 2286 1\n101 2287 0\n",
        (("101", "2286", 1), ("101", "2287", 0)),
    ),
    Shape(
        "TREC entity",
        "six columns: address and name of the entity",
        "1 Q0 c1 2 http://example.org Kite\n",
    ),
    Shape(
        "TREC question answering",
        "an answer of several words behind the grade",
        "1 APW1 1 Mr. Kite\n1 APW2 -1 Mr. Moss\n",
    ),
    Shape(
        "TREC novelty",
        "sentences without a grade",
        "301 d1:3\n301 d1:4\n",
    ),
    Shape(
        "TREC session 2010",
        "-2 for spam",
        "1 0 c1 2\n1 0 c2 -2\n",
        (("1", "c1", 2), ("1", "c2", -2)),
    ),
    Shape(
        "CLEF eHealth",
        "understandability from 0 to 100",
        "101001 0 c1 75\n101001 0 c2 0\n",
        (("101001", "c1", 75), ("101001", "c2", 0)),
    ),
    Shape(
        "NTCIR-1 and 2",
        "the letter before the docno, the grade behind it",
        "0031 A k-1 1\n0031 B k-2 0\n",
        (("0031", "k-1", 1), ("0031", "k-2", 0)),
    ),
    Shape(
        "INEX",
        "seven columns: passages and a best entry point",
        "2009001 Q0 12 100 300 10 11:20\n",
    ),
    Shape(
        "tables of others",
        "vertical bars",
        "1|0|d1|1\n1|0|d2|0\n",
        (("1", "d1", 1), ("1", "d2", 0)),
    ),
    Shape(
        "tables of others",
        "as numpy.savetxt writes them",
        "1 0 d1 1.000000000000000000e+00\n",
        (("1", "d1", 1),),
    ),
)


TWO_LINES = "1 Q0 d1 1 2.5 bm25\n1 Q0 d2 2 2.0 bm25\n"
RUNS_OF_SYSTEMS: tuple[tuple[str, str, str | bytes], ...] = (
    (
        "Anserini, Pyserini",
        "six decimals, equal scores made different in the sixth",
        "1 Q0 d1 1 9.412300 Anserini\n1 Q0 d2 2 9.412299 Anserini\n",
    ),
    (
        "Terrier",
        "ranks from 0, small scores with exponents",
        "1 Q0 d1 0 2.512345678901234 BM25b0.75_0\n1 Q0 d2 1 9.8E-4 BM25b0.75_0\n",
    ),
    ("PyTerrier", "ranks from 0, long scores", "1 Q0 d1 0 2.512345678901234 pyterrier\n1 Q0 d2 1 -0.25 pyterrier\n"),
    ("Indri", "log probabilities, below 0, of six digits", "1 Q0 d1 1 -4.83646 indri\n1 Q0 d2 2 -5.07227 indri\n"),
    ("Galago", "eight decimals, none in whole numbers", "1 Q0 d1 1 -4.83646001 galago\n1 Q0 d2 2 -5 galago\n"),
    (
        'ranx with `kind="trec"`',
        "no end of the last line; None as the tag of a run without a name",
        "1 Q0 d1 1 3.0 None\n1 Q0 d2 2 2.0 None",
    ),
    ("BEIR, `save_runfile`", "all ranks 0", "1 Q0 d1 0 2.5 beir\n1 Q0 d2 0 2.0 beir\n"),
    ("Lucene4IR", "QO with the letter O", "1 QO d1 1 2.5 bm25\n1 QO d2 2 2.0 bm25\n"),
    (
        "TREC tip of the tongue",
        "several blanks between columns",
        "1 Q0 d1    1 2.73 runid1\n1 Q0 d2    2 2.71 runid1\n",
    ),
    ("CLEF TalentCLEF", "names of columns", "q_id Q0 doc_id rank score tag\n1 Q0 d1 1 0.69 a\n1 Q0 d2 2 0.66 a\n"),
    ("CLEF CheckThat!, verified claims", "tabs", TWO_LINES.replace(" ", "\t")),
    ("CLEF eRisk, sentences of symptoms", "ranks of four digits", "1 Q0 d1 0001 10 kite\n1 Q0 d2 0002 9.5 kite\n"),
    (
        "CLEF Touché, images for arguments",
        "a stance in the second column",
        "1 PRO d1 1 17.8 kite\n1 CON d2 1 16.4 kite\n",
    ),
    ("ImageCLEF 2003 and 2004", "1 in the second column, ranks from 0", "1 1 d1 0 4238 kite\n1 1 d2 1 4223 kite\n"),
    ("FIRE ad hoc", "gzip, ranks from 0", gzip.compress(b"1 Q0 d1 0 2.5 kite.1\n1 Q0 d2 1 2.0 kite.1\n", mtime=0)),
    ("NTCIR-1 and 2", "tabs, 0, equal scores and ranks", "1\t0\td1\t2\t9997\tntc1\n1\t0\td2\t2\t9997\tntc1\n"),
    ("TIRA, run.txt", "tabs, and 0 in the second column", TWO_LINES.replace(" ", "\t").replace("Q0", "0")),
    ("files of others", "line ends of Windows", TWO_LINES.replace("\n", "\r\n")),
    ("files of others", "blanks at the ends of lines, and between them empty ones", TWO_LINES.replace("\n", " \t\n\n")),
    ("files of others", "no end of the last line", TWO_LINES.rstrip()),
    ("files of others", "a byte order mark", b"\xef\xbb\xbf" + TWO_LINES.encode()),
    ("files of others", "UTF-16 with a mark", TWO_LINES.encode("utf-16")),
    ("files of others", "gzip", gzip.compress(TWO_LINES.encode(), mtime=0)),
    ("files of others", "scores with exponents", TWO_LINES.replace("2.5", "1e-3").replace("2.0", "-3.2E-05")),
    ("files of others", "equal scores", TWO_LINES.replace("2.0", "2.5")),
    ("files of others", "lower scores are better", TWO_LINES.replace("2.0", "3.0")),
    (
        "files of others",
        "decimal numbers as ranks",
        TWO_LINES.replace(" 1 2.5", " 1.0 2.5").replace(" 2 2.0", " 2.0 2.0"),
    ),
)
REFUSED_RUNS: tuple[tuple[str, str, str | bytes], ...] = (
    ("PyTerrier", "NaN as a score, which it writes as nothing", "1 Q0 d1 0  pyterrier\n"),
    ("PyTerrier", "a name of the run with blanks, in quotes", '1 Q0 d1 0 2.5 "BM25 and RM3"\n'),
    ("Galago", "passages: begin and end behind the tag", "1 Q0 d1 1 -4.83646001 galago 0 50\n"),
    ("Indri without `trecFormat`", "score, docno, begin and end", "-4.83646\td1\t0\t120\n"),
    ('ranx with `kind="lz4"`', "LZ4", b"\x04\x22\x4d\x18\x64\x40"),
    (
        "Elasticsearch, OpenSearch",
        "JSON over several lines",
        as_json({"took": 2, "hits": {"total": 1, "hits": [{"_id": "d1", "_score": 2.5}]}}, indent=1),
    ),
    ("Vespa", "JSON", as_json({"root": {"relevance": 1.0, "children": [{"id": "id:a:b::d1", "relevance": 2.5}]}})),
    ("Solr", "JSON", as_json({"responseHeader": {"status": 0}, "response": {"docs": [{"id": "d1", "score": 2.5}]}})),
    ("CLEF Touché, images for arguments", "an image for both stances", "1 PRO d1 1 17.8 kite\n1 CON d1 2 16.4 kite\n"),
    (
        "CLEF-IP 2013, claims to passages",
        "a path of a passage before the rank",
        "PSG1 Q0 WO-1 /claims/claim[1] 1 0.9\n",
    ),
    ("CLEF CheckThat! 2025", "a list of documents for each post", "post_id\tpreds\n12\t['x1', 'x2']\n"),
    (
        "CLEF SimpleText 2021",
        "TSV with the text of the passage",
        "run_id\tmanual\ttopic_id\tdoc_id\tpassage\trank\nkite_1\t1\t1\t300\tSails are old.\t1\n",
    ),
    (
        "CLEF SimpleText 2023 and 2024",
        "a list in JSON, with the text of the passage",
        as_json(
            [{"run_id": "kite", "manual": 0, "topic_id": "G01", "query_id": "G01.1", "doc_id": 7, "rel_score": 0.9}],
            indent=1,
        ),
    ),
    (
        "CLEF JOKER, humour-aware retrieval",
        "a list in JSON",
        as_json([{"run_id": "kite", "manual": 0, "qid": "q1", "docid": "7", "rank": 1, "score": 0.9}]),
    ),
    ("iCLEF", "XML", '<iclef-results site="kite">\n<experiment searcher="1" topic="C4" system="s">\n'),
    ("INEX", "XML", '<inex-submission participant-id="1" run-id="kite" task="Focused">\n<topic topic-id="202">\n'),
    (
        "TREC BioGen",
        "JSON of answers",
        as_json({"team_id": "kite", "results": [{"topic_id": "1", "answer": "A."}]}, indent=1),
    ),
    (
        "NTCIR Lifelog",
        "commas and blanks, five columns",
        "GROUP-ID, RUN-ID, TOPIC-ID, IMAGE-ID, SCORE\nKITE, K1, 16001, u1_2016, 1.0\n",
    ),
    (
        "LETOR, MSLR-WEB",
        "training data for learning to rank",
        "2 qid:10 1:0.03 2:0.67 #docid = GX001-00-0000000\n",
    ),
    ("NTCIR Lifelog, earlier years", "commas and blanks, six columns", "KITE, K1, LSAT003, u1_2016, 0, 1.0\n"),
    ("NTCIR Temporalia", "TSV without scores", "id\trank\tdoc_id\tgroup_id\trun_id\n001a\t1\tDOC1\tkite\tkite_2\n"),
    ("TIRA, LongEval", "ir-metadata.yml, the file beside the run", "tag: kite\nactor:\n  team: kite\n"),
    (
        "LifeCLEF, plants: PlantCLEF 2019 to 2023",
        "semicolons: observation, species, probability and rank",
        "obsid;classid;probability;rank\n7;1355;0.9;1\n",
    ),
    (
        "LifeCLEF, plants: PlantCLEF 2024 and 2025",
        "CSV of lists of species by plot",
        'plot_id;species_ids\nCBN-1;"[1355, 1360]"\n',
    ),
    ("CLEF iDPP", "three columns: patient, score, tag", "100 0.897 kite_T1a\n101 0.543 kite_T1a\n"),
    ("COLIEE, case law", "three columns: case, document, tag", "001 017 kite\n001 004 kite\n"),
    ("FIRE IRSE", "CSV of comments and classes", "Comments,Class\n/*opens*/,Useful\n"),
    (
        "TREC genomics 2006 and 2007",
        "passages: offset and length before the tag, without Q0",
        "160\t124\t1\t0.99\t3001\t200\tkite1\n160\t124\t2\t0.98\t5001\t200\tkite1\n",
    ),
    ("TREC HARD", "passages: offset and length before the tag", "HARD-001 Q0 d1 1 2.5 100 200 kite\n"),
    ("TREC question answering", "the answer behind the tag", "201 Q0 NYT1 1 2.5 kite the answer\n"),
    ("TREC microblog 2011", "four columns, without Q0 and rank", "MB01 349521 0.9 kite\n"),
    (
        "TREC dynamic domain",
        "topic, round, docno, score, whether on topic, and ratings of subtopics",
        "DD16-1\t0\tebola-1\t1.5\t1\tDD16-1.1:3|DD16-1.2:4\n",
    ),
    ("TREC dynamic domain", "the same without ratings", "DD16-1\t0\tebola-1\t1.5\t0\n"),
    (
        "TREC RAG 2024, candidates of Anserini and RankLLM",
        "JSON lines",
        as_json({"query": {"qid": "1", "text": "kites"}, "candidates": [{"docid": "d1", "score": 1.5, "doc": {}}]}),
    ),
    (
        "TREC CAsT 2022",
        "an object in JSON: turns with the provenance of responses",
        as_json(
            {
                "run_name": "kite",
                "turns": [
                    {"turn_id": "132_1-1", "responses": [{"text": "a", "provenance": [{"id": "d1", "score": 0.5}]}]}
                ],
            }
        ),
    ),
    ("TREC fair ranking 2021", "two columns: topic and document", "1\t123\n1\t345\n"),
    (
        "TREC robust 2005",
        "a second part of two columns: how well each topic was answered",
        "1 Q0 d1 1 2.5 kite\n1 Q0 d2 2 2.0 kite\n1 1\n",
    ),
    (
        "NTCIR CLIR",
        "XML: the file of descriptions beside the runs",
        "<TECHDESC>\n<RUN>\n<ID>KITE-C-T-01</ID>\n<MODEL>vector space</MODEL>\n</RUN>\n</TECHDESC>\n",
    ),
    (
        "TIRA, TIREx tracker",
        "ir-metadata.yml that begins with comments",
        "# Describe your run here.\n\ntag: kite\n\nactor:\n  team: kite\n",
    ),
    (
        "MS MARCO, `top1000.dev`",
        "tabs: query, passage and their texts",
        "300\t7187\thow do kites fly\tA kite is held by the wind.\n",
    ),
    (
        "Elasticsearch, OpenSearch, several searches at once",
        "JSON of `_msearch`",
        as_json({"took": 2, "responses": [{"hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}]}),
    ),
    (
        "Elasticsearch, the console of Kibana",
        "the request above the answer",
        'GET /kites/_search\n{"query": {"match": {"text": "kites"}}}\n{"hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}\n',
    ),
    ("files of others", "values of trec_eval", "map                   \tall\t0.2345\n"),
    ("files of others", "a pool", "1 d1\n1 d2\n"),
    ("files of others", "a list of docnos", "d1\nd2\n"),
    ("files of others", "columns named in another order", "docno qid Q0 rank score tag\nd1 1 Q0 1 2.5 bm25\n"),
    (
        "files of others",
        "a table of PyTerrier, with the query",
        "qid\tdocid\tdocno\trank\tscore\tquery\n1\t0\td1\t0\t2.5\tkites\n",
    ),
    ("files of others", "JSON among the lines", TWO_LINES + '{\n "1": {\n  "d3": 1.5\n }\n}\n'),
    ("files of others", "a page of a web site", "<!DOCTYPE html>\n<html>\n<p>Log in</p>\n</html>\n"),
)
OTHER_RUNS: tuple[tuple[str, str | bytes], ...] = (
    ("JSON of pytrec_eval, BEIR and ranx", '{"1": {"d1": 2.5, "d2": 2.0, "d3": 1.0}}\n'),
    ("JSON of pytrec_eval, BEIR and ranx over several lines", as_json({"1": {"d1": 2.5}}, indent=2)),
    ("JSON of a search service", as_json({"took": 2, "hits": {"hits": [{"_id": "d1", "_score": 2.5}]}})),
    ("CSV of a table, as PyTerrier's results", "qid,docid,docno,rank,score,query\n1,0,d1,0,2.5,kites\n"),
    ("names of five columns", "qid\tdocid\tdocno\trank\tscore\n1\t0\td1\t0\t2.5\n"),
    ("no tag", "1 Q0 d1 1 2.5\n"),
    ("no rank", "1 Q0 d1 2.5 bm25\n"),
    ("no Q0", "1 d1 1 2.5 bm25\n"),
    ("a docno with blanks", "1 Q0 a report 1 2.5 bm25\n"),
    ("qrels", "1 0 d1 2\n"),
    ("decimal commas, as Galago writes them on a computer set to another language", "1 Q0 d1 1 -4,83646 galago\n"),
    ("`nan` as a score", "1 Q0 d1 1 nan bm25\n"),
    ("`inf` as a score", "1 Q0 d1 1 inf bm25\n"),
    ("a score that no number can hold", "1 Q0 d1 1 1e999 bm25\n"),
    ("a document twice", "1 Q0 d1 1 2.5 bm25\n1 Q0 d1 2 2.0 bm25\n"),
    ("two tags", "1 Q0 d1 1 2.5 bm25\n1 Q0 d2 2 2.0 other\n"),
    ("bzip2", bz2.compress(TWO_LINES.encode())),
    ("xz", lzma.compress(TWO_LINES.encode())),
    ("Zstandard", b"\x28\xb5\x2f\xfd\x04\x00"),
    ("nothing", ""),
)
RUNS = (
    Shape("TREC, CLEF, FIRE", "six columns", "1 Q0 d1 1 2.5 bm25\n1 Q0 d2 2 2.0 bm25\n", (("1", "d1"), ("1", "d2"))),
    Shape(
        "TREC, with ir_metadata",
        "comments before the run",
        "# ir_metadata.start\n# tag: bm25\n# ir_metadata.end\n1 Q0 d1 1 2.5 bm25\n",
        (("1", "d1"),),
    ),
    Shape(
        "NTCIR WWW, STC, FairWeb, Data Search",
        "a description of the system before the run",
        "<SYSDESC>BM25 of titles</SYSDESC>\n0001 0 d1 1 2.5 bm25\n",
        (("0001", "d1"),),
    ),
    Shape(
        "files of others",
        "a line of headings",
        "qid\tQ0\tdocno\trank\tscore\ttag\n1\tQ0\td1\t1\t2.5\tbm25\n",
        (("1", "d1"),),
    ),
    Shape("MS MARCO, Anserini and Pyserini with `--output-format msmarco`", "three columns", "1\td1\t1\n"),
    Shape("NTCIR IMine, STC of the first years", "semicolons", "<SYSDESC>BM25</SYSDESC>\n1;0;d1;1;2.5;bm25\n"),
    Shape(
        "CLEF Touché 2025", "JSON lines", as_json({"argument_id": "1-5", "image_id": "I1", "rank": 1, "tag": "bm25"})
    ),
    *(Shape(who, shape, text, (("1", "d1"), ("1", "d2"))) for who, shape, text in RUNS_OF_SYSTEMS),
    Shape(
        "TREC RAG",
        "# and low lines in docnos",
        "100 Q0 msmarco_v2.1_doc_02_1#0_2 1 37.058701 Anserini\n",
        (("100", "msmarco_v2.1_doc_02_1#0_2"),),
    ),
    Shape(
        "TREC podcasts",
        "segments as docnos",
        "9 Q0 spotify:episode:3Z_360.0 1 121.2 ADHOC-kite1\n",
        (("9", "spotify:episode:3Z_360.0"),),
    ),
    Shape(
        "TREC RAG",
        "an example of the guidelines of 2024, without a rank",
        "7 Q0 msmarco_v2.1_doc_51_7#2_1 0.99 kite-v3.0\n",
    ),
    Shape(
        "TREC AToMiC",
        "UUIDs of images as docnos",
        "wit-topic-01 Q0 0f3c1a52-6d1e-3c55-9b1e-2a4d5e6f7a8b 1 69.9 kite\n",
        (("wit-topic-01", "0f3c1a52-6d1e-3c55-9b1e-2a4d5e6f7a8b"),),
    ),
    Shape(
        "TREC iKAT",
        "passages as docnos, turns as topics",
        "31_1-1 Q0 clueweb22-en0000-1:0 1 0.5 kite\n",
        (("31_1-1", "clueweb22-en0000-1:0"),),
    ),
    Shape(
        "Quran QA, IslamicEval",
        "tabs, verses as docnos, -1 where nothing answers",
        "428\tQ0\t6:22-26\t1\t10.5\tkite_1\n322\tQ0\t-1\t1\t2.3\tkite_1\n",
        (("428", "6:22-26"), ("322", "-1")),
    ),
    Shape(
        "NTCIR Temporalia, intents",
        "six columns: four probabilities",
        "074 0.250 0.250 0.250 0.250 KITE-TID-E-1\n",
        (("074", "0.250"),),
    ),
    Shape(
        "TREC news",
        "ranks from 0, scores with an exponent",
        "321 Q0 d1 0 1e-5 kite\n321 Q0 d2 1 1E-6 kite\n",
        (("321", "d1"), ("321", "d2")),
    ),
    Shape(
        "TREC RAG 2024",
        "JSON lines of answers",
        as_json({"run_id": "kite", "topic_id": "7", "references": ["d1"], "answer": [{"text": "a", "citations": [0]}]}),
    ),
    Shape(
        "TREC RAG 2025, RAGTIME, BioGen",
        "JSON lines of answers with metadata",
        as_json(
            {"metadata": {"run_id": "kite", "topic_id": "7"}, "responses": [{"text": "a", "citations": {"d1": 0.5}}]}
        ),
    ),
    Shape(
        "TREC iKAT",
        "an object in JSON: turns with passages",
        as_json(
            {
                "run_name": "kite",
                "turns": [
                    {
                        "turn_id": "1-1_1",
                        "responses": [{"text": "a", "passage_provenance": [{"id": "d1", "score": 0.5}]}],
                    }
                ],
            }
        ),
    ),
    Shape(
        "TREC contextual suggestion 2016",
        "JSON lines of suggestions",
        as_json({"groupid": "kite", "id": 700, "body": {"suggestions": ["T-1", "T-2"]}}),
    ),
    Shape(
        "TREC fair ranking 2019 and 2020",
        "JSON lines of rankings",
        as_json({"q_num": "0.1", "qid": 1, "ranking": ["a", "b"]}),
    ),
    *(Shape(who, shape, text) for who, shape, text in REFUSED_RUNS),
    *(Shape("files of others", shape, text) for shape, text in OTHER_RUNS),
)


DOCUMENTS = (
    Shape(
        "TREC disks, Financial Times",
        "SGML with a profile, a paper and a page",
        "<DOC>\n<DOCNO>FT1-3</DOCNO>\n<PROFILE>_AN-B</PROFILE>\n<DATE>910514\n</DATE>\n<HEADLINE>\nFT  14 MAY / Kites\n"
        "</HEADLINE>\n<TEXT>\nKites &amp; wind.\n</TEXT>\n<PUB>The Paper\n</PUB>\n</DOC>\n",
        (("FT1-3", "FT 14 MAY / Kites", "_AN-B\n\n910514\n\nKites & wind.\n\nThe Paper"),),
    ),
    Shape(
        "TREC disks, Federal Register",
        "SGML with comments of the typesetter and entities of its own",
        "<DOC>\n<DOCNO> FR1-0 </DOCNO>\n<TEXT>\n<!-- PJG STAG 4700 -->\nKites &hyph; Vol. 5 &sect; 7\n</TEXT>\n</DOC>\n",
        (("FR1-0", "", "Kites &hyph; Vol. 5 § 7"),),
    ),
    Shape(
        "TREC disks, FBIS",
        "SGML with attributes without quotation marks",
        "<DOC>\n<DOCNO> FBIS3-1 </DOCNO>\n<H3> <TI> Kites </TI></H3>\n"
        "<TEXT>\n<F P=105> English </F>\nUnder < 3 m.\n</TEXT>\n</DOC>\n",
        (("FBIS3-1", "Kites", " English\n\nUnder < 3 m."),),
    ),
    Shape(
        "TREC disks, Los Angeles Times",
        "SGML with a second number",
        "<DOC>\n<DOCNO> LA1-0001 </DOCNO>\n<DOCID> 1 </DOCID>\n"
        "<HEADLINE>\n<P>\nKITES\n</P>\n</HEADLINE>\n<TEXT>\n<P>\nOne.\n</P>\n</TEXT>\n</DOC>\n",
        (("LA1-0001", "KITES", "One."),),
    ),
    Shape(
        "Gigaword, AQUAINT-2",
        "SGML with the docno as an attribute",
        '<DOC id="AFP_1.0001" type="story" >\n<HEADLINE>\nKites\n</HEADLINE>\n<TEXT>\n<P>\nOne.\n</P>\n</TEXT>\n</DOC>\n',
        (("AFP_1.0001", "Kites", "One."),),
    ),
    Shape(
        "TREC web, terabyte",
        "pages in HTML behind a header",
        "<DOC>\n<DOCNO>GX0-0</DOCNO>\n<DOCHDR>\nhttp://a.org/\n</DOCHDR>\n<html><title>Kites</title><p>One<br>two</html>\n</DOC>\n",
        (("GX0-0", "Kites", "One\ntwo"),),
    ),
    Shape(
        "TREC news, Washington Post",
        "JSON lines with a list of contents",
        as_json({"id": "b2", "title": "Kites", "contents": [{"type": "sanitized_html", "content": "One."}, None]}),
        (("b2", "Kites", "One."),),
    ),
    Shape(
        "TREC deep learning, `msmarco-docs.tsv`",
        "tabs: number, address, title and text, without headings",
        "D1\thttps://example.org/a\tKites\tKites fly.\nD2\thttp://example.org/b\t\tOars row.\n",
        (("D1", "Kites", "Kites fly."), ("D2", "", "Oars row.")),
    ),
    Shape("MS MARCO, CAsT, ANTIQUE", "tabs: number and passage", "0\tKites fly.\n", (("0", "", "Kites fly."),)),
    Shape(
        "TREC deep learning 2021 to 2023",
        "JSON lines of passages",
        as_json({"pid": "p_0", "passage": "Kites fly.", "spans": "(0,10)", "docid": "d_0"}),
        (("p_0", "", "Kites fly."),),
    ),
    Shape(
        "TREC RAG 2024",
        "JSON lines of segments",
        as_json(
            {
                "docid": "d_0#0_0",
                "url": "u",
                "title": "Kites",
                "headings": "K",
                "segment": "Kites fly.",
                "start_char": 0,
            }
        ),
        (("d_0#0_0", "Kites", "Kites fly."),),
    ),
    Shape(
        "TREC-COVID, `metadata.csv`",
        "CSV with quotes in cells",
        'cord_uid,sha,title,abstract\nug7v,d1,Kites,"Is ""this"" so?"\n',
        (("ug7v", "Kites", 'Is "this" so?'),),
    ),
    Shape(
        "TREC-COVID, `metadata.csv`",
        "the same, with a document on two lines",
        "cord_uid,title,abstract\nug7v,Kites,One.\nug7v,Kites,One.\n",
    ),
    Shape(
        "TREC tip of the tongue",
        "JSON lines with the title of a page",
        as_json({"page_title": "Kites", "doc_id": "5", "wikidata_id": "Q1", "text": "Kites fly."}),
        (("5", "Kites", "Kites fly."),),
    ),
    Shape(
        "TREC product search, ESCI",
        "JSON lines with a number of the product",
        as_json({"product_id": "B01", "product_title": "Kite", "product_description": "Red.", "product_brand": "K"}),
        (("B01", "Kite", "Red."),),
    ),
    Shape("TREC CAR", "CBOR", b"\x83cCAR"),
    Shape("ClueWeb", "WARC", "WARC/1.0\r\nWARC-Type: response\r\n"),
    Shape(
        "TREC clinical trials",
        "XML of one trial after the other",
        "<clinical_study>\n<nct_id>NCT1</nct_id>\n<brief_title>Kites</brief_title>\n<textblock>One.</textblock>\n</clinical_study>\n",
        (("NCT1", "Kites", "One."),),
    ),
    Shape(
        "TREC genomics, precision medicine",
        "XML of PubMed",
        '<PubmedArticleSet>\n<PubmedArticle>\n<PMID Version="1">11</PMID>\n<Journal><Title>J Wind</Title></Journal>\n'
        "<ArticleTitle>Kites</ArticleTitle>\n<AbstractText>One.</AbstractText>\n</PubmedArticle>\n</PubmedArticleSet>\n",
        (("11", "Kites", "J Wind\n\nOne."),),
    ),
    Shape(
        "TREC genomics 2004 and 2005",
        "labels of PubMed",
        "PMID- 11\nOWN - NLM\nTI  - Kites and\n      tails\nAB  - Kites\n      fly.\nAU  - A B\n\nPMID- 12\nTI  - Ponds\n"
        "AB  - Ponds fill.\n",
        (("11", "Kites and tails", "Kites fly."), ("12", "Ponds", "Ponds fill.")),
    ),
    Shape(
        "CLEF ad hoc",
        "SGML of newspapers with two numbers that are one",
        "<DOC>\n<DOCNO>GH95-1</DOCNO>\n<DOCID>GH95-1</DOCID>\n<TITLE>Kites</TITLE>\n<TEXT>\nOne.\n</TEXT>\n</DOC>\n",
        (("GH95-1", "Kites", "One."),),
    ),
    Shape(
        "CLEF ad hoc, German", "the same in ISO-8859-1", "<DOC>\n<DOCNO>S-1</DOCNO>\nZürich\n</DOC>\n".encode("latin-1")
    ),
    Shape(
        "CLEF-IP",
        "XML with the number as an attribute",
        '<patent-document ucid="EP-1-A1">\n<invention-title lang="EN">Kites</invention-title>\n<p>One.</p>\n</patent-document>\n',
        (("EP-1-A1", "Kites", "One."),),
    ),
    Shape(
        "CLEF LongEval",
        "a list in JSON",
        as_json([{"id": "doc1", "contents": "Un."}, {"id": "doc2", "contents": "Deux."}]),
        (("doc1", "", "Un."), ("doc2", "", "Deux.")),
    ),
    Shape(
        "CLEF Touché, args.me",
        "an object in JSON that holds the list of arguments",
        as_json(
            {"arguments": [{"id": "S1-A1", "conclusion": "Kites fly", "premises": [{"text": "One.", "stance": "PRO"}]}]}
        ),
        (("S1-A1", "Kites fly", "One."),),
    ),
    Shape(
        "CLEF CheckThat!, verified claims",
        "TSV with headings",
        "vclaim_id\tvclaim\ttitle\n1\tKites fly.\tKites\n",
        (("1", "Kites", "Kites fly."),),
    ),
    Shape(
        "NTCIR-1 and 2",
        "SGML with titles in two languages",
        '<REC><ACCN>gakkai-1</ACCN>\n<TITL TYPE="kanji">凧</TITL>\n<TITE TYPE="alpha">Kites</TITE>\n'
        "<ABSE><ABSE.P>One.</ABSE.P></ABSE>\n</REC>\n",
        (("gakkai-1", "凧", "Kites\n\nOne."),),
    ),
    Shape(
        "NTCIR CLIR",
        "SGML with a language",
        "<DOC>\n<DOCNO>cts_1</DOCNO>\n<LANG>CH</LANG>\n<HEADLINE>風箏</HEADLINE>\n<TEXT>\n<P>風。</P>\n</TEXT>\n</DOC>\n",
        (("cts_1", "風箏", "CH\n\n風。"),),
    ),
    Shape(
        "FIRE ad hoc",
        "SGML in Hindi",
        "<DOC>\n<DOCNO>1_a.utf8</DOCNO>\n<TITLE>पतंग</TITLE>\n<TEXT>\nयह पाठ है।\n</TEXT>\n</DOC>\n",
        (("1_a.utf8", "पतंग", "यह पाठ है।"),),
    ),
    Shape(
        "BEIR",
        "JSON lines with `_id` and metadata",
        as_json({"_id": "M-1", "title": "Kites", "text": "One.", "metadata": {"url": "u"}}),
        (("M-1", "Kites", "One."),),
    ),
    Shape(
        "MIRACL, NeuCLIR",
        "JSON lines with low lines and # in docnos",
        as_json({"docid": "12#0", "title": "凧", "text": "One."}),
        (("12#0", "凧", "One."),),
    ),
    Shape(
        "SMART: CISI, CACM, MED",
        "parts with labels",
        ".I 1\n.T\nKites.\n.A\nMill, A.\n.W\nOne.\n",
        (("1", "Kites.", "One."),),
    ),
    Shape(
        "OHSUMED, TREC filtering 2000",
        "parts with labels, of which .U is the number of MEDLINE",
        ".I 1\n.U\n87049087\n.S\nJ Kites 87\n.M\nKites.\n.T\nKites.\n.P\nJOURNAL ARTICLE.\n.W\nOne.\n.A\nMill A.\n",
        (("87049087", "Kites.", "One."),),
    ),
    Shape(
        "Reuters-21578",
        "SGML with the number as an attribute",
        '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<REUTERS TOPICS="YES" NEWID="1">\n<TEXT><TITLE>COCOA</TITLE>\n'
        "<BODY>Showers.\n</BODY></TEXT>\n</REUTERS>\n",
        (("1", "COCOA", "Showers."),),
    ),
    Shape(
        "TREC filtering, RCV1",
        "XML with the number as an attribute",
        '<?xml version="1.0"?>\n<newsitem itemid="2286" date="1996-08-20">\n<title>KITES</title>\n'
        "<text><p>They fly.</p></text>\n</newsitem>\n",
        (("2286", "KITES", "They fly."),),
    ),
    Shape(
        "TREC enterprise",
        "SGML of mails",
        "<DOC>\n<DOCNO>lists-1</DOCNO>\n<SUBJECT>Kites</SUBJECT>\n<TEXT>\nThey fly.\n</TEXT>\n</DOC>\n",
        (("lists-1", "", "Kites\n\nThey fly."),),
    ),
    Shape(
        "TREC blog",
        "pages in HTML behind a header",
        "<DOC>\n<DOCNO>BLOG06-1</DOCNO>\n<DOCHDR>\nhttp://example.org\n</DOCHDR>\n"
        "<html><body>Kites fly.</body></html>\n</DOC>\n",
        (("BLOG06-1", "", "Kites fly."),),
    ),
    Shape(
        "TREC microblog",
        "JSON lines of posts",
        '{"id_str": "1", "id": 1, "text": "kites", "user": {"screen_name": "x"}}\n',
        (("1", "", "kites"),),
    ),
    Shape(
        "CLEF domain-specific",
        "SGML with titles in two languages",
        "<DOC>\n<DOCNO>GIRT-1</DOCNO>\n<TITLE-EN>Kites</TITLE-EN>\n<TITLE-DE>Drachen</TITLE-DE>\n</DOC>\n",
        (("GIRT-1", "", "Kites\n\nDrachen"),),
    ),
    Shape(
        "ImageCLEF",
        "SGML of captions, docnos with slashes",
        "<DOC>\n<DOCNO>a/00/25.eng</DOCNO>\n<TITLE>Plant</TITLE>\n<DESCRIPTION>Moss.</DESCRIPTION>\n</DOC>\n",
        (("a/00/25.eng", "Plant", "Moss."),),
    ),
    Shape(
        "TREC chemistry, patents",
        "SGML with claims",
        "<DOC>\n<DOCNO>WTO_1</DOCNO>\n<TTL>Kite</TTL><ABST>A kite.</ABST><CLMS>A tail.</CLMS>\n</DOC>\n",
        (("WTO_1", "", "Kite\n\nA kite.\n\nA tail."),),
    ),
    Shape(
        "files of others",
        "the tag of a document over two lines",
        '<DOC\nid="a">\n<TEXT>Kites.</TEXT>\n</DOC>\n',
        (("a", "", "Kites."),),
    ),
    Shape(
        "files of others",
        "passages that each document counts anew",
        '{"doc_id": "a", "pid": 1, "text": "x"}\n{"doc_id": "b", "pid": 1, "text": "y"}\n',
    ),
)


def bytes_of(text: str | bytes) -> io.BytesIO:
    return io.BytesIO(text.encode() if isinstance(text, str) else text)


def topics_in(text: str | bytes) -> tuple[tuple[Topic, ...], ProblemLog]:
    read = read_topics(bytes_of(text))
    topics = tuple(
        (
            *(part for part in (topic.number, topic.title, topic.description, topic.narrative) if part),
            *(f"{subtopic.number}: {subtopic.text}" for subtopic in topic.subtopics),
        )
        for topic in (read.records if read.problems.ok else ())
    )
    return topics, read.problems


def documents_in(text: str | bytes) -> tuple[tuple[Topic, ...], ProblemLog]:
    reader = DocumentReader(bytes_of(text))
    documents = tuple((document.docno, document.title, document.text) for document in reader)
    return documents if reader.problems.ok else (), reader.problems


def judgments_in(text: str | bytes) -> tuple[tuple[tuple[object, ...], ...], ProblemLog]:
    read = read_qrels(bytes_of(text), QrelsRules(sampling="any"))
    table = None if read.table is None else read.table.drop("subtopic")
    return () if table is None else tuple(table.rows()), read.problems


def run_in(text: str | bytes) -> tuple[tuple[tuple[object, ...], ...], ProblemLog]:
    check = check_run(bytes_of(text), RunRules())
    table = check.table if check.ok else None
    return () if table is None else tuple(table.select("topic", "docno").rows()), check.problems


def answer(problems: ProblemLog) -> str:
    """What the preview says, as a cell of the page."""
    said = " ".join(problem.message for problem in problems.shown)
    words = ELEMENT.sub(r"`\g<0>`", " ".join(said.split())).replace(" (1)", "")
    return f"{'read' if problems.ok else 'refused'}. {words}".strip().rstrip(".")


def answer_with_remedy(problems: ProblemLog) -> str:
    """The same, of a file that is refused also what to do, without the command itself."""
    remedies = [problem.remedy for problem in problems.shown if problem.severity == "error"]
    told = ELEMENT.sub(r"`\g<0>`", COMMAND.sub("a command that the message gives", " ".join(remedies))).rstrip(".")
    return f"{answer(problems)}. {told}" if told else answer(problems)


def rows() -> Iterator[str]:
    for shape in TOPICS:
        yield f"| topics | {shape.campaign} | {shape.shape} | {answer(topics_in(shape.text)[1])} |"
    for shape in DOCUMENTS:
        yield f"| documents | {shape.campaign} | {shape.shape} | {answer_with_remedy(documents_in(shape.text)[1])} |"
    for shape in QRELS:
        yield f"| qrels | {shape.campaign} | {shape.shape} | {answer(judgments_in(shape.text)[1])} |"
    for shape in RUNS:
        yield f"| runs | {shape.campaign} | {shape.shape} | {answer_with_remedy(run_in(shape.text)[1])} |"


if __name__ == "__main__":
    print("\n".join(rows()))
