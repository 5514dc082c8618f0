"""Names of the parts of topics: how they are spelt, which the sender chooses, and where parts without a place go."""

import io
import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.problems import Problem
from campaign.formats.topics.dialects import NAMES, TopicChoices, plain_name
from campaign.formats.topics.read import TopicsRead, read_topics

RUMORS = "\n".join(
    json.dumps({"rumor_id": f"R{n}", "tweet_id": 90 + n, "rumor": f"roofs of kind {n}", "year": 2020 + n})
    for n in (1, 2)
)
CASES = (
    '<topics><topic id="a"><code>C1</code><profile>A man of 40.\nHe coughs.</profile><title>cough</title>'
    "<narr>Any.</narr><summary>Short.</summary></topic></topics>"
)
CASES_SGML = (
    "<top>\n<num>1</num>\n<code>C1</code>\n<profile>A man of 40.\nHe coughs.</profile>\n<title>cough\n<narr>Any.\n"
    "<summary>Short.\n</top>"
)


def read(text: str, number: str = "", title: str = "", *, appends: bool = False) -> TopicsRead:
    return read_topics(io.BytesIO(text.encode()), choices=TopicChoices(number, title, appends))


def error(result: TopicsRead) -> Problem:
    [problem] = [one for one in result.problems.shown if one.severity == "error"]
    assert result.records == ()
    return problem


def note(result: TopicsRead, code: str) -> Problem:
    return next(one for one in result.problems.shown if one.code == code)


@pytest.mark.parametrize(
    "headings", ["QueryID,QueryText", "query-id,query text", "Query ID,Query-Text", "QUERY_ID,QUERY_TEXT"]
)
def test_headings_are_known_however_they_are_spelt(headings: str):
    for separator in ",;\t":
        [topic] = read(headings.replace(",", separator) + f"\n7{separator}old boats\n").records
        assert (topic.number, topic.title) == ("7", "old boats")


@pytest.mark.parametrize(
    "text",
    [
        '{"QueryID": 7, "QueryText": "old boats", "TopicNarrative": "Any."}',
        "<t><query queryId='7'><QueryText>old boats</QueryText><topic-narrative>Any.</topic-narrative></query></t>",
        "<top>\n<QueryID>7\n<QueryText>old boats\n<topic-narrative>Any.\n</top>",
        '{"topicId": 7, "turns": [{"turn_id": 1, "rawUtterance": "old boats", "narrative": "Any."}]}',
    ],
)
def test_names_of_keys_and_elements_are_known_however_they_are_spelt(text: str):
    [topic] = read(text).records
    assert (topic.number.partition("_")[0], topic.title, topic.narrative) == ("7", "old boats", "Any.")


@given(st.sampled_from(sorted(NAMES)), st.data())
def test_the_spelling_of_a_known_name_does_not_matter(name: str, data: st.DataObject):
    spelt = "".join(
        data.draw(st.sampled_from(["", "_", "-", " "]))
        if sign == "_"
        else data.draw(st.sampled_from([sign, sign.upper()]))
        for sign in name
    )
    assert plain_name(spelt) == name or {plain_name(spelt), name} == {"id", "_id"}


def test_the_number_of_a_claim_stands_before_that_of_the_post_that_makes_it():
    for first, second in (("rumor_id", "rumor"), ("claim_id", "claim"), ("iclaim_id", "iclaim_content")):
        [topic] = read(json.dumps({"tweet_id": 90, "id": 5, first: "R1", second: "old boats"})).records
        assert (topic.number, topic.title) == ("R1", "old boats")


@pytest.mark.parametrize(
    ("text", "lacks", "headings"),
    [
        ("QueryNr,Words\n1,boats\n", "number or as title", "QueryNr, Words"),
        ("QueryNr\tWords\n1\tboats\n", "number or as title", "QueryNr, Words"),
        ("sep=;\nQueryNr;Words\n1;boats\n", "number or as title", "QueryNr, Words"),
        ("qid\tWords\nA\tboats\n", "title", "qid, Words"),
        ("QueryNr\ttitle\n1\tboats\n", "number", "QueryNr, title"),
    ],
)
def test_headings_of_which_none_is_known_are_named_with_those_that_are(text: str, lacks: str, headings: str):
    problem = error(read(text))
    assert problem.message == f"The first line looks like headings, of which none is known as {lacks}: {headings}."
    assert all(
        known in problem.remedy for known in (["query_id", "--number-from"] if "number" in lacks else ["query_text"])
    )


def test_headings_may_have_a_column_between_number_and_title():
    [topic] = read("qid\tlanguage\tquery\n1\ten\tboats\n").records
    assert (topic.number, topic.title) == ("1", "boats")


@pytest.mark.parametrize("text", ["A\tboats\nB\tbread\n", "1\tboats\n2\tbread\n", "T1\t1984\n", "a b\n"])
def test_lines_without_headings_are_not_taken_for_them(text: str):
    assert "looks like headings" not in str(read(text).problems)


def files_of(key: str) -> dict[str, str]:
    return {
        "JSON": json.dumps({"id": 1, key: "N7", "title": "t", "words": "old boats"}),
        "XML": f"<t><topic id='1'><{key}>N7</{key}><title>t</title><words>old boats</words></topic></t>",
        "attributes": f"<t><topic id='1' {key}='N7' words='old boats'><title>t</title></topic></t>",
        "unusual elements": f"<t><case {key}='N7'><words>old boats</words></case></t>",
        "SGML": f"<top>\n<num>1</num>\n<{key}>N7</{key}>\n<title>t</title>\n<words>old boats\n</top>",
        "tabs": f"id\t{key}\ttitle\twords\n1\tN7\tt\told boats\n",
        "commas": f"{key},lang,words\nN7,en,old boats\n",
        "a comment": f"#{key}\twords\nN7\told boats\n",
    }


@pytest.mark.parametrize("name", files_of(""))
def test_number_and_title_are_read_from_the_parts_that_the_sender_names(name: str):
    result = read(files_of("case-no")[name], "Case No", "WORDS")
    assert result.problems.ok, result.problems
    [topic] = result.records
    assert (topic.number, topic.title) == ("N7", "old boats")


@pytest.mark.parametrize("name", [name for name in files_of("") if name != "unusual elements"])
def test_a_part_that_no_topic_has_is_an_error_with_those_that_are_there(name: str):
    problem = error(read(files_of("case-no")[name], "caseid", "words"))
    assert problem.code == "topic_part_unknown"
    assert "caseid" in problem.message
    assert "from which you want to read the number" in problem.message
    assert "case-no" in problem.remedy
    assert "words" in problem.remedy


def test_one_part_may_be_both_number_and_title():
    assert [(one.number, one.title) for one in read(RUMORS, "rumor_id", "rumor_id").records] == [
        ("R1", "R1"),
        ("R2", "R2"),
    ]


def test_a_topic_that_lacks_the_chosen_title_is_an_error_of_its_line():
    result = read('{"id": 1, "words": "a"}\n{"id": 2, "title": "b"}', "", "words")
    [problem] = [one for one in result.problems.shown if one.severity == "error"]
    assert (problem.code, problem.line) == ("topic_title_missing", 2)
    assert "--title-from by command, title_from by program" in problem.remedy


def test_turns_are_numbered_by_the_key_of_their_conversation_that_is_chosen():
    conversation = {"number": 4, "case": "K1", "turns": [{"turn_id": 2, "label": "x7", "utterance": "boats"}]}
    assert [one.number for one in read(json.dumps(conversation), "case").records] == ["K1_2"]
    assert [one.number for one in read(json.dumps(conversation), "label").records] == ["x7"]
    assert [one.number for one in read(json.dumps(conversation), "turn_id").records] == ["2"]


def test_parts_without_a_place_are_appended_to_the_narrative_in_the_order_of_the_file():
    for text in (CASES, CASES_SGML):
        result = read(text, appends=True)
        [topic] = result.records
        assert topic.narrative == "Any.\n\ncode: C1\n\nprofile: A man of 40. He coughs.\n\nsummary: Short."
        assert "<code> (1), <profile> (1)" in note(result, "topic_parts_appended").message
        assert "topic_parts_left_out" not in result.problems.by_code


def test_parts_without_a_place_are_left_out_unless_the_sender_wants_them_and_the_note_says_how():
    [topic] = read(CASES).records
    assert topic.narrative == "Any."
    remedy = note(read(CASES), "topic_parts_left_out").remedy
    assert "“Other parts”" in remedy
    assert "--other-parts narrative by command, other_parts=narrative by program" in remedy


def test_values_of_json_without_a_place_are_appended_whatever_they_are():
    values = {"year": 2020, "tags": ["a", "b"], "box": {"x": [1, None]}, "ratio": 0.5, "none": None, "empty": []}
    [topic] = read(json.dumps({"id": 1, "title": "boats", **values}), appends=True).records
    assert topic.narrative == 'year: 2020\n\ntags: a; b\n\nbox: {"x": [1, null]}\n\nratio: 0.5'
    broken = read('{"id": 1, "title": "boats", "box": ["\\ud800", {}]}\n{"id": 2, "title": "b", "x": 1}', appends=True)
    assert [(one.code, one.line) for one in broken.problems.shown if one.severity == "error"] == [("json_field", 1)]
    assert broken.records[0].narrative == "x: 1"
    [topic] = read('{"id": 1, "title": "boats", "a\\ud800\\u0000": "b"}', appends=True).records
    assert topic.narrative == "a\\ud800\\x00: b"


def test_what_subtopics_and_attributes_hold_is_appended_with_the_number_of_the_subtopic():
    for text in (
        "<t><topic id='1' kind='wide'><title>a</title><subtopic number='2' type='inf'>s</subtopic></topic></t>",
        "<top kind='wide'>\n<num>1\n<title>a\n<subtopic number='2' type='inf'>s\n</top>",
    ):
        [topic] = read(text, appends=True).records
        assert topic.narrative.split("\n\n")[1:] == ["subtopic 2 type: inf"]
    line = {"id": 1, "title": "a", "subtopics": [{"id": 2, "text": "s", "type": "inf"}]}
    [topic] = read(json.dumps(line), appends=True).records
    assert topic.narrative == "subtopic 2 type: inf"


def test_what_belongs_to_no_topic_alone_is_not_appended_and_is_named():
    result = read(
        json.dumps({"version": 3, "topics": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]}), appends=True
    )
    assert [one.narrative for one in result.records] == ["", ""]
    left_out = note(result, "topic_parts_left_out")
    assert ("“version”" in left_out.message, left_out.remedy) == (True, "It does not belong to one topic alone.")


def test_a_narrative_that_becomes_too_long_is_an_error_of_its_topic():
    lines = [{"id": 1, "title": "a", "more": "word " * 5000}, {"id": 2, "title": "b", "more": "c"}]
    result = read("\n".join(map(json.dumps, lines)), appends=True)
    [problem] = [one for one in result.problems.shown if one.severity == "error"]
    assert (problem.line, [one.number for one in result.records]) == (1, ["2"])
    assert problem.message == "The narrative of topic 1 has 25,005 characters, the maximum is 20,000."


@given(st.lists(st.tuples(st.sampled_from(["profile", "lang", "x y"]), st.text(max_size=20)), max_size=4))
def test_appended_parts_stay_as_they_are_when_the_topics_are_sent_out_and_in_again(parts: list[tuple[str, str]]):
    first = read(json.dumps({"id": 1, "title": "a", **dict(parts)}), appends=True)
    for topic in first.records:
        again = read(json.dumps({"id": 1, "title": "a", "narrative": topic.narrative}))
        assert [one.narrative for one in again.records] == [topic.narrative]


def test_a_title_of_several_parts_has_no_blanks_around_them():
    [topic] = read(
        "<top>\n<num> 1 </num>\n<docid> 9a1b\n</docid>\n<url> https://example.org/a \n</url>\n</top>"
    ).records
    assert topic.title == "docid: 9a1b; url: https://example.org/a"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 0 D1 1\n1 0 D2 0\n", "qrels"),
        ("1 0 D1 1\n2 0 D2 0\n", "qrels"),
        ("R1 0 -1 1\nR2 0 D2 1\n", "qrels"),
        ("1 D1 L2\n2 D2 L0\n", "qrels"),
        ("qid iteration docno grade\n1 0 D1 1\n", "qrels"),
        ("1 D1 2 1 NA\n2 D2 0 1 .5\n", "qrels"),
        ("1 Q0 D1 1 2.5 bm25\n2 Q0 D1 1 -2e3 bm25\n", "a run"),
        ("1 x D1 1 2.5 bm25\n", "a run"),
        ("# by hand\nqid Q0 docno rank score tag\n1 Q0 D1 1 2.5 bm25\n", "a run"),
    ],
)
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_a_table_of_qrels_or_of_a_run_is_no_table_of_topics(text: str, kind: str, separator: str):
    lines = [line if line.startswith("#") else line.replace(" ", separator) for line in text.splitlines(keepends=True)]
    problem = error(read("".join(lines)))
    assert problem.message.startswith(f"This looks like {kind} and not like topics: ")
    assert ("import_qrels by command" if kind == "qrels" else "submit_run by command") in problem.remedy


def test_qrels_and_runs_with_blanks_are_named_as_such():
    assert error(read("1 0 D1 1\n1 0 D2 0\n")).message.startswith("This looks like qrels")
    assert "import_qrels by command" in error(read("1 D1 1\n1 D2 0\n")).remedy
    assert "submit_run by command" in error(read("1 Q0 D1 1 2.5 bm25\n")).remedy


@pytest.mark.parametrize(
    "text",
    [
        "1\t1984\ta novel\tof Orwell\n",
        "1\t1984\tWhat is it?\n2\tboats\tWhich are old?\n",
        "1\tboats\tof\t\n2\tbread\tas\t5 loaves\n",
        "1\tboats\n2\t1984\n",
        "A\tboats\told\nB\tbread\t5\n",
    ],
)
def test_topics_of_several_columns_stay_topics_where_a_title_is_a_number(text: str):
    result = read(text)
    assert result.problems.ok
    assert len(result.records) == text.count("\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("R_001\nR_002\n", "these are topic numbers without titles"),
        ("topic_id\nR_001\nR_002\n", "these are topic numbers without titles"),
        ("401\n402\n", "these are topic numbers without titles"),
        ("R1\t\nR2\t\n", "None of the 2 topics has a title: there are numbers alone."),
        ("number,title\nR1,\nR2,\n", "None of the 2 topics has a title: there are numbers alone."),
        ('{"id": 1}\n{"id": 2}\n', "None of the 2 topics has a title: there are numbers alone."),
        ("<t><topic id='1'/><topic id='2'/></t>", "None of the 2 topics has a title: there are numbers alone."),
    ],
)
def test_numbers_alone_are_named_as_numbers_without_titles(text: str, told: str):
    problem = error(read(text))
    assert told in problem.message
    assert "itle" in problem.remedy


def test_words_alone_are_not_taken_for_numbers():
    assert "numbers" not in error(read("boats\nbread\n")).message


WORDS = [
    "#",
    "\t",
    ",",
    ";",
    " ",
    "\n",
    "1",
    "a",
    "Q0",
    '"',
    "<top>",
    "<num>",
    "<t>",
    "{",
    "qid",
    "query",
    "sep=;",
    "docno",
    "0.5",
]


@given(st.lists(st.sampled_from(WORDS), max_size=14).map("".join), st.sampled_from(["", "qid", "a"]), st.booleans())
def test_no_lines_whatsoever_make_the_reader_of_topics_raise(text: str, chosen: str, appends: bool):
    result = read(text, chosen, chosen, appends=appends)
    assert all(topic.number and topic.title for topic in result.records)
    assert result.records or result.problems.total


def test_hostile_columns_are_read_in_linear_time():
    for hostile in ("1" * 200_000 + "x", "a-" * 100_000, "a b " * 50_000, "1." * 100_000, "_" * 200_000):
        for separator in "\t,":
            start = time.thread_time()
            read(f"1{separator}0{separator}D1{separator}{hostile}\n{hostile}{separator}b\n", hostile[:50])
            read(json.dumps({"id": 1, "title": "a", hostile: hostile}), appends=True)
            assert time.thread_time() - start < 5, hostile[:9]


@pytest.mark.parametrize(
    "text",
    [
        "1\tOrwell\t1984\n2\tKubrick\t2001\n",
        "1\tboats\t5\n",
        "1\tC++\tlanguage\t1985\n2\tRust\tlanguage\t2015\n",
        "001\t東京\t2020\n002\t大阪\t1970\n",
    ],
)
def test_a_table_whose_last_column_is_a_number_holds_topics_where_no_field_could_be_a_docno(text: str) -> None:
    result = read(text)
    assert result.problems.ok
    assert len(result.records) == text.count("\n")


def test_lines_of_words_that_end_with_a_year_are_no_qrels_and_what_looks_like_qrels_may_be_topics_with_headings() -> (
    None
):
    for text in ("olympic games 2012\nworld cup 2014\n", "who won in 2012\nwho lost in 2014\n", "1,covid,2021\n"):
        assert "qrels" not in error(read(text)).message
    assert "If these are topics, write headings above them: number, title." in error(read("1\t0\tD1\t1\n")).remedy


def test_a_key_of_a_subtopic_that_is_not_read_may_hold_anything() -> None:
    text = '{"id": 1, "title": "t", "subtopics": [{"number": 1, "text": "x", "context": {"a": 1}, "note": 1.5}]}'
    result = read(text)
    assert result.problems.ok
    assert [one.code for one in result.problems.shown] == ["topic_parts_left_out"]
    assert 'context: {"a": 1}' in read(text, appends=True).records[0].narrative


def test_a_line_of_very_many_columns_names_none() -> None:
    result = read(",".join(["query_id", *["title"] * 1000]) + "\n1" + ",a" * 1000 + "\n")
    assert [problem.code for problem in result.problems.shown] == ["unknown_format"]


def test_a_file_of_one_comment_is_in_no_format() -> None:
    result = read("#\n")
    assert [problem.code for problem in result.problems.shown] == ["unknown_format"]


def test_attributes_of_parts_without_a_place_are_appended_with_them():
    text = '<t><topic number="1"><query>x</query><evidence lang="en">E <b id="3">z</b></evidence></topic></t>'
    [topic] = read(text, appends=True).records
    assert topic.narrative == "evidence lang: en\n\nb id: 3\n\nevidence: E\n\nz"
    [topic] = read(
        '<t><topic number="1"><query>x</query><field name="age" unit="y">7</field></topic></t>', appends=True
    ).records
    assert topic.narrative == "field unit: y\n\nage: 7"


@pytest.mark.parametrize(
    "text",
    ['<t><topic number="1" queryId="q7"><query>x</query></topic></t>', '<top num="1" queryId="q7">\n<title>x\n</top>'],
)
def test_a_second_number_of_a_topic_is_named_as_left_out_unless_it_says_the_same(text: str):
    [topic] = read(text).records
    assert topic.number == "1"
    assert "queryid" in note(read(text), "topic_parts_left_out").message.lower()
    assert "topic_parts_left_out" not in read(text.replace("q7", "1")).problems.by_code


@pytest.mark.parametrize(
    "text",
    [
        (
            '<top id="1">\n<claim_id>7</claim_id>\n<title>old boats</title>\n</top>\n'
            '<top id="2">\n<claim_id>7</claim_id>\n<title>old boats</title>\n</top>\n'
        ),
        (
            '<top id="1">\n<num>7</num>\n<title>old boats</title>\n</top>\n'
            '<top id="2">\n<num>7</num>\n<title>old boats</title>\n</top>\n'
        ),
        (
            '<topics><topic id="7"><num>1</num><title>old boats</title></topic>'
            '<topic id="7"><num>2</num><title>old boats</title></topic></topics>'
        ),
        "number,id,title\n7,1,old boats\n7,2,old boats\n",
        '{"number": 7, "id": 1, "title": "old boats"}\n{"number": 7, "id": 2, "title": "old boats"}\n',
    ],
    ids=["claims of SGML", "SGML", "XML", "CSV", "JSON"],
)
def test_topics_of_one_number_and_the_same_texts_that_differ_in_another_number_do_not_become_one(text):
    problem = note(read(text), "topic_number_duplicate")
    assert problem.severity == "error"
    assert problem.message.startswith("Topic 7 was already given on line ")
    assert "Number from" in problem.remedy


def test_topics_whose_number_the_sender_has_named_count_once_whatever_other_numbers_they_have():
    text = "number,id,title\n7,1,old boats\n7,2,old boats\n"
    assert [topic.number for topic in read(text, "number").records] == ["7"]


def test_two_posts_about_one_claim_do_not_become_one_topic():
    posts = [{"claim_id": 7, "id": number, "claim": "old boats"} for number in (1, 2)]
    problem = note(read(json.dumps(posts)), "topic_number_duplicate")
    assert problem.severity == "error"
    assert "Number from" in problem.remedy
    assert [topic.number for topic in read(json.dumps(posts), "id").records] == ["1", "2"]
    assert [topic.number for topic in read(json.dumps([posts[0]] * 2)).records] == ["7"]


def test_attributes_of_a_classic_topic_may_be_its_number_or_title():
    text = '<top id="5" name="ships" lang="en">\n<num> Number: 401\n<title> boats\n</top>\n'
    assert [(topic.number, topic.title) for topic in read(text, "id").records] == [("5", "boats")]
    assert [(topic.number, topic.title) for topic in read(text, title="name").records] == [("401", "ships")]
    assert [topic.number for topic in read(text).records] == ["401"]
    assert [topic.number for topic in read(text.replace("<num> Number: 401\n", "")).records] == ["5"]


def test_an_attribute_numbers_a_classic_topic_only_where_no_element_does():
    for attribute in ("num", "number", "id"):
        text = "".join(f'<top {attribute}="1">\n<num> Number: {n}\n<title> boats {n}\n</top>\n' for n in (401, 402))
        assert [topic.number for topic in read(text).records] == ["401", "402"]
        assert f"<top {attribute}>" in note(read(text), "topic_parts_left_out").message
    assert [topic.number for topic in read('<top num="2020">\n<title>2020\n</top>').records] == ["2020"]


def test_a_chosen_name_is_that_of_an_element_before_that_of_an_attribute():
    text = (
        '<top num="1" title="a">\n<num>401\n<title>boats\n<desc>d\n</top>\n'
        '<top num="2" title="b">\n<desc>d\n</top>\n<top>\n<num>403\n<title>ships\n</top>\n'
    )
    for number, title in (("num", "title"), ("num", ""), ("", "title")):
        first, second, third = read(text, number, title).records
        assert (first.number, first.title, third.number, third.title) == ("401", "boats", "403", "ships")
        assert (second.number, second.title) == ("2", "b" if title else "d")


def test_an_attribute_numbers_a_classic_topic_whose_title_is_another_attribute():
    [topic] = read('<top num="5" title="egg">\n<desc>d\n</top>', title="title").records
    assert (topic.number, topic.title, topic.description) == ("5", "egg", "d")


def test_attributes_of_a_classic_topic_are_named_with_their_element():
    text = '<top id="t7" qid="q7">\n<num>7\n<title>boats\n</top>'
    assert "<top qid> (1), <top id> (1)" in note(read(text), "topic_parts_left_out").message
    [topic] = read(text, appends=True).records
    assert topic.narrative == "top qid: q7\n\ntop id: t7"
    assert read('<top id="">\n<num>7\n<title>boats\n</top>').problems.total == 0


@pytest.mark.parametrize("separator", ["\t", ",", ";", " "])
def test_a_pool_with_headings_is_named_as_a_pool(separator: str):
    problem = error(read(f"topic{separator}docno\n1{separator}D1\n1{separator}D2\n"))
    assert "looks like a pool" in problem.message
    assert "page Pool" in problem.remedy


@pytest.mark.parametrize("text", ["https://a.example/1\nhttps://a.example/2\n", "www.a.example/1\n", "a@b.example\n"])
def test_a_list_of_addresses_is_named_as_such(text: str):
    assert error(read(text)).message == "Each line is an address and not a topic."


def test_an_object_under_the_name_of_a_number_is_no_number_and_is_named():
    result = read(json.dumps({"topic-id": {"$oid": "5f"}, "id": 4, "title": "boats"}))
    assert [topic.number for topic in result.records] == ["4"]
    assert "“topic-id”" in note(result, "topic_parts_left_out").message


def test_an_object_as_number_is_an_error_where_no_other_key_is_a_number_alone():
    fields = {"id": {"$oid": "x"}, "topic": "boats", "description": "old boats"}
    assert error(read(json.dumps(fields))).message == "Field id is not text."
    assert error(read(json.dumps({**fields, "qid": " "}))).message == "Field id is not text."
    assert [topic.number for topic in read(json.dumps(fields | {"topic": "7"}), "topic").records] == ["7"]


def repeated_topics(size: int) -> str:
    subtopics = ",".join(["1"] * 40 * size)
    return f'{{"id":1,"title":"x","subtopics":[{subtopics}]}}\n' + '{"id":1,"title":"x"}\n' * 6 * size


def many_keys(size: int) -> str:
    keys = {f"key{number}": "v" for number in range(60 * size)}
    return json.dumps([{"number": 1, "turn": [{"number": 1, "utterance": "x"}], **keys}])


@pytest.mark.parametrize("make", [repeated_topics, many_keys])
def test_repeated_topics_and_objects_of_very_many_keys_are_read_in_linear_time(make: Callable[[int], str]):
    """Eight times the size takes eight times as long, and not 64: the ratio holds on a busy machine too."""

    def seconds(text: str) -> float:
        start = time.thread_time()
        read(text)
        return time.thread_time() - start

    small, large = min(seconds(make(100)) for _ in range(3)), seconds(make(800))
    assert large < 24 * small


IN_LANGUAGES = {
    "sgml": '<top lang="de"><num>1<title>Drachen</top>\n<top lang="en"><num>1<title>kites</top>\n',
    "xml": '<t><topic id="1" lang="de"><title>Drachen</title></topic><topic id="1" lang="en"><title>kites</title></topic></t>',
    "titles": '<t><topic number="1"><title lang="de">Drachen</title><title lang="en">kites</title></topic></t>',
    "json": '{"id": 1, "lang": "de", "title": "Drachen"}\n{"id": 1, "lang": "en", "title": "kites"}\n',
    "list": '{"id": 1, "topics": [{"lang": "de", "title": "Drachen"}, {"lang": "eng", "title": "kites"}]}\n',
    "table": "number\tlanguage\ttitle\n1\tde\tDrachen\n1\ten\tkites\n",
}


@pytest.mark.parametrize("text", IN_LANGUAGES.values(), ids=IN_LANGUAGES)
def test_of_topics_in_several_languages_english_is_read_or_the_one_that_the_sender_names(text: str) -> None:
    for language, title in (("", "kites"), ("en", "kites"), ("de", "Drachen")):
        found = read_topics(io.BytesIO(text.encode()), choices=TopicChoices(language=language))
        assert ([topic.title for topic in found.records], found.problems.ok) == ([title], True), language
    refused = read_topics(io.BytesIO(text.encode()), choices=TopicChoices(language="fr"))
    assert (refused.records, refused.problems.ok) == ((), False)
    assert any("“de”" in problem.remedy for problem in refused.problems.shown)


def test_marks_of_names_count_where_a_language_is_named_and_what_is_left_out_is_told() -> None:
    text = "<top><num>1<sp-title>Cometas<en-title>Kites</top>"
    titles = {
        language: read_topics(io.BytesIO(text.encode()), choices=TopicChoices(language=language)).records[0].title
        for language in ("", "sp", "en")
    }
    assert titles == {"": "Cometas", "sp": "Cometas", "en": "Kites"}
    told = [problem.message for problem in read_topics(io.BytesIO(IN_LANGUAGES["json"].encode())).problems.shown]
    assert any("Read: “en”" in message and "left out: “de”" in message for message in told)
    for text in (
        "number\ten-title\tfr-title\n1\tKites\tCerfs\n",
        '{"id": 1, "en-title": "Kites", "fr-title": "Cerfs"}\n',
    ):
        assert in_language(text, "fr")[0] == [("1", "Cerfs")]


def in_language(text: str, language: str) -> tuple[list[tuple[str, str]], str]:
    """Numbers and titles, and what the check says of languages."""
    found = read_topics(io.BytesIO(text.encode()), choices=TopicChoices(language=language))
    told = " ".join(problem.message for problem in found.problems.shown if problem.code == "topic_languages")
    return [(topic.number, topic.title) for topic in found.records], told


def test_a_code_stands_before_one_with_a_region_and_both_before_another_that_begins_so() -> None:
    lines = [f'{{"id": 1, "lang": "{code}", "title": "{code}"}}\n' for code in ("est", "es-mx", "es")]
    titles = "".join(f'<title lang="{code}">{code}</title>' for code in ("est", "es-mx", "es"))
    for text in ("".join(lines), f'<t><topic number="1">{titles}</topic></t>'):
        assert in_language(text, "es")[0] == [("1", "es")]
    assert in_language("".join(lines[:2]), "es")[0] == [("1", "es-mx")]


def test_topics_and_parts_without_the_language_are_read_in_english_else_in_the_first_and_named() -> None:
    lines = [
        f'{{"id": {number}, "lang": "{code}", "title": "{code}"}}\n'
        for number, code in ((7, "de"), (7, "fr"), (8, "de"), (9, "de"), (9, "en"))
    ]
    titles, told = in_language("".join(lines), "fr")
    assert titles == [("7", "fr"), ("8", "de"), ("9", "en")]
    assert "Read: “fr” (1), “de” (1), “en” (1); left out: “de”." in told
    assert "Not in “fr”, and read in another language: 8 (1), 9 (1)." in told
    parts = '<title lang="de">Drachen</title><title lang="en">kites</title>'
    several = f'<t><topic number="1"><title lang="fr">cerfs</title></topic><topic number="2">{parts}</topic></t>'
    titles, told = in_language(several, "fr")
    assert titles == [("1", "cerfs"), ("2", "kites")]
    assert "Parts of topics" in told
    assert "Not in “fr”, and read in another language: <title>." in told
    assert in_language(f'<t><topic number="2">{parts}</topic></t>', "")[1].endswith("Read: “en”; left out: “de”.")


def test_names_that_came_later_stand_behind_those_that_were_read_before() -> None:
    [topic] = read('{"id": 12, "page_title": "Mill", "question": "who built mills?"}\n').records
    assert topic.title == "who built mills?"
    assert read('{"topic": 12, "text_id": "D44", "query": "mills"}\n').records[0].number == "12"


def test_a_quote_is_taken_off_only_below_the_headings_that_are_written_here() -> None:
    for text in ("number,title\n4,'@home' ideas\n", "4\t'@home' ideas\n"):
        assert read(text).records[0].title == "'@home' ideas"


def test_a_context_is_a_topic_only_where_the_whole_file_is_one_of_contexts() -> None:
    text = '<data><context number="3">more</context><topic number="1"><title>mills</title></topic></data>'
    assert [topic.number for topic in read(text).records] == ["1"]


def test_names_of_genes_are_read_whatever_is_to_become_of_other_parts() -> None:
    text = b"1\t1026\tHomo sapiens\tOFFICIAL_SYMBOL\tCDK\n"
    assert read_topics(io.BytesIO(text), choices=TopicChoices(appends=True)).records[0].title == "CDK"


def test_a_topic_without_a_language_is_none_of_several_and_stays_a_repetition() -> None:
    text = '{"id": 1, "title": "a"}\n{"id": 1, "lang": "en", "title": "b"}\n'
    assert not read_topics(io.BytesIO(text.encode())).problems.ok


def test_one_word_a_number_is_a_topic_only_without_digits_and_once_a_number() -> None:
    assert read_topics(io.BytesIO("0051 heron\n0052 風\n".encode())).problems.ok
    for pool in ("1 d1\n2 d2\n", "1 abc\n1 def\n"):
        assert not read_topics(io.BytesIO(pool.encode())).problems.ok
    for text, is_said in (("1 anna\n2 ben\n", True), ("1 anna\n2 old ben\n", False)):
        assert any("which is one word" in problem.message for problem in read(text).problems.shown) == is_said
