from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Role, Run, Subtopic, Task
from campaign.setup.forms.questions import question_formset
from campaign.setup.forms.task_form import grade_formset
from campaign.setup.selectors.phases import opening_consequences, task_to_open_with
from campaign.setup.services.campaigns import campaign_open
from campaign.setup.services.tasks import task_create
from tests.factories import (
    Cast,
    make_campaign,
    make_collection,
    make_received_run,
    make_task,
    make_team,
    make_topics,
    make_user,
    run_lines,
)

CAMPAIGN_FORM = {
    "title": "Vélo 2027",
    "slug": "velo-2027",
    "time_zone": "AoE",
    "registration": "open",
    "summary": "",
    "call": "**Come.**",
}
USUAL_MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]
TASK_FORM = {
    "title": "Ad hoc",
    "slug": "ad-hoc",
    "judging_mode": "graded",
    "opens_at": "",
    "closes_at": "2027-03-01T23:59",
    "max_runs_per_team": "5",
    "max_documents_per_topic": "1000",
    "run_order": "score",
    "documents_shown_as": "text",
    "texts_for": "organisers",
    "scores_shown": "nothing",
    "contradictions": "hint",
    "reference": "9",
    "docno_policy": "known",
    "tag_pattern": "[a-z]+",
    "measures": "",
    "guidelines": "",
    "questions-TOTAL_FORMS": "0",
    "questions-INITIAL_FORMS": "0",
}


def scale_form(*rows: tuple[object, str], key: str = "", initial: int = 4) -> dict[str, str]:
    data = {"grades-TOTAL_FORMS": str(len(rows)), "grades-INITIAL_FORMS": str(initial)}
    for number, (value, label) in enumerate(rows):
        data |= {f"grades-{number}-value": str(value), f"grades-{number}-label": label}
        data |= {f"grades-{number}-key": key, f"grades-{number}-gain": "", f"grades-{number}-definition": ""}
    return data


def address(page: str, cast: Cast) -> str:
    return reverse(page, kwargs={"campaign_slug": cast.campaign.slug})


@pytest.fixture
def organiser(client: Client, cast: Cast) -> Client:
    client.force_login(cast.organiser)
    return client


def test_a_newcomer_reads_what_the_site_is_and_which_campaigns_are_open(client: Client, cast: Cast) -> None:
    draft = make_campaign("hidden-draft", is_open=False)
    text = client.get("/").content.decode()
    for word in ("Campaign", "Runs", "Pool", "Judgments", "Scores", "Sign up", cast.campaign.title, cast.task.title):
        assert word in text
    assert draft.title not in text


def test_the_home_page_shows_each_their_own_next_steps(client: Client, cast: Cast) -> None:
    def steps(person) -> list[str]:
        client.force_login(person)
        return [todo.step.label for todo in client.get("/").context["todos"]]

    assert steps(cast.organiser) == ["See the runs"]
    assert steps(cast.member) == ["Upload a run"]
    assert steps(cast.stranger) == ["Create or join a team"]
    assert steps(cast.assessor) == []
    Task.objects.update(phase=Task.SETUP)
    assert steps(cast.organiser) == ["Import topics and documents"]
    assert steps(cast.member) == []


def test_a_rejected_run_is_a_next_step_until_it_is_sent_again(client: Client, cast: Cast) -> None:
    client.force_login(cast.member)
    lines = run_lines({"1": ["d"]}, "bm25")
    make_received_run(cast.task, cast.team, "bm25", lines, state=Run.REJECTED)
    assert [todo.step.label for todo in client.get("/").context["todos"]] == [
        "See why a run was rejected",
        "Upload a run",
    ]
    make_received_run(cast.task, cast.team, "bm25", lines, attempt=2)
    assert [todo.step.label for todo in client.get("/").context["todos"]] == ["Upload a run"]
    client.force_login(cast.other_member)
    assert [todo.step.label for todo in client.get("/").context["todos"]] == ["Upload a run"]


def test_the_home_page_asks_the_database_as_often_for_ten_campaigns_as_for_one(
    client: Client, cast: Cast, django_assert_max_num_queries
) -> None:
    for _ in range(10):
        campaign = make_campaign()
        Role.objects.create(campaign=campaign, user=cast.organiser, role=Role.ORGANISER)
        make_team(members=(cast.organiser,), campaign=campaign)
        for _ in range(3):
            make_task(campaign)
    client.force_login(cast.organiser)
    # Two of them: how many campaigns there are, and a published task; one is for the card of what is new, one for alarms.
    with django_assert_max_num_queries(31):
        assert client.get("/").status_code == 200


def test_anybody_signed_in_creates_a_campaign_by_form(client: Client, db) -> None:
    form = reverse("campaign_create")
    assert client.get(form).status_code == 302
    client.force_login(make_user())
    assert client.get(form).status_code == 200
    answer = client.post(form, CAMPAIGN_FORM)
    assert answer["Location"] == "/c/velo-2027/new/"
    assert "<strong>Come.</strong>" in client.get("/c/velo-2027/").content.decode()
    again = client.post(form, CAMPAIGN_FORM)
    assert again.status_code == 422
    assert Campaign.objects.count() == 1


@pytest.mark.parametrize("wrong", [{"slug": "new"}, {"title": ""}, {"time_zone": "Mars/Base"}, {"slug": "a b"}])
def test_a_campaign_form_with_a_mistake_is_shown_again(client: Client, db, wrong: dict[str, str]) -> None:
    client.force_login(make_user())
    answer = client.post(reverse("campaign_create"), CAMPAIGN_FORM | wrong)
    assert answer.status_code == 422
    assert next(iter(wrong)) in answer.context["form"].errors
    assert not Campaign.objects.exists()


def test_opening_a_campaign_asks_first(organiser: Client, cast: Cast) -> None:
    Campaign.objects.update(opened_at=None)
    draft_task = make_task(cast.campaign, phase=Task.SETUP)
    text = organiser.get(address("campaign_open", cast)).content.decode()
    assert f"{cast.task} becomes visible" in text
    assert f"{draft_task} stays hidden" in text
    assert Campaign.objects.get().opened_at is None
    organiser.post(address("campaign_open", cast))
    assert Campaign.objects.get().opened_at is not None


def test_opening_a_campaign_opens_its_first_task_by_the_same_press_where_the_tick_is_left(
    organiser: Client, cast: Cast
) -> None:
    page = address("campaign_open", cast)
    for ticked, phase in (({}, Task.SETUP), ({"open_task": "on"}, Task.RUNS)):
        Campaign.objects.update(opened_at=None)
        Task.objects.update(phase=Task.SETUP)
        assert "open_task" not in organiser.get(page).content.decode(), "no topics, so nothing to open"
        make_topics(cast.task, ["1"])
        Task.objects.update(docno_policy=Task.ANY)
        answer = organiser.get(page)
        assert f"Open the task {cast.task} as well" in answer.content.decode()
        assert answer.context["form"]["open_task"].value() is True, "ticked"
        assert organiser.post(page, ticked).status_code == 302
        assert (Campaign.objects.get().opened_at is None, Task.objects.get().phase) == (False, phase)
        cast.task.topics.all().delete()


def test_opening_a_campaign_with_a_task_says_whether_that_takes_runs_and_moves_no_task_back(
    organiser: Client, cast: Cast
) -> None:
    page = address("campaign_open", cast)
    make_topics(cast.task, ["1"])
    over = {"closes_at": timezone.now() - timedelta(days=1), "docno_policy": Task.ANY}
    for phase, said in ((Task.SETUP, "The deadline was"), (Task.JUDGING, "")):
        Campaign.objects.update(opened_at=None)
        Task.objects.update(phase=Task.SETUP, **over)
        task = task_to_open_with(cast.campaign)
        assert task is not None
        Task.objects.update(phase=phase)
        if said:
            assert said in organiser.post(page, {"open_task": "on"}, follow=True).content.decode()
        else:
            campaign_open(actor=cast.organiser, campaign=cast.campaign, task=task)
        assert Task.objects.get().phase == (Task.RUNS if said else Task.JUDGING)


def test_a_program_that_opens_a_campaign_reads_that_every_task_in_its_set_up_stays_hidden(cast: Cast) -> None:
    Task.objects.update(phase=Task.SETUP)
    assert f"The task {cast.task} stays hidden until you open it as well." in opening_consequences(cast.campaign)


def test_a_campaign_is_edited_and_keeps_its_address(organiser: Client, cast: Cast) -> None:
    form = address("campaign_edit", cast)
    assert "id_slug" not in organiser.get(form).content.decode()
    organiser.post(form, CAMPAIGN_FORM | {"title": "Renamed"})
    changed = Campaign.objects.get()
    assert (changed.title, changed.slug) == ("Renamed", cast.campaign.slug)


def test_a_role_is_taken_away_once(organiser: Client, cast: Cast) -> None:
    page, given = address("people", cast), Role.objects.get(user=cast.assessor)
    for _ in range(2):
        organiser.post(page, {"revoke": given.pk})
    assert not Role.objects.filter(user=cast.assessor).exists()
    assert AuditEvent.objects.filter(verb="revoke").count() == 1


def test_an_unknown_person_gets_no_role_and_the_last_organiser_keeps_theirs(organiser: Client, cast: Cast) -> None:
    page = address("people", cast)
    assert organiser.post(page, {"person": "nobody", "role": Role.ASSESSOR}).status_code == 422
    mine = Role.objects.get(user=cast.organiser)
    answer = organiser.post(page, {"revoke": mine.pk}, follow=True)
    assert "needs an organiser" in answer.content.decode()
    elsewhere = Role.objects.create(campaign=make_campaign(), user=cast.stranger, role=Role.ASSESSOR)
    organiser.post(page, {"revoke": elsewhere.pk})
    assert Role.objects.filter(pk__in=[mine.pk, elsewhere.pk]).count() == 2


def test_a_task_is_created_by_form_with_the_deadline_in_the_campaigns_zone(organiser: Client, cast: Cast) -> None:
    usual = scale_form(*[(n, t) for n, t in enumerate(["not relevant", "related", "relevant", "perfect"])], ("", ""))
    page = organiser.get(address("task_create", cast))
    rows = page.context["scale"].initial
    for number, row in enumerate(rows):
        usual |= {f"grades-{number}-{name}": str(value) for name, value in row.items()}
    answer = organiser.post(address("task_create", cast), TASK_FORM | usual | {"judging_mode": "binary"})
    task = Task.objects.get(slug="ad-hoc")
    assert answer["Location"] == task.url("files_import")
    assert task.closes_at == datetime(2027, 3, 2, 11, 59, tzinfo=UTC)
    assert [grade.value for grade in task.grades.all()] == [0, 1], "an untouched scale is that of the mode"
    assert "2027-03-01T23:59" in organiser.get(task.url("task_edit")).content.decode()


@pytest.mark.parametrize(
    ("mode", "sent", "measures"),
    [
        ("subtopic", None, [*USUAL_MEASURES, "alpha-nDCG@10"]),
        ("binary", None, USUAL_MEASURES),
        ("subtopic", "", [*USUAL_MEASURES, "alpha-nDCG@10"]),
        ("subtopic", "AP", ["AP"]),
    ],
)
def test_measures_that_nobody_touched_are_those_of_the_mode(
    organiser: Client, cast: Cast, mode: str, sent: str | None, measures: list[str]
) -> None:
    offered = "\n".join(organiser.get(address("task_create", cast)).context["form"]["measures"].initial)
    scale = scale_form((0, "no"), (1, "yes"), ("", ""))
    form = TASK_FORM | scale | {"judging_mode": mode, "measures": offered if sent is None else sent}
    assert organiser.post(address("task_create", cast), form).status_code == 302
    assert Task.objects.get(slug="ad-hoc").measures == measures


def test_a_mode_that_there_is_not_is_refused_at_the_form(organiser: Client, cast: Cast) -> None:
    form = TASK_FORM | scale_form((0, "no"), (1, "yes")) | {"judging_mode": "sorted"}
    answer = organiser.post(address("task_create", cast), form)
    assert answer.status_code == 422
    assert "Select a valid choice" in answer.content.decode()


def test_a_scale_of_ones_own_is_kept(organiser: Client, cast: Cast) -> None:
    scale = scale_form((0, "no"), (1, "some"), (2, "all"), ("", ""))
    organiser.post(address("task_create", cast), TASK_FORM | scale | {"measures": "AP, P@5  RBP(p=0.8)"})
    task = Task.objects.get(slug="ad-hoc")
    grades = [(grade.value, grade.label, grade.key, grade.gain) for grade in task.grades.all()]
    assert grades == [(0, "no", "0", 0.0), (1, "some", "1", 1.0), (2, "all", "2", 2.0)]
    assert task.measures == ["AP", "P@5", "RBP(p=0.8)"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": "people"},
        {"tag_pattern": "[a-"},
        {"opens_at": "2027-04-01T00:00"},
        {"closes_at": "tomorrow"},
        {"measures": "AP AP"},
        {"measures": "n/a!"},
        {"max_runs_per_team": "0"},
        {"grades-TOTAL_FORMS": "many"},
        {"grades-1-value": "0"},
        {"grades-1-label": ""},
    ],
)
def test_a_task_form_with_a_mistake_is_shown_again(organiser: Client, cast: Cast, wrong: dict[str, str]) -> None:
    scale = scale_form((0, "no"), (1, "yes"))
    answer = organiser.post(address("task_create", cast), TASK_FORM | scale | wrong)
    assert answer.status_code == 422
    assert not Task.objects.filter(slug="ad-hoc").exists()


def test_a_form_makes_few_rows_however_many_are_claimed() -> None:
    claimed = {
        f"{prefix}-{name}": "999999999"
        for prefix in ("questions", "grades")
        for name in ("TOTAL_FORMS", "INITIAL_FORMS")
    }
    assert len(question_formset(claimed, []).forms) < 100
    assert len(grade_formset(claimed, None).forms) < 100


def test_editing_a_task_warns_of_runs_that_are_there(organiser: Client, cast: Cast) -> None:
    form = cast.task.url("task_edit")
    assert "This task has runs" not in organiser.get(form).content.decode()
    make_received_run(cast.task, cast.team, "bm25", run_lines({"1": ["d"]}, "bm25"))
    assert "This task has runs" in organiser.get(form).content.decode()
    page = organiser.get(form)
    data = {name: value for name, value in page.context["form"].initial.items() if value is not None}
    data |= TASK_FORM | {"title": "Renamed"} | scale_form(*cast.task.grades.values_list("value", "label"))
    assert organiser.post(form, data).status_code == 302
    assert Task.objects.get().title == "Renamed"


def test_measures_with_parameters_are_saved_on_the_page_as_they_are_and_unknown_ones_refused_by_name(
    organiser: Client, cast: Cast
) -> None:
    measures = ["iprec_at_recall_0.00", "RBP(p=0.8,rel=2)", "nDCG(gain=1:2;2:7.5)@10"]
    task = task_create(actor=cast.organiser, campaign=cast.campaign, slug="script", title="Script", measures=measures)
    page = organiser.get(task.url("task_edit"))
    shown = page.context["form"]["measures"].value()
    data = TASK_FORM | {"measures": shown} | scale_form(*[(n, f"g{n}") for n in range(4)])
    saved = organiser.post(task.url("task_edit"), data)
    assert saved.status_code == 302, saved.context["form"].errors
    task.refresh_from_db()
    assert task.measures == measures
    refused = organiser.post(task.url("task_edit"), data | {"measures": "AP foo@10 num_q"})
    assert refused.status_code == 422
    assert "Unknown measure foo@10." in refused.content.decode()
    assert "num_q: It counts the topics" in refused.content.decode()


def test_the_way_forward_and_the_way_back_are_asked_for_on_one_page_each(organiser: Client, cast: Cast) -> None:
    page = cast.task.url("task_phase")
    assert organiser.get(page).status_code == 200
    assert "Runs are taken until the deadline" in organiser.get(page, {"to": "pool"}).content.decode()
    organiser.post(page, {"phase": "pool"})
    assert Task.objects.get().phase == Task.POOL
    assert "Nothing is deleted" in organiser.get(page, {"to": "runs"}).content.decode()
    organiser.post(page, {"phase": "runs"})
    assert Task.objects.get().phase == Task.RUNS
    assert AuditEvent.objects.filter(verb="enter phase", actor=cast.organiser).count() == 2


@pytest.mark.parametrize("phase", ["", "holidays"])
def test_a_phase_that_does_not_exist_is_not_entered(organiser: Client, cast: Cast, phase: str) -> None:
    assert organiser.post(cast.task.url("task_phase"), {"phase": phase}).status_code == 422
    assert organiser.get(cast.task.url("task_phase"), {"to": phase}).status_code == 200


@pytest.mark.parametrize("phase", list(Task.PHASES))
@pytest.mark.parametrize("deadline", [None, -1, 1])
def test_every_page_of_a_task_stands_in_every_phase(client: Client, cast: Cast, phase: str, deadline) -> None:
    closes_at = None if deadline is None else timezone.now() + timedelta(days=deadline)
    Task.objects.update(phase=phase, closes_at=closes_at)
    for person in (cast.organiser, cast.assessor, cast.member, None):
        client.force_login(person) if person else client.logout()
        hidden = phase == Task.SETUP and person in (cast.member, None)
        assert client.get(cast.task.get_absolute_url()).status_code == (404 if hidden else 200)
        assert client.get("/").status_code == 200
        assert client.get(cast.campaign.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("phase", list(Task.PHASES))
def test_every_change_of_phase_can_be_looked_at_before(organiser: Client, cast: Cast, phase: str) -> None:
    Task.objects.update(phase=phase)
    for target in Task.PHASES:
        assert organiser.get(cast.task.url("task_phase"), {"to": target}).status_code == 200


def test_the_overview_counts_only_what_the_reader_may_see(client: Client, cast: Cast) -> None:
    for team, tag in ((cast.team, "a"), (cast.team, "b"), (cast.other_team, "c")):
        make_received_run(cast.task, team, tag, run_lines({"1": ["d"]}, tag), state=Run.VALID)
    counted = {}
    for person in (cast.organiser, cast.member, cast.other_member, cast.stranger, cast.assessor):
        client.force_login(person)
        counted[person] = client.get(cast.task.get_absolute_url()).context["overview"].runs.valid
    assert list(counted.values()) == [3, 2, 1, 0, 0]


def test_topics_are_read_by_all_who_see_the_task(client: Client, cast: Cast) -> None:
    topics = make_topics(cast.task, ["401", "402", "T-3"])
    Subtopic.objects.create(topic=topics[1], number="1", position=1, text="a <b>subtopic</b>")
    text = client.get(cast.task.url("topic_list")).content.decode()
    assert all(topic.title in text for topic in topics)
    text = client.get(cast.task.url("topic_detail", topic_number="402")).content.decode()
    assert "a &lt;b&gt;subtopic&lt;/b&gt;" in text
    assert 'rel="prev"' in text
    assert 'rel="next"' in text
    assert client.get(cast.task.url("topic_detail", topic_number="403")).status_code == 404
    Task.objects.update(phase=Task.SETUP)
    assert client.get(cast.task.url("topic_list")).status_code == 404
    assert client.get(cast.task.url("topic_detail", topic_number="402")).status_code == 404


def test_documents_are_for_those_who_take_part(client: Client, cast: Cast) -> None:
    make_collection(cast.task, ["d1", "x/y z".replace(" ", "")])
    pages = [cast.task.url("document_list"), cast.task.url("document_detail", docno="x/yz")]
    assert {client.get(page).status_code for page in pages} == {302}
    expected = {cast.organiser: 200, cast.assessor: 200, cast.member: 200, cast.other_member: 200, cast.stranger: 403}
    for person, status in expected.items():
        client.force_login(person)
        assert {client.get(page).status_code for page in pages} == {status}
    client.force_login(cast.member)
    assert client.get(cast.task.url("document_detail", docno="nothing")).status_code == 404


def test_document_texts_are_shown_as_text(client: Client, cast: Cast) -> None:
    collection = make_collection(cast.task, ["d1"])
    collection.documents.update(title="<i>t</i>", text="<script>alert(1)</script>\n\nend")
    client.force_login(cast.member)
    text = client.get(cast.task.url("document_detail", docno="d1")).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text


def test_documents_are_found_by_the_start_of_their_number_or_a_piece_of_their_title(client: Client, cast: Cast) -> None:
    make_collection(cast.task, [f"FT-{number}" for number in range(120)] + ["LA-1"])
    client.force_login(cast.member)

    def found(search: str, after: str = "") -> list[str]:
        answer = client.get(cast.task.url("document_list"), {"search": search, "after": after})
        return [document.docno for document in answer.context["page"].documents]

    assert found("LA") == ["LA-1"]
    assert found("of la-1") == ["LA-1"]
    assert found("nothing") == []
    assert len(first := found("FT")) == 50
    assert len(second := found("FT", first[-1])) == 50
    assert len(found("FT", second[-1])) == 20


def test_lists_ask_the_database_a_bounded_number_of_times(
    client: Client, cast: Cast, django_assert_max_num_queries
) -> None:
    make_topics(cast.task, [str(number) for number in range(150)])
    make_collection(cast.task, [str(number) for number in range(150)])
    client.force_login(cast.organiser)
    for page in ("topic_list", "document_list", "task_detail"):
        with django_assert_max_num_queries(35):
            assert client.get(cast.task.url(page)).status_code == 200


def test_only_organisers_manage(client: Client, cast: Cast) -> None:
    pages = [address(page, cast) for page in ("campaign_edit", "campaign_open", "people", "task_create")]
    pages += [cast.task.url("task_edit"), cast.task.url("task_phase")]
    assert {client.get(page).status_code for page in pages} == {302}
    for person in (cast.assessor, cast.member, cast.other_member, cast.stranger):
        client.force_login(person)
        assert {client.get(page).status_code for page in pages} == {403}
        assert {client.post(page, CAMPAIGN_FORM | TASK_FORM).status_code for page in pages} == {403}
    client.force_login(cast.organiser)
    assert {client.get(page).status_code for page in pages} - {302} == {200}


def test_a_draft_campaign_is_not_found_by_outsiders(client: Client, cast: Cast) -> None:
    Campaign.objects.update(opened_at=None)
    pages = [cast.campaign.get_absolute_url(), cast.task.get_absolute_url(), cast.task.url("topic_list")]
    for person, status in {cast.organiser: 200, cast.assessor: 200, cast.member: 404, cast.stranger: 404}.items():
        client.force_login(person)
        assert {client.get(page).status_code for page in pages} == {status}
    client.logout()
    assert {client.get(page).status_code for page in pages} == {404}
