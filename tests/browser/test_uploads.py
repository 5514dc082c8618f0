"""Several runs on the upload page: by drop, by picker, by keyboard alone; each with its tag, its way and its outcome."""

import gzip
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.templatetags.static import static
from django.utils import timezone
from playwright.sync_api import expect

from campaign.models import Run, Task
from campaign.models.fields import zone_named
from tests.campaign.formats.runs.tag_cases import TAG_CASES
from tests.campaign.runs.makers import RANKING, make_ready_cast, submit_and_check
from tests.factories import Cast, make_cast, run_lines

pytestmark = pytest.mark.browser
DROP = """([names, contents]) => {
  const transfer = new DataTransfer();
  names.forEach((name, index) => transfer.items.add(new File([contents[index]], name)));
  const zone = document.querySelector("[data-drop-zone]");
  for (const type of ["dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_ready_cast(
        questions=[
            {"key": "dense", "label": "Dense vectors?", "kind": "yes/no", "required": True, "help": "", "choices": []}
        ]
    )


@pytest.fixture
def upload(cast: Cast, page: Any, live_server: Any, sign_in: Callable[[Any, Any], None]) -> Any:
    sign_in(page, cast.member)
    page.goto(live_server.url + cast.task.url("run_create"))
    return page


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "first.txt").write_bytes(run_lines(RANKING, "bm25"))
    (tmp_path / "second.run.gz").write_bytes(gzip.compress(run_lines(RANKING, "dense-2")))
    (tmp_path / "third.txt").write_bytes(b"nothing of six columns\n")
    return [tmp_path / name for name in ("first.txt", "second.run.gz", "third.txt")]


def values(page: Any, part: str) -> list[str]:
    return [field.input_value() for field in page.locator(f".upload-row [data-{part}]").all()]


def wait_for_tags(page: Any, *tags: str) -> None:
    for number, tag in enumerate(tags):
        page.wait_for_function(
            "([number, tag]) => document.querySelectorAll('.upload-row [data-tag]')[number]?.value === tag",
            arg=[number, tag],
        )


def answer_for_all(page: Any, answer: str) -> None:
    page.locator("[data-about]").get_by_label(answer, exact=True).check()


def test_each_of_several_runs_has_entries_of_its_own_which_follow_those_for_all_until_they_are_changed(
    upload: Any, cast: Cast
) -> None:
    metadata = "# ir_metadata.start\n# method:\n#   automatic: false\n#   description: 'by hand'\n# ir_metadata.end\n"
    contents = [run_lines(RANKING, tag).decode() for tag in ("first", "second", "third")]
    upload.evaluate(DROP, [["a.txt"], contents[:1]])
    expect(upload.locator(".upload-row [data-own]")).to_be_hidden()
    upload.evaluate(DROP, [["b.txt", "c.txt"], [contents[1], metadata + contents[2]]])
    wait_for_tags(upload, "first", "second", "third")
    rows = upload.locator(".upload-row")
    expect(rows.nth(2).get_by_label("Description")).to_have_value("by hand")
    expect(rows.nth(2).get_by_label("Run type")).to_have_value("manual")
    answer_for_all(upload, "no")
    rows.nth(1).get_by_label("yes", exact=True).check()
    rows.nth(1).get_by_label("Description").fill("own words")
    upload.locator("[data-about]").get_by_label("Description").fill("for all")
    expect(rows.nth(0).get_by_label("Description")).to_have_value("for all")
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_text("3 of 3 runs received").wait_for()
    assert list(Run.objects.order_by("pk").values_list("tag", "kind", "description", "answers")) == [
        ("first", "automatic", "for all", {"dense": False}),
        ("second", "automatic", "own words", {"dense": True}),
        ("third", "manual", "by hand", {"dense": False}),
    ]
    expect(rows.nth(0).get_by_label("Description")).to_be_disabled()


def test_dropped_files_become_rows_with_the_tags_that_stand_in_them(upload: Any) -> None:
    contents = [run_lines(RANKING, "bm25").decode(), "# ir_metadata.start\n# ir_metadata.end\n1 Q0 a 1 2.0 headed\n"]
    upload.evaluate(DROP, [["a.txt", "b.txt"], contents])
    wait_for_tags(upload, "bm25", "headed")
    assert values(upload, "priority") == ["1", "2"]
    assert upload.locator("#id_tag").is_hidden()
    assert "Upload and check 2 runs" in upload.locator("form.form button[type=submit]").inner_text()


def test_each_file_is_sent_and_answered_by_itself(upload: Any, files: list[Path], cast: Cast) -> None:
    upload.set_input_files("input[type=file]", files)
    wait_for_tags(upload, "bm25", "dense-2", "third")
    answer_for_all(upload, "no")
    upload.locator(".upload-row [data-tag]").nth(1).fill("no tag")
    upload.locator("form.form button[type=submit]").click()
    rows = upload.locator(".upload-row")
    upload.get_by_text("2 of 3 runs received").wait_for()
    assert upload.locator("[data-left-of]").inner_text() == "4 of 5 runs left"
    assert "is no run tag here" in rows.nth(1).inner_text()
    expect(rows.nth(1).locator("[data-tag]")).to_be_focused()
    rows.nth(0).get_by_text("valid").wait_for()
    rows.nth(2).get_by_text("See 1 error of third").wait_for()
    assert list(Run.objects.order_by("pk").values_list("tag", "priority", "state")) == [
        ("bm25", 1, "valid"),
        ("third", 3, "rejected"),
    ]
    rows.nth(1).locator("[data-tag]").fill("dense-2")
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_text("3 of 3 runs received").wait_for()
    assert Run.objects.get(tag="dense-2").answers == {"dense": False}
    expect(upload.get_by_text("See the runs", exact=True)).to_be_focused()


def test_one_file_leads_to_the_page_of_its_run_by_the_keyboard_alone(upload: Any, files: list[Path]) -> None:
    upload.set_input_files("input[type=file]", files[0])  # the picker itself is the browser's
    wait_for_tags(upload, "bm25")
    upload.locator("input[type=file]").focus()
    for wanted in ("data-tag", "data-priority", "data-remove"):
        upload.keyboard.press("Tab")
        assert upload.evaluate("name => document.activeElement.hasAttribute(name)", wanted)
    upload.keyboard.press("Tab")  # made by
    upload.keyboard.press("Tab")
    upload.keyboard.press("Space")
    assert upload.locator("input[name=answer_dense]").first.is_checked()
    upload.keyboard.press("Tab")  # description
    upload.keyboard.press("Tab")
    assert upload.evaluate("document.activeElement.type") == "submit"
    upload.keyboard.press("Enter")
    upload.wait_for_url("**/runs/bm25/?attempt=1", wait_until="commit")
    upload.get_by_role("heading", name="Receipt").wait_for()


def test_a_row_can_be_removed_and_the_focus_stays_near(upload: Any, files: list[Path]) -> None:
    upload.set_input_files("input[type=file]", files[:2])
    wait_for_tags(upload, "bm25", "dense-2")
    upload.get_by_role("button", name="Remove first.txt").press("Enter")
    assert values(upload, "tag") == ["dense-2"]
    assert upload.evaluate("document.activeElement.innerText").startswith("Remove")


def test_what_cannot_be_sent_is_reported_before_it_is_sent(upload: Any, tmp_path: Path, files: list[Path]) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "copy.txt").write_bytes(files[0].read_bytes())
    upload.set_input_files("input[type=file]", [tmp_path / "empty.txt", files[0], tmp_path / "copy.txt"])
    assert "The file is empty." in upload.locator(".upload-row").first.inner_text()
    wait_for_tags(upload, "", "bm25", "bm25")
    answer_for_all(upload, "no")
    upload.locator("form.form button[type=submit]").click()
    assert "Two of these files" in upload.locator("[data-tag]").nth(1).evaluate("field => field.validationMessage")
    assert not Run.objects.exists()


def test_an_upload_shows_its_progress_and_can_be_cancelled(upload: Any, files: list[Path]) -> None:
    upload.set_input_files("input[type=file]", files[:2])
    wait_for_tags(upload, "bm25", "dense-2")
    answer_for_all(upload, "no")
    upload.route("**/runs/new/", lambda route: None)  # the line is dead: nothing is ever answered
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_role("progressbar", name="Upload").wait_for()
    assert upload.locator("form.form button[type=submit]").is_disabled()
    upload.get_by_role("button", name="Cancel the upload").click()
    upload.get_by_text("Cancelled. 0 of 2 runs received.").wait_for()
    assert not Run.objects.exists()
    upload.unroute("**/runs/new/")
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_text("2 of 2 runs received").wait_for()


def test_a_broken_line_keeps_what_arrived_and_what_was_typed(upload: Any, files: list[Path]) -> None:
    upload.set_input_files("input[type=file]", files[:2])
    wait_for_tags(upload, "bm25", "dense-2")
    answer_for_all(upload, "no")
    sent: list[str] = []

    def break_the_second(route: Any) -> None:
        sent.append(route.request.url)
        if len(sent) > 1:
            route.abort()
        else:
            route.continue_()

    upload.route("**/runs/new/", break_the_second)
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_text("1 of 2 runs received.").wait_for()
    assert values(upload, "tag") == ["bm25", "dense-2"]
    assert Run.objects.get().tag == "bm25"


def test_runs_whose_session_ended_are_sent_again_after_the_sign_in_with_all_that_was_entered(
    upload: Any, files: list[Path], cast: Cast, sign_in: Callable[[Any, Any], None]
) -> None:
    upload.set_input_files("input[type=file]", files[:1])
    wait_for_tags(upload, "bm25")
    answer_for_all(upload, "no")
    upload.locator("textarea[name=description]").fill("An hour of work")
    upload.context.clear_cookies(name="sessionid")
    upload.locator("form.form button[type=submit]").click()
    link = upload.get_by_role("link", name="Sign in (opens a new tab)")
    expect(link).to_be_visible()
    with upload.expect_popup() as opened:
        link.click()
    opened.value.locator("[name=login]").wait_for()  # the page brings another token
    sign_in(opened.value, cast.member)
    upload.locator("form.form button[type=submit]").click()
    upload.wait_for_url("**/runs/bm25/**")
    assert Run.objects.get().description == "An hour of work"


def test_runs_whose_session_ended_between_two_of_them_stop_and_go_on_where_they_stopped(
    upload: Any, files: list[Path], cast: Cast, sign_in: Callable[[Any, Any], None]
) -> None:
    (files[0].parent / "fourth.txt").write_bytes(run_lines(RANKING, "fourth"))
    upload.set_input_files("input[type=file]", [*files, files[0].parent / "fourth.txt"])
    wait_for_tags(upload, "bm25", "dense-2", "third", "fourth")
    answer_for_all(upload, "no")
    upload.locator(".upload-row [data-tag]").nth(0).fill("no tag")
    sent: list[str] = []

    def end_the_session_at_the_third(route: Any) -> None:
        sent.append(route.request.url)
        if len(sent) == 3:
            upload.context.clear_cookies(name="sessionid")
        route.continue_()

    upload.route("**/runs/new/", end_the_session_at_the_third)
    upload.locator("form.form button[type=submit]").click()
    link = upload.get_by_role("link", name="Sign in (opens a new tab)")
    expect(link).to_be_focused()
    told = upload.locator("[data-upload-status]").inner_text()
    assert told.startswith("1 of 4 runs received. Your session has ended, or you signed out. The rest was not stored;")
    assert len(sent) == 3
    outcomes = upload.locator(".upload-row [data-outcome]").all_inner_texts()
    assert "is no run tag here" in outcomes[0]
    assert outcomes[2:] == ["", ""]
    upload.unroute("**/runs/new/")
    sign_in(upload, cast.member)
    with upload.expect_popup() as opened:  # brings the token
        link.click()
    opened.value.wait_for_load_state()
    upload.locator(".upload-row [data-tag]").nth(0).fill("bm25")
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_text("4 of 4 runs received").wait_for()


def test_what_one_account_chose_is_not_sent_in_the_name_of_another_that_signed_in_since(
    upload: Any, files: list[Path], cast: Cast, live_server: Any, sign_in: Callable[[Any, Any], None]
) -> None:
    upload.set_input_files("input[type=file]", files[:2])
    wait_for_tags(upload, "bm25", "dense-2")
    answer_for_all(upload, "no")
    sign_in(upload, cast.organiser)
    other = upload.context.new_page()
    other.goto(live_server.url)  # brings its token
    upload.locator("form.form button[type=submit]").click()
    expect(upload.get_by_role("link", name="Sign out (opens a new tab)")).to_be_focused()
    told = f"opened by another account than {cast.organiser}, who is signed in now. The rest was not stored"
    assert told in upload.locator("[data-upload-status]").inner_text()
    assert not Run.objects.exists()
    sign_in(upload, cast.member)
    other.goto(live_server.url)
    upload.locator("form.form button[type=submit]").click()
    upload.get_by_text("2 of 2 runs received").wait_for()


def test_an_import_is_not_sent_in_the_name_of_another_account_either(
    cast: Cast, live_server: Any, page: Any, tmp_path: Path, sign_in: Callable[[Any, Any], None]
) -> None:
    (tmp_path / "topics.tsv").write_text("9001\tone more\n")
    sign_in(page, cast.organiser)
    page.goto(live_server.url + cast.task.url("files_import"))
    page.set_input_files("[name=topics-file]", tmp_path / "topics.tsv")
    sign_in(page, cast.member)
    page.get_by_role("button", name="Check the files").click()
    page.get_by_text("Nothing was stored; files and entries are still here.").wait_for()
    expect(page.get_by_role("link", name="Sign out (opens a new tab)")).to_be_focused()


def test_an_import_whose_session_ended_is_sent_again_after_the_sign_in(
    cast: Cast, live_server: Any, page: Any, tmp_path: Path, sign_in: Callable[[Any, Any], None]
) -> None:
    (tmp_path / "topics.tsv").write_text("9001\tone more\n")
    sign_in(page, cast.organiser)
    page.goto(live_server.url + cast.task.url("files_import"))
    page.set_input_files("[name=topics-file]", tmp_path / "topics.tsv")
    page.context.clear_cookies(name="sessionid")
    check = page.get_by_role("button", name="Check the files")
    check.click()
    link = page.get_by_role("link", name="Sign in (opens a new tab)")
    with page.expect_popup() as opened:
        link.click()
    opened.value.locator("[name=login]").wait_for()
    sign_in(opened.value, cast.organiser)
    check.click()
    page.wait_for_url("**/imports/**")


def test_a_run_is_replaced_with_its_entries_kept(
    cast: Cast, page: Any, live_server: Any, sign_in: Callable[[Any, Any], None], files: list[Path]
) -> None:
    Task.objects.update(max_runs_per_team=1)
    run = submit_and_check(cast, description="k1 = 0.9", answers={"dense": True})
    sign_in(page, cast.member)
    page.goto(live_server.url + run.get_absolute_url())
    page.get_by_role("link", name="Replace").click()
    assert page.locator("#id_description").input_value() == "k1 = 0.9"
    files[0].write_bytes(b"# the second one\n" + files[0].read_bytes())
    page.set_input_files("input[type=file]", files[0])
    page.locator("form.form button[type=submit]").click()
    page.wait_for_url("**/runs/bm25/?attempt=2", wait_until="commit")
    assert list(Run.objects.order_by("attempt").values_list("state", flat=True)) == ["withdrawn", "valid"]


def test_the_deadline_is_shown_in_its_own_zone_and_the_readers_with_a_countdown(cast: Cast, upload: Any) -> None:
    closes_at = timezone.now() + timedelta(days=3, hours=4, minutes=30)
    Task.objects.update(closes_at=closes_at)
    type(cast.member).objects.filter(pk=cast.member.pk).update(time_zone="Asia/Tokyo")
    upload.reload()
    told = upload.locator("main, header").all_inner_texts()
    there, here = closes_at.astimezone(zone_named("AoE")), closes_at.astimezone(zone_named("Asia/Tokyo"))
    words = " ".join(" ".join(told).split())
    assert f"{there:%H:%M} AoE (yours: {here.day} " in words
    assert f", {here:%H:%M} " in words.split("yours:")[1]
    assert "in 3 d 4 h" in words


SUGGEST = """async ([script, name, bytes]) =>
  (await import(script)).suggestTag(new File([new Uint8Array(bytes)], name))"""


def test_the_page_proposes_the_tag_that_the_site_would(page: Any, live_server: Any) -> None:
    page.goto(live_server.url)
    script = static("js/upload/tag-from-file.js")
    told = {case: page.evaluate(SUGGEST, [script, name, list(data)]) for case, (name, data, _) in TAG_CASES.items()}
    assert told == {case: tag for case, (_, _, tag) in TAG_CASES.items()}


def test_files_dropped_together_go_to_the_fields_that_their_names_speak_of_and_one_press_imports_all(
    transactional_db: None, page: Any, live_server: Any, sign_in: Callable[[Any, Any], None]
) -> None:
    made = make_cast()
    sign_in(page, made.organiser)
    page.goto(live_server.url + made.task.url("files_import"))
    named = {
        "2019qrels-docs.topics.txt": "1 0 d1 2\n2 0 d1 0\n",
        "other.qrels": "1 0 d1 1\n",
        "d.jsonl": '{"docno": "d1", "text": "mill ponds"}\n',
        "queries.tsv": "1\tmills\n2\tponds\n",
    }
    page.evaluate(DROP, [list(named), list(named.values())])
    qrels = next(iter(named))
    fields = page.locator("[data-drop-zone] input[type=file]")
    chosen = fields.evaluate_all("all => all.map((one) => [one.name, one.files[0]?.name])")
    assert chosen == [["topics-file", "queries.tsv"], ["documents-file", "d.jsonl"], ["qrels-file", qrels]]
    assert "Not taken: other.qrels. A field takes one file." in page.locator("form.form").inner_text()
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("button", name="Import 2 topics, 1 document and 2 lines of qrels").click()
    page.get_by_role("link", name="See the topics").wait_for()
    task = Task.objects.get(pk=made.task.pk)
    assert (task.topics.count(), task.collection.document_count, task.qrels.count()) == (2, 1, 1)
