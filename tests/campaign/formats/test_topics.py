import csv
import gzip
import io
import json
import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.blueprint_files import toml_text
from campaign.formats.kinds import KINDS
from campaign.formats.markup import one_line, paragraphs
from campaign.formats.topics.dialects import TopicChoices
from campaign.formats.topics.read import TOPIC_LIMITS, SubtopicRecord, TopicRecord, TopicsRead, read_topics
from campaign.formats.topics.write import FILES

CLASSIC = """
<top>

<num> Number: 401
<title> tidal power   plants &amp; lagoons

<desc> Description:
Which sites use the tide
to make electricity?

<narr> Narrative:
A relevant document names a site.

Plans < 1 MW count; so does List<T> in code.

</top>

<top>
<num> Number: 402
<title> Topic: bread
<desc> Description: What is bread?
<con> Concept(s): left out
<narr> Narrative: Any bread.
</top>
"""
CLOSED = """<?xml version="1.0"?>
<!-- comment --><topics>
<top><num>7a</num><title>moss</title><desc>Where?</desc><narr>On stones.</narr></top>
</topics>"""
WEB = """<?xml version="1.0" encoding="ISO-8859-1"?>
<webtrack>
  <topic number="1" type="faceted">
    <query>garden sheds</query>
    <description>Find   sheds.</description>
    <subtopic number="1" type="inf">How is one built?</subtopic>
    <subtopic number="2" type="nav">Shops &amp; prices</subtopic>
  </topic>
  <topic number="2"><title>caf\u00e9</title><narrative>In towns.

Not in stations.</narrative></topic>
  <topic number="3">straight in the element</topic>
</webtrack>"""


def read(text: str | bytes) -> TopicsRead:
    return read_topics(io.BytesIO(text.encode() if isinstance(text, str) else text))


NOTES = ("topic_dialect", "topic_parts_left_out")


def codes(result: TopicsRead) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in result.problems.shown if problem.code not in NOTES]


def notes(result: TopicsRead) -> list[str]:
    return [problem.message for problem in result.problems.shown if problem.code in NOTES]


def test_classic_trec_topics_are_read_with_their_labels_taken_off():
    result = read(CLASSIC)
    assert result.format == "trec"
    assert codes(result) == []
    first, second = result.records
    assert (first.number, first.title, first.line) == ("401", "tidal power plants & lagoons", 2)
    assert first.description == "Which sites use the tide to make electricity?"
    assert first.narrative == "A relevant document names a site.\n\nPlans < 1 MW count; so does List<T> in code."
    assert (second.number, second.title, second.description, second.narrative) == (
        "402",
        "bread",
        "What is bread?",
        "Any bread.",
    )


def test_trec_topics_with_closing_tags_are_read():
    result = read(CLOSED)
    assert result.format == "trec"
    assert codes(result) == []
    topic = result.records[0]
    assert (topic.number, topic.title, topic.description, topic.narrative) == ("7a", "moss", "Where?", "On stones.")


def test_a_classic_topic_without_its_end_is_read_with_a_warning():
    result = read("<top>\n<num> 1\n<title> a\n<top>\n<num> 2\n<title> b\n")
    assert [topic.number for topic in result.records] == ["1", "2"]
    assert codes(result) == [("topic_unclosed", 1)]
    assert result.problems.shown[0].message.endswith("The same on 1 more line: 4.")
    assert result.problems.ok


def test_xml_topics_are_read_with_their_subtopics_and_lines():
    result = read(WEB)
    assert result.format == "xml"
    assert codes(result) == []
    sheds, cafe, straight = result.records
    assert (sheds.number, sheds.title, sheds.description, sheds.line) == ("1", "garden sheds", "Find sheds.", 3)
    assert sheds.subtopics == (SubtopicRecord("1", "How is one built?"), SubtopicRecord("2", "Shops & prices"))
    assert (cafe.title, cafe.narrative) == ("caf\u00e9", "In towns.\n\nNot in stations.")
    assert straight.title == "straight in the element"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (WEB, "<subtopic type> (2), <topic type> (1)."),
        (
            "<top type='x'>\n<num>1\n<title>a\n<subtopic number='1' type='inf'>s\n</top>",
            "<top type> (1), <subtopic type>",
        ),
        ('{"id": 1, "title": "a", "subtopics": [{"id": 1, "text": "s", "type": "nav"}]}', "“subtopic type”."),
        ('{"id": 1, "title": "a", "subtopics": [{"id": 1, "text": "s", "title": "t"}]}', "“subtopic title”."),
    ],
)
def test_types_of_topics_and_subtopics_are_named_as_left_out(text: str, named: str):
    result = read(text)
    assert result.records[0].subtopics
    assert f"no place for it: {named}" in notes(result)[-1]


@pytest.mark.parametrize("attribute", ["number", "num", "id"])
def test_the_number_of_a_subtopic_is_read_alike_in_sgml_and_xml(attribute: str):
    element = f'<subtopic {attribute}=" 2 ">s</subtopic>'
    for text in (
        f"<top>\n<num>1\n<title>a\n{element}\n</top>",
        f"<t><topic id='1'><title>a</title>{element}</topic></t>",
    ):
        assert read(text).records[0].subtopics == (SubtopicRecord("2", "s"),)


def test_clef_topics_have_their_number_in_an_identifier():
    topic = "<topic lang='en'><identifier>10.2452/41-AH</identifier><title>old maps</title></topic>"
    result = read(f"<topics>{topic}</topics>")
    assert [(topic.number, topic.title) for topic in result.records] == [("10.2452/41-AH", "old maps")]
    assert "number from <identifier>" in notes(result)[0]


def test_xml_topics_may_carry_their_number_and_query_in_elements():
    result = read("<queries><query><qid>0004</qid><content>old maps</content></query></queries>")
    assert [(topic.number, topic.title) for topic in result.records] == [("0004", "old maps")]


DIALECTS = {
    "CLEF eHealth 2015": (
        "<topics>\n<top>\n<num>clef2015.test.1</num>\n<query>red marks on legs</query>\n</top>\n</topics>",
        ("clef2015.test.1", "red marks on legs", "", ""),
        "title from <query>",
    ),
    "CLEF eHealth 2016": (
        "<queries><query><id>101001</id><title>headaches</title></query></queries>",
        ("101001", "headaches", "", ""),
        "",
    ),
    "CLEF ad hoc": (
        (
            '<top lang="EN">\n<num> C041 </num>\n<EN-title> Pesticides </EN-title>\n<FR-title> Les pesticides </FR-title>\n'
            "<EN-desc> Find <b>any</b>. </EN-desc>\n<EN-narr> All. </EN-narr>\n</top>"
        ),
        ("C041", "Pesticides", "Find <b>any</b>.", "All."),
        "title from <en-title>; description from <en-desc>; narrative from <en-narr>",
    ),
    "CLEF ad hoc of the first years": (
        "<top>\n<num> 7\n<C-title> Rail\n<C-desc> Which <query> runs?\n</top>",
        ("7", "Rail", "Which <query> runs?", ""),
        "title from <c-title>",
    ),
    "TREC-COVID": (
        '<topics><topic number="1"><query>origin</query><question>whence?</question><narrative>all</narrative></topic></topics>',
        ("1", "origin", "whence?", "all"),
        "title from <query>; description from <question>",
    ),
    "a question alone": (
        "<t><topic id='9'><question>Why?</question></topic></t>",
        ("9", "Why?", "", ""),
        "title from <question>",
    ),
    "NTCIR, without an element around the topics": (
        (
            '<?xml version="1.0"?>\n<TOPIC><NUM>0001</NUM><TITLE CASE="c">moss</TITLE><DESC>Where?</DESC>'
            "<NARR><BACK>Stones.</BACK><RELE>All.</RELE></NARR></TOPIC>\n<TOPIC><NUM>2</NUM><TITLE>b</TITLE></TOPIC>"
        ),
        ("0001", "moss", "Where?", "Stones.\n\nAll."),
        "Left out, since a topic here has no place for it: <TITLE CASE>.",
    ),
    "TREC-4, with descriptions alone": (
        "<top>\n<num> Number: 201\n<desc> Description:\nWhere does moss grow?\n</top>",
        ("201", "Where does moss grow?", "", ""),
        "number from <num>; title from <desc>",
    ),
    "columns in another order": (
        "query\tqid\tnarrative\tdescription\nmoss\t1\tStones.\tWhere?\n",
        ("1", "moss", "Where?", "Stones."),
        "number from qid; title from query",
    ),
    "JSON lines": (
        json.dumps({"qid": 1, "query": "moss", "question": "Where?", "narrative": "All."}),
        ("1", "moss", "Where?", "All."),
        "number from “qid”; title from “query”; description from “question”",
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_topics_in_a_dialect_are_read_with_a_note_which_element_became_what(dialect):
    text, expected, note = DIALECTS[dialect]
    result = read(text)
    topic = result.records[0]
    assert codes(result) in ([], [("headings", 1)])
    assert (topic.number, topic.title, topic.description, topic.narrative) == expected
    assert note in " ".join(notes(result))
    assert bool(note) == bool(notes(result))


@pytest.mark.parametrize(
    "text",
    [
        '<t><topic id="1"><title>x</title><narr{}>nul</narr><narr lang="en">one</narr><narr lang="en">two</narr></topic></t>',
        '<t><topic id="1"><narr xml:lang="en">one</narr><title>x</title><narr{}>nul</narr><narr lang="en">two</narr></topic></t>',
        '<top>\n<num>1\n<title>x</title>\n<narr{}>nul</narr>\n<narr lang="EN">one</narr>\n<narr lang="EN">two</narr>\n</top>',
    ],
)
@pytest.mark.parametrize("language", ["", ' lang="de"'])
def test_english_texts_come_before_those_of_another_language_and_keep_their_order(text: str, language: str):
    [topic] = read(text.format(language)).records
    assert (topic.title, topic.narrative) == ("x", "one")
    text = text.format(language).replace("narr", "foo")
    [topic] = read_topics(io.BytesIO(text.encode()), choices=TopicChoices(appends=True)).records
    assert re.findall("foo: (.*)", topic.narrative) == ["one", "two", "nul"]


@pytest.mark.parametrize(
    ("title", "narrative"),
    [
        ("effects of\n<i>E. coli</i> in food", "Any."),
        ("<b>boats", "Relevant <docs> are those that say x. Not relevant: y."),
        ("List<T>", "The <toptype> counts."),
    ],
)
def test_tags_within_the_texts_of_classic_topics_do_not_end_them(title: str, narrative: str):
    later = "<toptype> event\n<docs> NYT1\n"
    [topic] = read(f"<top>\n<num> 1\n<title> {title}\n{later}<narr> {narrative}\n{later}</top>\n").records
    assert (topic.title, topic.narrative) == (" ".join(title.split()), narrative)


@pytest.mark.parametrize("query", ["cheap", "2024"])
def test_a_query_in_an_attribute_of_a_topic_is_not_its_number(query: str):
    result = read(f'<t><topic q="{query}"><num>7</num><title>boats</title></topic></t>')
    assert [topic.number for topic in result.records] == ["7"]
    assert "<topic q>" in notes(result)[-1]
    assert not read('<t><topic q="cheap"><title>boats</title></topic></t>').records


def test_elements_that_a_topic_has_no_place_for_are_named():
    result = read("<t><topic number='1'><disease>flu</disease><gene>X</gene><title>a</title></topic></t>")
    assert notes(result) == ["Left out, since a topic here has no place for it: <disease> (1), <gene> (1)."]
    assert "<con>" in notes(read(CLASSIC))[0]


def test_text_of_a_topic_beside_its_title_is_named():
    result = read("<t><topic number='1'>stray words<title>a</title></topic></t>")
    assert notes(result) == ["Left out, since a topic here has no place for it: <text of topic>."]


@pytest.mark.parametrize(
    "text",
    [
        '{"number": "1", "title": "a", "subtopics": [{"number": 1, "text": ""}, {"number": 2, "text": "s"}]}',
        "<t><topic number='1'><title>a</title><subtopic number='1'/><subtopic number='2'>s</subtopic></topic></t>",
        "<top><num>1<title>a<subtopic number='1'> <subtopic number='2'>s</top>",
    ],
)
def test_a_subtopic_without_text_is_left_out_with_a_warning(text: str):
    result = read(text)
    assert codes(result) == [("subtopic_text_missing", 1)]
    assert "Subtopic 1 of topic 1" in result.problems.shown[-1].message
    assert result.records[0].subtopics == (SubtopicRecord("2", "s"),)
    assert result.problems.ok


@pytest.mark.parametrize(
    "prolog",
    [
        "<!-- topics of <topic> -->\n",
        "<!DOCTYPE topics>\n",
        '<?xml version="1.0" encoding="EUC-JP"?>\n<!DOCTYPE t SYSTEM "t.dtd">\n<!-- one --><!-- two -->\n',
        "<!DOCTYPE t [\n<!ELEMENT topic ANY>\n]>\n<?note x?>\n",
        '\n<?xml version="1.0"?>\n',
        "<!-- topics -- of the\nyear -->\n<!------------->\n",
    ],
)
@pytest.mark.parametrize("root", ["", "t"])
def test_what_stands_before_the_first_topic_of_an_xml_file_does_no_harm(prolog: str, root: str):
    topics = "<topic number='1'><title>moss</title></topic>\n<topic number='2'><title>b</title></topic>"
    result = read(prolog + (f"<{root}>{topics}</{root}>" if root else topics))
    assert codes(result) == []
    assert [topic.title for topic in result.records] == ["moss", "b"]
    assert result.records[0].line == prolog.count("\n") + 1


def test_a_comment_with_dashes_whose_end_may_be_that_of_another_one_is_refused_and_hides_no_topic():
    topic = "<topic number='{}'><title>moss</title></topic>\n"
    result = read(f"<!-- one -- >\n{topic.format(1)}<!-- two -->\n{topic.format(2)}")
    assert codes(result) == [("xml_broken", 1)]


def test_a_prolog_without_end_is_read_in_linear_time():
    for hostile in ("<!--", "<?a ", "<!DOCTYPE [", "<!DOCTYPE ", "<!-- --> " * 9 + "<!--"):
        start = time.thread_time()
        read(hostile * (200_000 // len(hostile)))
        assert time.thread_time() - start < 10, hostile


def test_an_xml_bomb_is_refused_at_its_first_entity():
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">\n' for i in range(12))
    result = read(f'<?xml version="1.0"?>\n<!DOCTYPE t [\n{entities}]>\n<t><topic number="1">&e11;</topic></t>')
    assert result.records == ()
    assert codes(result) == [("xml_entity", 3)]


def test_an_external_entity_is_refused():
    result = read('<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<t><topic number="1">&x;</topic></t>')
    assert codes(result) == [("xml_entity", 1)]


def test_broken_xml_names_the_line():
    result = read('<topics>\n<topic number="1">\n<query>AT&T</query></topics>')
    assert codes(result) == [("xml_broken", 3)]
    assert "&amp;" in result.problems.shown[0].remedy


def test_tab_separated_topics_are_read_from_two_to_four_columns():
    result = read(b"\xef\xbb\xbf301\tbread\r\n007\tmoss\tWhere?\tStones.\r\n")
    assert result.format == "tsv"
    assert [(topic.number, topic.title, topic.narrative, topic.line) for topic in result.records] == [
        ("301", "bread", "", 1),
        ("007", "moss", "Stones.", 2),
    ]


def test_a_line_of_headings_is_left_out_with_a_warning():
    result = read("qid\tquery\n1\tbread\n")
    assert [topic.number for topic in result.records] == ["1"]
    assert codes(result) == [("headings", 1)]
    assert result.problems.ok


def test_json_topics_accept_the_usual_names_of_the_fields():
    lines = [
        {"number": "1", "title": "a", "description": "d", "narrative": "n", "subtopics": [{"number": 1, "text": "s"}]},
        {"qid": 2, "query": "b", "subtopics": ["first", "second"]},
        {"id": "3", "text": "c"},
    ]
    result = read("\n".join(map(json.dumps, lines)))
    assert result.format == "jsonl"
    assert codes(result) == []
    assert [(topic.number, topic.title) for topic in result.records] == [("1", "a"), ("2", "b"), ("3", "c")]
    assert result.records[0].subtopics == (SubtopicRecord("1", "s"),)
    assert [subtopic.number for subtopic in result.records[1].subtopics] == ["1", "2"]


def test_all_problems_of_json_topics_are_reported_at_once():
    result = read(
        '{"number": "1", "title": "a"}\n'
        '{"number": "1", "title": "b"}\n'
        '{"title": "no number"}\n'
        '{"number": "4"}\n'
        '{"number": "5 b", "title": "x"}\n'
        "{broken\n"
        "[1]\n"
        '{"number": 1.5, "title": "x"}\n'
        '{"number": "8", "title": "\\ud800"}\n'
        '{"number": "9", "title": "x", "subtopics": [{"number": "1", "text": "p"}, {"number": "1", "text": "q"}]}\n'
        + "["
        * 100_000
    )
    assert [topic.number for topic in result.records] == ["1"]
    assert codes(result) == [
        ("topic_number_duplicate", 2),
        ("topic_number_missing", 3),
        ("topic_title_missing", 4),
        ("topic_number_space", 5),
        ("json_broken", 6),
        ("json_not_object", 7),
        ("json_field", 8),
        ("json_field", 9),
        ("subtopic_number_duplicate", 10),
        ("json_broken", 11),
    ]


def test_a_topic_number_with_marks_of_direction_is_a_problem_of_its_line_and_a_title_with_them_is_none():
    result = read("1\tone \u202eeno\n2\u202e1\ttwo\n")
    assert codes(result) == [("topic_number_direction", 2)]


def test_a_byte_order_mark_within_a_file_is_named_where_it_would_be_a_part_of_a_number():
    assert codes(read("1\tone\n\ufeff2\ttwo\n")) == [("topic_number_mark", 2)]


def test_many_tags_on_one_line_are_read_in_linear_time():
    start = time.thread_time()
    read("<top><num>1<title>x" + "<query>" * 140_000 + "</top>")
    assert time.thread_time() - start < 2


def test_column_problems_of_tab_separated_topics_name_their_lines():
    result = read("1\ta\n2 b\n3\tb\tc\td\te\n\tf\n4\t\n")
    assert codes(result) == [
        ("column_count", 2),
        ("column_count", 3),
        ("topic_number_missing", 4),
        ("topic_title_missing", 5),
    ]


def test_a_file_of_no_known_format_is_reported_with_the_known_formats():
    result = read("just some words\n")
    assert result.format is None
    assert codes(result) == [("unknown_format", 1)]


def test_markup_without_topics_is_refused_with_the_names_of_its_elements():
    result = read("<html><body>hello</body></html>")
    assert codes(result) == [("topics_none", None)]
    assert "<html> (1), <body> (1)" in result.problems.shown[0].message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[\n{}\n]", [("topic_number_missing", 2), ("topic_title_missing", 2)]),
        ('[\n{"id": 1, "title": "a"},\n\n7,\n{"id": 2, "title": "b"}\n]', [("json_not_object", 4)]),
        ('[\n{"id": 1, "title": "a"},\n{"id": 2 "title": "b"}\n]', [("json_broken", 3)]),
        ('[\n{"id": 1, "title": "a"}\n', [("json_broken", 2)]),
        ("[" * 100_000, [("json_broken", 1)]),
        ('{\n"id": 1,\n"title": "a"\n}\n{\n"id": 1, "title": "b"}', [("topic_number_duplicate", 5)]),
        ('{\n"id": 1,\n"title": {"a": 1}}', [("json_field", 1)]),
        ('{"topic": {"number": 1, "title": "a"}}\n{"topic": {"number": 2}}', [("topic_title_missing", 2)]),
        ('[{"number": 1, "turns": [{"turn_id": 1, "response": "r"}]}]', [("topic_title_missing", 1)]),
        ('[{"turns": [{"turn_id": 1, "utterance": "u"}]}]', [("topic_number_missing", 1)]),
        ('[{"number": 1.5, "turns": [{"utterance": "u"}]}]', [("json_field", 1)]),
        ('[{"number": 1, "turns": [{"number": [{}], "utterance": "u"}]}]', [("json_field", 1)]),
        ('[{"number": 1, "title": "\\ud800", "turns": [{"utterance": "u"}]}]', [("json_field", 1)]),
        ('[{"topic_id": 1, "topics": [{"lang": [[]]}, {"lang": {}}]}]', [("topic_title_missing", 1)]),
    ],
)
def test_problems_of_json_over_several_lines_name_the_line_of_the_topic(text: str, found: list[tuple[str, int | None]]):
    assert codes(read(text)) == found


keys = st.sampled_from(
    ["number", "id", "title", "topic", "topics", "turn", "turns", "utterance", "lang", "subtopics", "x"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.floats() | st.sampled_from(["", "a", "\ud800", "\0", "en"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(keys, values, max_size=4), st.sampled_from([None, 1]))
def test_no_json_whatsoever_makes_the_reader_of_topics_raise(value, indent):
    result = read(json.dumps(value, indent=indent))
    assert all(topic.number and topic.title for topic in result.records)
    assert result.records or result.problems.total


def test_topics_in_objects_of_their_own_are_read():
    result = read('{"id": 7, "topic": {"title": "a", "lang": "en"}}\n{"topic": {"number": 8, "query": {"text": "b"}}}')
    assert [(topic.number, topic.title) for topic in result.records] == [("7", "a"), ("8", "b")]
    assert "“lang”" in notes(result)[-1]


def test_a_topic_given_again_counts_once_with_the_same_texts_and_is_an_error_with_others():
    assert codes(read("1\ta\n1\ta\n")) == [("topic_repeated", 2)]
    assert codes(read("1\ta\n1\tb\n")) == [("topic_number_duplicate", 2)]
    topic = '<topic number="1"><title>a</title><subtopic number="1">b</subtopic></topic>'
    assert codes(read(f"<topics>\n{topic}\n{topic}</topics>")) == [("topic_repeated", 3)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"id": "7", "topic": {"id": "x", "title": "a"}}', "“topic id”"),
        ('{"7": {"id": "7", "title": "a"}, "8": {"number": "9", "title": "b"}}', "it: “8”"),
        ('{"id": 7, "topics": [{"lang": "en", "id": "x", "title": "a"}]}', "“topics id”"),
        ('{"id": 7, "number": 6, "turns": [{"utterance": "a"}]}', "“id”"),
        ('{"id": 7, "turns": [{"number": 1, "turn_id": 2, "utterance": "a"}]}', "“turn_id”"),
        ('{"id": 7, "title": "a", "turns": [{"conversation": "c", "utterance": "b"}]}', "“turns conversation”"),
    ],
)
def test_of_two_values_for_one_place_in_json_the_one_that_is_not_read_is_named(text: str, named: str):
    assert named in notes(read(text))[-1]


def test_a_long_title_is_an_error_where_there_is_a_description():
    long = "many words " * 200
    assert codes(read(f"1\t{long}\td\n")) == [("topic_text_long", 1)]
    [topic] = read(f"1\t{long}\n").records
    assert (len(topic.title) <= 302, topic.title.endswith(" …"), topic.description) == (True, True, long.strip())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("AT&T, 5 < 6 and caf&eacute;", "AT&T, 5 < 6 and caf\u00e9"),
        ("<![CDATA[AT&T]]> & more &#38; &amp;", "AT&T & more & &"),
        ("a &&amp; b &x", "a && b &x"),
        ("&LT;b&GT; R&AMP;D &QUOT;", '<b> R&D "'),
        ("AT&amplifier; &notit;", "AT&amplifier; &notit;"),
    ],
)
def test_bare_signs_in_xml_are_read_as_the_characters_with_a_warning(text: str, title: str):
    result = read(f"<topics>\n<topic number='1'><title>{text}</title></topic></topics>")
    assert codes(result) == [("xml_bare_signs", 2)]
    assert result.records[0].title == title


def test_names_of_characters_stay_where_the_doctype_names_another_file():
    result = read('<!DOCTYPE t SYSTEM "t.dtd">\n<t><topic number="1"><title>caf&eacute; &my;</title></topic></t>')
    assert codes(result) == [("xml_bare_signs", 2)]
    assert result.records[0].title == "caf\u00e9 &my;"


def test_attributes_without_quotation_marks_are_read_with_a_warning_and_texts_stay_what_they_are():
    title = "<title><![CDATA[<a b=c>]]> x=y</title>"
    result = read(f"<topics>\n<topic number=007 kind='a=b c=d' of=\"e='f\">{title}<!-- <g h=i> --></topic></topics>")
    assert codes(result) == [("xml_unquoted", 2)]
    assert "<topic kind>" in notes(result)[0]
    assert "<topic of>" in notes(result)[0]
    assert [(record.number, record.title) for record in result.records] == [("007", "<a b=c> x=y")]


def test_bare_signs_are_mended_in_linear_time():
    for hostile in ("<![CDATA[", "&", "<", "& <![CDATA[ ", "&a", "<!--", "<t a=b ' ", "<t a=\"'", "<t a= "):
        start = time.thread_time()
        read("<topics>" + hostile * (200_000 // len(hostile)))
        assert time.thread_time() - start < 10, hostile


words = st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=12)
titles = st.lists(words, min_size=1, max_size=4).map(" ".join)


@given(st.lists(st.tuples(words, titles), min_size=1, max_size=5, unique_by=lambda topic: topic[0]))
def test_the_same_topics_are_read_from_every_format(topics):
    def escaped(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")

    files = [
        "\n".join(json.dumps({"number": number, "title": title}) for number, title in topics),
        "\n".join(f"<top>\n<num> Number: {escaped(n)}\n<title> Topic: {escaped(t)}\n</top>" for n, t in topics),
        "<t>"
        + "".join(f'<topic number="{escaped(n)}"><query>{escaped(t)}</query></topic>' for n, t in topics)
        + "</t>",
    ]
    for text in files:
        result = read(text)
        assert codes(result) == []
        assert [(topic.number, topic.title) for topic in result.records] == topics


TRAPS = [
    "Topic: moss & <b>",
    "a<top>",
    "&amp; AT&T",
    "]]>",
    "<!-- x",
    "1 < 2 > 0",
    "title\u2028",
    "</top>",
    "<",
    "&#60;",
]
parts = st.one_of(st.just(""), titles, st.sampled_from(TRAPS)).map(one_line)
topic_records = st.builds(
    TopicRecord,
    words.filter(lambda number: not number.startswith("#")),  # of a comment
    st.one_of(titles, st.sampled_from(TRAPS)).map(one_line),
    st.lists(parts.filter(bool), max_size=3).map("\n\n".join),
    st.lists(parts.filter(bool), max_size=4).map("\n".join).map(paragraphs),
    st.lists(
        st.builds(SubtopicRecord, words, parts.filter(bool)), max_size=2, unique_by=lambda entry: entry.number
    ).map(tuple),
    st.just(0),
)


@pytest.mark.parametrize("name", FILES)
@given(topics=st.lists(topic_records, min_size=1, max_size=3, unique_by=lambda topic: topic.number))
def test_a_topic_file_that_is_offered_is_read_back_as_the_same_topics(name, topics):
    file = FILES[name]
    result = read("".join(file.lines(topics)))
    expected = [replace(topic, line=0) for topic in topics]
    if file.loses:
        expected = [replace(one, description=one_line(one.description), subtopics=()) for one in expected]
        expected = [replace(one, narrative=one_line(one.narrative)) for one in expected]
    assert (result.format, [replace(topic, line=0) for topic in result.records]) == (name, expected)
    assert notes(result) == []


def test_no_text_of_a_table_of_topics_is_a_formula_and_each_is_read_back_as_it_was():
    texts = ("=1+1", "eggs;@SUM(A1)", "-5 degrees", "+41 44", "eggs, =1+1", 'milk,"=1+1"')
    topics = [TopicRecord(str(number), text, text, text, (), 0) for number, text in enumerate(texts)]
    table = "".join(FILES["tsv"].lines(topics))
    found = [cell for line in table.splitlines() for cell in re.split("[,;\t]", line)]
    assert len(found) > 30
    assert [cell for cell in found if cell.lstrip(' "').startswith(("=", "+", "-", "@"))] == []
    assert [(one.title, one.description) for one in read(table).records] == [(text, text) for text in texts]


def test_only_a_table_with_tabs_has_quotes_taken_off_behind_commas():
    for separator, title in ((",", "say,'-x'"), ("\t", "say,-x'")):
        cell = "\"say,'-x'\"" if separator == "," else "say,'-x'"
        head = separator.join(("number", "title", "description", "narrative"))
        (topic,) = read(head + "\n" + separator.join(("1", cell, "b", "c")) + "\n").records
        assert topic.title == title


EGGS, KNIFE = ("401", "eggs, boiled", 'the "soft" ones; 5 min'), ("402", "a knife", "sharp")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_topics_of_a_spreadsheet_are_the_same_in_every_country(separator, end):
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        for before in ("", f"sep={separator}{end}", "\ufeff"):
            out = io.StringIO()
            csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting).writerows(
                [("number", "title", "description"), EGGS, KNIFE]
            )
            result = read_topics(io.BytesIO((before + out.getvalue()).encode()))
            assert result.problems.ok, (separator, quoting, before, result.problems)
            assert [(one.number, one.title, one.description) for one in result.records] == [EGGS, KNIFE]


def test_a_text_of_several_lines_in_a_cell_is_one_text():
    for separator in ",;\t":
        rows = f'number{separator}title{separator}description\n1{separator}a{separator}"one\n\ntwo"\n2{separator}b{separator}c\n'
        records = read_topics(io.BytesIO(rows.encode())).records
        assert [(one.number, one.description) for one in records] == [("1", "one\n\ntwo"), ("2", "c")]


@pytest.mark.parametrize(
    ("content", "titles", "warned"),
    [
        ('1\t"exact phrase"\n2\twithout\n', ['"exact phrase"', "without"], []),
        ('1\t"what is x" about\n2\tb\n', ['"what is x" about', "b"], []),
        ('1\t"open\n2\tend"\n', ['"open', 'end"'], []),
        ('1\tsay "hi"\n2\t"a"b\n', ['say "hi"', '"a"b'], []),
        ('1\t"a, b"\n2\tc\n', ["a, b", "c"], ["quotes_taken_off"]),
        ('1\t"a"\n2\t"b"\n', ["a", "b"], ["quotes_taken_off"]),
    ],
)
def test_quotes_of_a_tab_separated_file_are_taken_off_with_a_warning_where_a_spreadsheet_put_them(
    content, titles, warned
):
    result = read_topics(io.BytesIO(content.encode()))
    assert [one.title for one in result.records] == titles
    assert [code for code, _ in codes(result)] == warned


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        (
            b"401,boiling an egg\n",
            1,
            "If commas separate the columns, write headings into the first line: number,title.",
        ),
        (
            b"401;boiling an egg\n",
            1,
            "If semicolons separate the columns, write headings into the first line: number;title.",
        ),
        (b"number;title\n1;a\n2,b\n", 3, "with a semicolon between them"),
        (b'number,title\n1,"a\n', 2, "Check the quotation marks."),
        (b"number;title\n1;caf\xe9\n", 2, "Save the file as UTF-8."),
    ],
)
def test_what_a_spreadsheet_wrote_and_cannot_be_read_is_told_with_its_cause(content, line, told):
    result = read_topics(io.BytesIO(content))
    problem = next(one for one in result.problems.shown if one.severity == "error")
    assert problem.line == line
    assert told in f"{problem.message} {problem.remedy}"


def test_of_a_topic_without_a_description_a_text_of_more_than_300_characters_is_the_description():
    story = "I woke at night and coughed. " * 12
    [short] = read(f"1\t{story[:300].strip()}\n").records
    assert (short.title, short.description) == (story[:300].strip(), "")
    result = read(f"1\t{story}\n")
    [long] = result.records
    assert (len(long.title) <= 302, long.title.endswith(" …"), long.description) == (True, True, story.strip())
    assert codes(result) == [("topic_title_shortened", 1)]
    assert "its title is longer than 300 characters: it is the description" in result.problems.shown[0].message
    [described] = read(f"1\t{story}\td\n").records
    assert (described.title, described.description) == (story.strip(), "d")


def test_the_lines_of_a_list_are_kept_in_a_story_that_becomes_the_description():
    story = "A man of 40 years coughs at night and cannot sleep.\n" * 7 + "\nMedicines:\n- tea\n- honey\n"
    [topic] = read(f'<topics><topic number="1">{story}</topic></topics>').records
    prose = " ".join(["A man of 40 years coughs at night and cannot sleep."] * 7)
    assert topic.description == f"{prose}\n\nMedicines:\n- tea\n- honey"


PIECES = ["- ", "* ", "1. ", "b) ", "  ", "\t", "word ", "note:", "\n", "\n\n", "long text " * 7, "x" * 130]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_paragraphs_keep_every_word_and_stay_as_they_are_when_they_are_read_again(text):
    once = paragraphs(text)
    assert one_line(once) == one_line(text)
    assert paragraphs(once) == once


def test_paragraphs_of_lists_are_read_in_linear_time():
    for hostile in ("- a\n" + "  b\n" * 100_000, "word \n" * 100_000, "- \n" * 100_000, "(" * 100_000, " " * 100_000):
        start = time.thread_time()
        paragraphs(hostile)
        assert time.thread_time() - start < 2, hostile[:10]


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("<cases><case id='1'><text>a</text></case><case id='2'><text>b</text></case></cases>", ["1", "2"]),
        ("<cases><case id='1'><text>a</text></case><case><text>b</text></case></cases>", []),
        ("<cases><case id='1'><text>a</text></case><claim id='2'><text>b</text></claim></cases>", []),
        ("<docs><doc><id>1</id><title>a</title></doc></docs>", []),
        ("<x><part id='1'><title>t</title><topic number='7'><title>a</title></topic></part></x>", ["7"]),
        ("<x><part id='1'><title>t</title><topic><number>7</number><title>a</title></topic></part></x>", ["7"]),
    ],
)
def test_elements_of_an_unknown_name_are_topics_where_each_has_a_number_and_a_text(text, topics):
    result = read(text)
    assert [topic.number for topic in result.records] == topics
    if topics == ["1", "2"]:
        assert notes(result)[-1] == "The topics were read like this: topic from <case>; title from <text>."
    if not topics:
        assert codes(result) == [("topics_none", None)]


def test_a_conversation_on_one_line_of_several_megabytes_is_read_and_the_limit_of_a_line_is_named():
    turns = [
        {"turn_id": number, "utterance": f"question {number}", "response": "word " * 200} for number in range(3000)
    ]
    line = json.dumps([{"number": "1", "turns": turns}])
    assert len(line) > 3 << 20
    assert len(read(line).records) == 3000
    packed = gzip.compress(b"1\t" + b"ab c" * (5 << 20), mtime=0)
    problem = read_topics(io.BytesIO(packed), replace(TOPIC_LIMITS, max_ratio=5000)).problems.shown[0]
    assert (problem.code, problem.message) == ("line_too_long", "The line is longer than 8 MB.")


@pytest.mark.parametrize(
    ("text", "numbers", "comments"),
    [
        ("# of 2026\n1\ta\n# late\n2\tb\n", ["1", "2"], [1]),
        ("#qid\tquery\n1\ta\n", ["1"], []),
        ("# a, b\n#number,title\n1,a\n", ["1"], [1]),
        ('number,title,description\n1,a,"one\n# two"\n# late\n', ["1"], [4]),
        ("1:a\n# late\n2:b\n", ["1", "2"], [2]),
        ("#1\ta\n#2\tb\n", ["#1", "#2"], []),
        ("# of 2026\n<top><num>1<title>a</top>", ["1"], [1]),
        ('# of 2026\n{"id": 1, "title": "# a"}', ["1"], [1]),
    ],
)
def test_lines_that_begin_with_a_number_sign_are_left_out_with_a_warning(text, numbers, comments):
    result = read(text)
    assert [topic.number for topic in result.records] == numbers
    assert [line for code, line in codes(result) if code == "comment"] == comments
    assert result.problems.ok


@pytest.mark.parametrize(
    ("value", "numbers", "left_out"),
    [
        ({"version": 1, "data": [{"id": 1, "query": "a"}]}, ["1"], "“version”"),
        ({"title": "Topics", "queries": [{"id": 1, "query": "a"}]}, ["1"], "“title”"),
        ({"made": {"by": "us"}, "x": [{"id": 1, "query": "a"}]}, ["1"], "“made”"),
        ({"title": "a", "notes": [{"id": 1, "query": "b"}]}, [], "“notes”"),
        ({"id": "trec-2026", "topics": [{"id": n, "title": f"a {n}"} for n in (1, 2, 3)]}, ["1", "2", "3"], "“id”"),
        ({"id": "x", "title": "All", "topics": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]}, ["1", "2"], "“id”"),
        ({"id": "x", "queries": [{"id": 1, "query": "a"}, {"id": 2, "query": "b"}]}, ["1", "2"], "“id”"),
        ({"id": "x", "conversations": [{"id": 1, "turns": [{"utterance": "a"}]}]}, ["1_1"], "“id”"),
        (
            {"id": "x", "topics": [{"id": 1, "lang": "en", "title": "a"}, {"id": 2, "lang": "en", "title": "b"}]},
            ["1", "2"],
            "“id”",
        ),
        ({"id": 1, "title": "a", "queries": [{"id": 7, "query": "b"}]}, ["1"], "“queries”"),
        ({"id": 1, "disease": "a", "notes": [{"id": 7, "text": "b"}], "title": "c"}, ["1"], "“notes”"),
    ],
)
def test_the_keys_beside_a_list_of_topics_in_json_are_named(value, numbers, left_out):
    result = read(json.dumps(value))
    assert [topic.number for topic in result.records] == numbers
    assert any(note.startswith("Left out") and left_out in note for note in notes(result))


def test_two_lists_of_topics_in_one_object_are_refused_and_named():
    topics = [[{"id": n, "title": "a"}, {"id": n + 1, "title": "b"}] for n in (1, 3)]
    for beside in ({}, {"id": "x"}):
        result = read(json.dumps({**beside, "topics": topics[0], "queries": topics[1]}))
        [problem] = result.problems.shown
        assert (problem.code, problem.line, problem.severity, result.records) == ("json_lists", 1, "error", ())
        assert problem.message == "The object holds 2 lists that may be topics: “topics”, “queries”."
        assert problem.remedy == "Send the list of topics alone."


def test_topics_in_a_list_that_name_no_language_are_not_one_topic():
    result = read(json.dumps({"id": "x", "topics": [{"title": "a"}, {"title": "b"}]}))
    assert codes(result)[:1] == [("topic_number_missing", 1)]
    assert result.problems.by_code["topic_number_missing"] == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 FT911-3\n2 FT911-4\n", "each line is a number and one word"),
        ("1 D1 2\n1 D2 -1\n", "each line ends with a number"),
        ("1 D1 L2\n1 D2 L0\n", "each line ends with a number"),
        ("# made by hand\n1 q0 d1 1 9.5 tag\n", "Q0 stands in the second column"),
        ("1 Q0 d1 1 9.5 tag\n2 moss on stones\n", "Q0 stands in the second column"),
        ("1 Q0 d1 2\n", "Q0 stands in the second column"),
        (
            "1 x d1 1 9.5 tag\n1 x d2 2 9e-1 tag\n",
            "all lines have the same number of columns, and one of these holds numbers only",
        ),
        (
            "1 D1 2 1 NA\n1 D2 0 1 .5\n",
            "all lines have the same number of columns, and one of these holds numbers only",
        ),
    ],
)
def test_a_run_qrels_or_a_pool_is_refused_as_topics_with_the_cause_and_the_remedy(text, why):
    result = read(text)
    [problem] = [one for one in result.problems.shown if one.severity == "error"]
    assert result.records == ()
    assert (problem.code, problem.line) == ("unknown_format", 1 + text.startswith("#"))
    assert problem.message == f"This looks like a run, qrels or a pool and not like topics: {why}."
    assert problem.remedy.endswith("If these are topics, write a tab between the number and the title on each line.")


def test_a_pool_with_tabs_is_refused_as_topics_and_where_each_topic_comes_once_a_warning_asks():
    result = read("1\tFT911-3\n1\tFT911-4\n2\tFT911-3\n")
    assert (result.records, [one.code for one in result.problems.shown]) == ((), ["unknown_format"])
    assert result.problems.shown[0].remedy == KINDS["pool"].where
    result = read("1\tFT911-3\n2\tFT911-4\n")
    assert len(result.records) == 2
    [warning] = result.problems.shown
    assert (warning.code, warning.severity) == ("titles_are_words", "warning")
    for titles in ("1\tbread\n1\tmoss\n", "1\tcovid-19\n2\tmoss on stones\n", "1\t4K\n"):
        assert not {"unknown_format", "titles_are_words"} & {one.code for one in read(titles).problems.shown}


def test_lines_of_a_number_a_blank_and_words_are_topics_and_a_note_says_so():
    result = read("9001 Find shots of a boat\n9002 bread\n9003 a room of 1990\n")
    assert [(one.number, one.title) for one in result.records] == [
        ("9001", "Find shots of a boat"),
        ("9002", "bread"),
        ("9003", "a room of 1990"),
    ]
    [note] = result.problems.shown
    assert (note.code, note.severity) == ("topic_lines", "warning")
    assert note.message == "Each line was read as a topic number, a blank and the title."


def test_queries_that_begin_with_a_word_and_a_figure_are_no_topics_of_that_name():
    result = read("covid19 vaccines, for children\nmp3 players of the nineties\n")
    assert result.records == ()
    [problem] = result.problems.shown
    assert problem.code == "unknown_format"
    assert "The letters before the numbers differ from line to line" in problem.message
    assert "write a tab behind it" in problem.remedy
    again = read("covid19\tvaccines, for children\nmp3\tplayers of the nineties\n")
    assert [one.number for one in again.records] == ["covid19", "mp3"]
    assert (
        read("q1 Q0 d1 1 0.5 kites\nr2 Q0 d1 1 0.5 kites\n")
        .problems.shown[0]
        .message.startswith("This looks like a run")
    )


@pytest.mark.parametrize(
    ("first", "second", "between"),
    [("athome100", "athome101", " "), ("Q1", "q2", " "), ("A1", "B1", ":"), ("CS1", "IR2", ":"), ("Q1", "q2", ":")],
)
def test_lines_that_begin_with_letters_and_a_number_are_topics(first: str, second: str, between: str):
    assert [one.number for one in read(f"{first}{between}kites fly\n{second}{between}ponds fill\n").records] == [
        first,
        second,
    ]


SET_UP = {"slug": "velo", "title": "Velo", "tasks": [{"slug": "everyday", "title": "Everyday"}]}


@pytest.mark.parametrize(
    "text",
    [
        toml_text(SET_UP),
        "[[tasks]]\nslug = 'velo'\n",
        "slug: velo\ntitle: Velo\ntasks:\n  - slug: everyday\n",
        json.dumps(SET_UP),
        json.dumps(SET_UP, indent=2),
    ],
    ids=["TOML", "TOML that begins with a table", "YAML", "JSON", "JSON over several lines"],
)
def test_the_set_up_of_a_campaign_sent_as_topics_is_called_what_it_is(text):
    read = read_topics(io.BytesIO(text.encode()))
    assert [(problem.line, problem.message) for problem in read.problems.shown] == [
        (1, "This is the set-up of a campaign and not a file of topics.")
    ]
    assert "Create from a file" in read.problems.shown[0].remedy


@pytest.mark.parametrize(
    "text", ['{"7": "mill ponds", "q-8": "kites"}', '{"queries": {"7": "mill ponds", "q-8": "kites"}}']
)
def test_texts_by_their_numbers_in_json_are_topics(text: str):
    result = read_topics(io.BytesIO(text.encode()))
    assert [(topic.number, topic.title) for topic in result.records] == [("7", "mill ponds"), ("q-8", "kites")]
    assert result.problems.by_code == {"topic_texts": 1}
    assert result.problems.ok


@pytest.mark.parametrize(
    "text",
    ['{"queries": {"q1": "mill ponds"}}', '{"topics": {"7": "mill ponds"}}', '{"queries": {"query1": "mill ponds"}}'],
)
def test_a_single_text_by_its_number_below_the_name_of_a_list_is_a_topic(text: str):
    result = read_topics(io.BytesIO(text.encode()))
    assert [topic.title for topic in result.records] == ["mill ponds"]
    assert result.problems.by_code == {"topic_texts": 1}


@pytest.mark.parametrize(
    "text",
    [
        '{"wording": "mill ponds", "more": "kites"}',
        '{"query1": "mill ponds", "answer1": "in the north"}\n{"query1": "kites", "answer1": "no"}\n',
        '{"query1": "mill ponds", "answer1": "in the north"}',
        '{"title_2024": "mill ponds", "desc_2024": "Where are they?"}',
        '{"2024_title": "mill ponds", "2024_Narr": "Where are they?"}',
        '{"topics": {"title_2024": "mill ponds", "desc_2024": "Where are they?"}}',
        '{"question 1": "mill ponds", "text-2": "kites", "seen3": "no"}',
        '{"q1": "mill ponds", "q2": "kites"}\n{"q1": "weirs", "q2": "locks"}\n',
    ],
)
def test_texts_under_names_in_json_are_no_topics(text: str):
    result = read_topics(io.BytesIO(text.encode()))
    assert (list(result.records), result.problems.ok) == ([], False)
    assert "topic_texts" not in result.problems.by_code


def test_an_article_and_its_sections_are_a_number_and_a_title_without_what_no_text_may_hold():
    read = read_topics(io.BytesIO(b"enwiki:Mill/Dams%00%0A%20low\ntqa:%E6%B0%B4/%20/%FF\n"))
    assert [(record.number, record.title) for record in read.records] == [
        ("enwiki:Mill/Dams%00%0A%20low", "Mill, Dams low"),
        ("tqa:%E6%B0%B4/%20/%FF", "\u6c34, %FF"),
    ]
    assert [(problem.code, problem.severity) for problem in read.problems.shown] == [("topic_outline", "warning")]


@pytest.mark.parametrize("text", [b"http://a/b\n", b"mailto:a/b\n", b"a:b\n", b"401/a:b\n", b"enwiki:a b/c\n"])
def test_other_lines_with_a_slash_are_no_outlines(text: bytes):
    assert "topic_outline" not in read_topics(io.BytesIO(text)).problems.by_code


def test_text_outside_of_the_topics_is_told_and_left_out():
    kites, tea = "<top>\n<num> 1\n<title> kites\n</top>\n", "<top>\n<num> 2\n<title> tea\n</top>\n"
    read = read_topics(io.BytesIO(f"Topics of the ad hoc task\nfor everybody\n\n{kites}lost\n{tea}".encode()))
    assert [record.title for record in read.records] == ["kites", "tea"]
    [outside] = read.problems.shown
    assert (outside.code, outside.severity, outside.line, outside.count) == ("outside_topic", "warning", 1, 2)


@pytest.mark.parametrize("topics", ['<topic number="1"><title>kites</title></topic>', '{"id": "1", "title": "kites"}'])
def test_text_before_xml_or_json_is_named_with_the_line_behind_it_and_can_be_a_comment(topics):
    refused = read_topics(io.BytesIO(f"Topics, of 2001\n\n{topics}\n".encode())).problems
    assert [problem.code for problem in refused.shown] == ["unknown_format"]
    assert "text before line 3" in refused.shown[0].message
    assert "write # before each of them" in refused.shown[0].remedy
    read = read_topics(io.BytesIO(f"# Topics, of 2001\n\n{topics}\n".encode()))
    assert [record.title for record in read.records] == ["kites"]


def test_a_tag_over_two_lines_begins_a_topic():
    read = read_topics(io.BytesIO(b'<top\n lang="en">\n<num> 1\n<title> kites\n</top>\n'))
    assert (read.format, [record.title for record in read.records]) == ("trec", ["kites"])


def test_brackets_in_comments_and_values_of_a_doctype_do_not_end_it():
    subset = (
        "<!-- see [1] -> elements ] > don't -->\n<!ELEMENT top ANY>\n<!ATTLIST top number CDATA ']>'>\n<?note ]> ?>"
    )
    topics = '<topic number="1"><title>a</title></topic>\n<topic number="2"><title>b</title></topic>\n'
    text = f"<!DOCTYPE topics [\n{subset}\n]>\n{topics}"
    read = read_topics(io.BytesIO(text.encode()))
    assert [record.title for record in read.records] == ["a", "b"], read.problems.shown
    began = time.process_time()
    read_topics(io.BytesIO(("<!DOCTYPE topics [" + "<!-- ' \" <? " * 100_000).encode()))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "number|title\n1|kites in wind\n2|tea, and bread\n",
        "| number | title |\n|:---|---:|\n| 1 | kites in wind |\n| 2 | tea, and bread |\n",
        " number |     title\n--------+---------------\n 1      | kites in wind\n 2      | tea, and bread\n",
    ],
)
def test_vertical_bars_separate_columns_below_headings(text):
    read = read_topics(io.BytesIO(text.encode()))
    assert [(one.number, one.title) for one in read.records] == [("1", "kites in wind"), ("2", "tea, and bread")]


def test_vertical_bars_without_headings_are_named_and_within_other_columns_they_are_text():
    refused = read_topics(io.BytesIO(b"1|kites\n2|tea\n")).problems
    assert "If vertical bars separate the columns" in refused.shown[0].remedy
    assert [one.title for one in read_topics(io.BytesIO(b"1\ta|b|c\n2\td|e|f\n")).records] == ["a|b|c", "d|e|f"]


def test_blanks_behind_a_tag_take_no_square_of_their_length():
    began = time.process_time()
    read_topics(io.BytesIO(b"Some prose first\n<top" + b" " * 100_000 + b"x"))
    assert time.process_time() - began < 2
