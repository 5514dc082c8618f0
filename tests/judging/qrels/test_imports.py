from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaign.models import Import, Job, Task, Topic
from campaign.runs.selectors.progress import counted_problems
from judging.models import Assignment, Qrels
from judging.qrels.selectors.releases import released_table
from tests.factories import Cast, make_cast
from tests.judging.makers import ROLES, client_of, make_assignment, make_subtopics, send_qrels

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def test_qrels_of_others_are_checked_shown_and_released_on_confirmation(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D2 0\n401 0 D1 3\n401 0 D3 -1\n", django_capture_on_commit_callbacks)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk))
    assert "3 lines found" in page.content.decode()
    moves_on = "The task moves on from Runs to Scores; Pool and Judging are then marked as done."
    assert moves_on in page.content.decode()
    assert moves_on in client.get(cast.task.url("qrels_import")).content.decode()
    assert not Qrels.objects.exists()
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            client.post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    qrels = Qrels.objects.get()
    assert (qrels.source, qrels.judgment_count, qrels.relevant_count, qrels.unjudged_count) == ("imported", 2, 1, 1)
    done = client.get(cast.task.url("qrels_import_state", import_id=import_.pk))
    assert "The qrels are released" in done.content.decode()
    assert done["HX-Refresh"] == "true", "the next step of the page is another one now"
    assert moves_on not in client.get(cast.task.url("qrels_import")).content.decode()


def test_topics_that_tell_nothing_are_named_before_the_release_with_the_way_to_leave_them_out(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 0\n401 0 D2 0\n", django_capture_on_commit_callbacks)
    page = client_of(cast, "organiser").get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "1 topic without a relevant document: 401 (no relevant document among 2 judged)." in page
    assert "send the file again with the tick “Leave topics out of the scores” (--leave-out by command" in page


def test_a_scale_on_which_grade_1_is_not_relevant_is_named_where_a_topic_has_no_relevant_document(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    Task.objects.update(lowest_relevant_grade=2)
    cast.task.refresh_from_db()
    import_ = send_qrels(cast, "401 0 D1 1\n401 0 D2 0\n", django_capture_on_commit_callbacks)
    told = next(problem for problem in import_.problems["shown"] if problem["code"] == "topics_tell_nothing")
    assert told["message"].endswith("(no relevant document among 2 judged). Relevant is grade 2 or above in this task.")


def test_imported_grades_outside_the_scale_are_an_error_with_line_and_remedy(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 3\n401 0 D2 7\n499 0 D2 1\n", django_capture_on_commit_callbacks)
    lines = send_qrels(cast, "499 0 D1 1\n499 0 D2 1\n", django_capture_on_commit_callbacks)
    assert counted_problems(lines.problems, "error") == "1 error on 2 lines", "two lines are no two topics"
    topics = send_qrels(cast, "499 0 D1 1\n498 0 D2 1\n499 0 D3 1\n", django_capture_on_commit_callbacks)
    assert counted_problems(topics.problems, "error") == "2 errors on 3 lines", "as many as are listed"
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "Grade 7 is not on the scale" in page
    assert "or add this one to the scale of the task" in page
    assert "line 2" in page
    assert "Topic 499 is not a topic of this task" in page
    client.post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    assert not Qrels.objects.exists()
    client.post(cast.task.url("qrels_import_discard", import_id=import_.pk))
    import_.refresh_from_db()
    assert import_.state == Import.DISCARDED


def test_five_columns_are_released_as_a_sample_and_a_stratum_without_a_grade_is_refused(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 1 3\n401 0 D2 2 0\n401 0 D3 2 -1\n", django_capture_on_commit_callbacks)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "the fourth column was read as the stratum, the fifth as the grade" in page
    assert '<th scope="col" class="num">Stratum</th>' in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    qrels = Qrels.objects.get()
    assert (qrels.sampled_by, qrels.judgment_count, qrels.unjudged_count) == ("stratum", 2, 1)
    assert released_table(qrels, "strata").select("docno", "stratum", "grade").rows() == [
        *(("D1", 1, 3), ("D2", 2, 0), ("D3", 2, -1)),
    ]
    Import.objects.all().delete()
    refused = send_qrels(cast, "401 0 D1 1 3\n401 0 D2 2 -1\n", django_capture_on_commit_callbacks)
    page = client.get(cast.task.url("qrels_import_detail", import_id=refused.pk)).content.decode()
    assert "Topic 401, stratum 2: none of 1 has a grade of 0 or above." in page


def test_prels_and_probabilities_are_released_as_a_sample_with_probabilities(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 D1 3 1 0.25\n401 D2 0 0 0.5\n", django_capture_on_commit_callbacks)
    url = cast.task.url("qrels_import_detail", import_id=import_.pk)
    page = client_of(cast, "organiser").get(url).content.decode()
    assert "the third column was read as the grade, the fifth as the probability" in page
    with django_capture_on_commit_callbacks(execute=True):
        client_of(cast, "organiser").post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    qrels = Qrels.objects.get()
    assert released_table(qrels, "probabilities")["probability"].to_list() == [0.25, 1.0]
    assert released_table(qrels, "overall")["grade"].to_list() == [3, 0]


def test_qrels_of_three_columns_with_headings_are_released_as_others(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    text = "query-id\tcorpus-id\tscore\n401\tD1\t3\n401\tD2\t0\n"
    import_ = send_qrels(cast, text, django_capture_on_commit_callbacks)
    url = cast.task.url("qrels_import_detail", import_id=import_.pk)
    page = client_of(cast, "organiser").get(url).content.decode()
    assert "the third column was read as the grade" in page
    assert "looks like headings: it is left out" in page
    with django_capture_on_commit_callbacks(execute=True):
        client_of(cast, "organiser").post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    assert released_table(Qrels.objects.get(), "overall")["grade"].to_list() == [3, 0]


def test_qrels_with_subtopics_give_each_document_its_best_grade(
    db: None, django_capture_on_commit_callbacks: Any
) -> None:
    cast = make_cast(judging_mode="subtopic")
    make_subtopics(make_assignment(cast, ["D1"]).topic, ["a", "b"])
    import_ = send_qrels(
        cast, "401 a D1 1\n401 b D1 3\n401 a D2 0\n", django_capture_on_commit_callbacks, subtopics="on"
    )
    with django_capture_on_commit_callbacks(execute=True):
        client_of(cast, "organiser").post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    qrels = Qrels.objects.get()
    assert released_table(qrels, "overall").rows() == [("401", "0", "D1", 3), ("401", "0", "D2", 0)]
    subtopics = released_table(qrels, "by_subtopic")
    assert subtopics is not None
    assert subtopics.height == 3


def test_subtopic_0_says_that_a_document_was_judged_and_covers_none(
    db: None, django_capture_on_commit_callbacks: Any
) -> None:
    cast = make_cast(judging_mode="subtopic")
    make_subtopics(make_assignment(cast, ["D1"]).topic, ["a", "b"])
    lines = "401 a D1 1\n401 0 D2 0\n401 0 D3 2\n401 b D3 1\n401 0 D4 -2\n"
    import_ = send_qrels(cast, lines, django_capture_on_commit_callbacks, subtopics="on")
    (problem,) = [one for one in import_.problems["shown"] if one["code"] == "subtopic_none"]
    assert (problem["severity"], problem["count"]) == ("warning", 3)
    with django_capture_on_commit_callbacks(execute=True):
        client_of(cast, "organiser").post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    qrels = Qrels.objects.get()
    overall, subtopics = released_table(qrels, "overall"), released_table(qrels, "by_subtopic")
    assert subtopics is not None
    assert overall.select("docno", "grade").rows() == [("D1", 1), ("D2", 0), ("D3", 2), ("D4", -2)]
    assert subtopics.select("subtopic", "docno", "grade").rows() == [
        *(("a", "D1", 1), ("a", "D2", 0), ("a", "D3", 0), ("a", "D4", -2)),
        *(("b", "D2", 0), ("b", "D3", 1), ("b", "D4", -2)),
    ]


def test_a_topic_that_has_a_subtopic_0_keeps_its_lines_as_they_are(
    db: None, django_capture_on_commit_callbacks: Any
) -> None:
    cast = make_cast(judging_mode="subtopic")
    make_subtopics(make_assignment(cast, ["D1"]).topic, ["0", "1"])
    import_ = send_qrels(cast, "401 0 D1 1\n401 7 D1 1\n", django_capture_on_commit_callbacks, subtopics="on")
    assert "subtopic_none" not in import_.problems["by_code"]
    assert "Topic 401 has no subtopic 7 (1 line)." in [one["message"] for one in import_.problems["shown"]]


def test_a_release_that_stopped_says_so_and_is_tried_again(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 3\n", django_capture_on_commit_callbacks)
    client = client_of(cast, "organiser")
    confirm = cast.task.url("qrels_import_confirm", import_id=import_.pk)
    client.post(confirm)
    detail = cast.task.url("qrels_import_detail", import_id=import_.pk)
    state = f'hx-get="{cast.task.url("qrels_import_state", import_id=import_.pk)}"'
    assert state in client.get(detail).content.decode()
    Job.objects.update(state=Job.FAILED, message="Given up.")
    page = client.get(detail).content.decode()
    assert "Given up." in page
    assert "No qrels were released." in page
    assert state not in page
    assert f'action="{confirm}"' in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(confirm)
    assert Qrels.objects.get().judgment_count == 1


def test_topics_and_documents_are_not_found_among_the_imports_of_qrels(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 3\n", django_capture_on_commit_callbacks)
    Import.objects.update(kind=Import.TOPICS)
    client = client_of(cast, "organiser")
    for page in ("detail", "state"):
        assert client.get(cast.task.url(f"qrels_import_{page}", import_id=import_.pk)).status_code == 404
    for page in ("confirm", "discard"):
        assert client.post(cast.task.url(f"qrels_import_{page}", import_id=import_.pk)).status_code == 404
        assert client.post(cast.task.url(f"import_{page}", import_id=import_.pk)).status_code == 302


def test_an_empty_file_is_refused_at_the_form_and_options_are_those_of_the_mode(
    cast: Cast, assignment: Assignment
) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_import")
    answer = client.post(url, {"file": SimpleUploadedFile("q.txt", b""), "note": ""})
    assert answer.status_code == 422
    assert "The file is empty" in answer.content.decode()

    def shown() -> list[str]:
        return [field.name for field in client.get(url).context["form"].visible_fields()]

    of_grades = ["grade_words", "grade_column"]
    of_all = ["file", "encoding", "new_set", "leave_out", "repeated", "listed", *of_grades, "match_topics"]
    assert shown() == [*of_all, "note"]
    Task.objects.update(judging_mode="subtopic")
    assert shown() == [*of_all, "subtopics", "note"]


@pytest.mark.parametrize("page", ["qrels_import_detail", "qrels_import_state"])
def test_only_organisers_see_an_import(
    cast: Cast, assignment: Assignment, page: str, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 3\n", django_capture_on_commit_callbacks)
    url = cast.task.url(page, import_id=import_.pk)
    assert [client_of(cast, role).get(url).status_code for role in ROLES] == [200, 403, 403, 403, 403, 302]


def test_what_a_file_holds_and_changes_is_shown_before_it_is_confirmed(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    cast.task.topics.create(number="402", position=2, title="another")
    first = send_qrels(cast, "401 0 D1 0\n401 0 D2 2\n401 0 D9 1\n", django_capture_on_commit_callbacks)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=first.pk)).content.decode()
    assert first.found["about"]["pool"] == {"version": 1, "pooled": 3, "judged": 2, "outside": 1}
    words = " ".join(page.split())
    for said in (
        "1 of 2 topics of the task; without a grade: 402",
        "2 of 3 pairs judged (67 %); 1 judged pair outside of it",
    ):
        assert said in words
    assert "What changes against" not in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(cast.task.url("qrels_import_confirm", import_id=first.pk))
    second = send_qrels(cast, "401 0 D1 1\n401 0 D2 2\n401 0 D3 0\n", django_capture_on_commit_callbacks)
    page = client.get(cast.task.url("qrels_import_detail", import_id=second.pk)).content.decode()
    assert "What changes against v1" in page
    difference = second.found["about"]["difference"]
    assert [difference[name] for name in ("added", "gone", "changed", "same")] == [1, 1, 1, 1]
    assert "1 topic with a difference" in " ".join(page.split())


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (["bpref", "nDCG@10", "Judged@10"], "bpref and Judged@10 lose their meaning"),
        (["infAP"], "infAP loses its meaning"),
        (["nDCG@10"], ""),
    ],
)
def test_qrels_without_a_nonrelevant_document_are_warned_of_with_the_measures_that_lose_their_meaning(
    cast: Cast, assignment: Assignment, measures: list[str], said: str, django_capture_on_commit_callbacks: Any
) -> None:
    Task.objects.update(measures=measures)
    import_ = send_qrels(cast, "401 0 D1 1\n401 0 D2 2\n401 0 D3 -1\n", django_capture_on_commit_callbacks)
    assert import_.state == Import.READY
    page = client_of(cast, "organiser").get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "No document is judged non-relevant: the lowest grade of 2 graded pairs is 1 or above." in page
    assert said in page
    assert ("meaning" in page) == bool(said)
    assert ("name other measures" in page) == bool(said)


def test_qrels_with_a_nonrelevant_document_are_not_warned_of(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 1\n401 0 D2 0\n", django_capture_on_commit_callbacks)
    assert "qrels_nonrelevant_none" not in str(import_.problems)


def test_topic_numbers_under_another_spelling_are_offered_a_match_and_read_by_it_when_asked(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    lines = "MB0401 0 D1 3\nMB0401 0 D2 0\n"
    offered = send_qrels(cast, lines, django_capture_on_commit_callbacks)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=offered.pk)).content.decode()
    assert offered.state == Import.BAD
    assert "1 topic number could be matched by numerals: MB0401 as 401." in page
    assert "(--match-topics by command, match_topics=true by program)" in page
    asked = send_qrels(cast, lines, django_capture_on_commit_callbacks, match_topics="on")
    page = client.get(cast.task.url("qrels_import_detail", import_id=asked.pk)).content.decode()
    assert "1 topic number of the file matched by numerals: MB0401 as 401." in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(cast.task.url("qrels_import_confirm", import_id=asked.pk))
    table = released_table(Qrels.objects.get(), "overall")
    assert table.select("topic", "docno", "grade").rows() == [("401", "D1", 3), ("401", "D2", 0)]


def test_a_match_that_a_new_topic_makes_doubtful_is_refused_at_the_release(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "MB401 0 D1 3\nMB401 0 D2 0\n", django_capture_on_commit_callbacks, match_topics="on")
    Topic.objects.create(task=cast.task, number="0401", position=9, title="t")
    client = client_of(cast, "organiser")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    import_.refresh_from_db()
    assert (import_.state, Qrels.objects.exists()) == (Import.BAD, False)
    assert (
        "Topic MB401 is not a topic of this task"
        in client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    )


def test_a_tick_that_matches_nothing_is_told(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 3\n", django_capture_on_commit_callbacks, match_topics="on")
    problems = [problem["message"] for problem in import_.problems["shown"]]
    assert "No topic number of the file was matched by numerals." in problems


def test_documents_that_json_lists_are_relevant_also_where_relevance_begins_at_2(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    Task.objects.update(lowest_relevant_grade=2)
    cast.task.refresh_from_db()
    import_ = send_qrels(cast, '{"401": ["D1", "D2"]}', django_capture_on_commit_callbacks)
    with django_capture_on_commit_callbacks(execute=True):
        client_of(cast, "organiser").post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    qrels = Qrels.objects.get()
    assert (qrels.judgment_count, qrels.relevant_count) == (2, 2)


def test_a_spreadsheet_of_judgments_is_released_with_what_separates_its_columns_named(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    text = "QueryID;DocumentID;Relevance\r\nMB401;D1;3\r\nMB401;D2;0\r\n"
    import_ = send_qrels(cast, text, django_capture_on_commit_callbacks, match_topics="on")
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    assert "The columns are separated by semicolons, and were read so." in page
    assert "1 topic number of the file matched by numerals: MB401 as 401." in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(cast.task.url("qrels_import_confirm", import_id=import_.pk))
    assert released_table(Qrels.objects.get(), "overall")["grade"].to_list() == [3, 0]


def test_a_pair_with_two_grades_is_refused_with_both_and_released_by_the_option_that_the_message_names(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    text = "401 0 D1 0\n401 0 D2 0\n401 0 D1 3\n"
    refused = send_qrels(cast, text, django_capture_on_commit_callbacks)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=refused.pk)).content.decode()
    assert refused.state == Import.BAD
    assert "already judged for topic 401 on line 1: grade 0 there, grade 3 here." in page
    assert "“Pairs that come twice” on the page" in page
    asked = send_qrels(cast, text, django_capture_on_commit_callbacks, repeated="highest")
    page = client.get(cast.task.url("qrels_import_detail", import_id=asked.pk)).content.decode()
    assert "1 pair stands on several lines with different grades: the line with the highest grade counts" in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(cast.task.url("qrels_import_confirm", import_id=asked.pk))
    assert released_table(Qrels.objects.get(), "overall")["grade"].to_list() == [3, 0]


def test_by_subtopic_the_line_that_counts_is_chosen_for_each_subtopic(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    Task.objects.update(judging_mode="subtopic")
    make_subtopics(cast.task.topics.get(), ["1", "2"])
    text = "401 1 D1 1\n401 2 D1 0\n401 1 D1 0\n"
    import_ = send_qrels(cast, text, django_capture_on_commit_callbacks, subtopics="on", repeated="last")
    assert import_.state == Import.READY, import_.problems
    assert [row["grade"] for row in import_.preview] == [0, 0]


def test_qrels_for_a_task_without_topics_are_one_problem(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    Topic.objects.all().delete()
    import_ = send_qrels(cast, "401 0 D1 0\n402 0 D2 0\n", django_capture_on_commit_callbacks)
    [problem] = import_.problems["shown"]
    assert (problem["message"], problem["remedy"]) == ("The task has no topics yet.", "Import topics first.")
    assert counted_problems(import_.problems, "error") == "1 error"
