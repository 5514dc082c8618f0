from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from campaign.formats.runs.rules import RULES
from campaign.models import AuditEvent, Run, Task
from campaign.setup.services.tasks import task_create, task_update
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit_and_check
from tests.factories import Cast


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast()


@pytest.fixture
def organiser(cast: Cast) -> Client:
    return signed_in(cast.organiser)


def form_data(page: Any, **changes: str) -> dict[str, str]:
    """What a browser sends of the form as it stands, without the changes of its user."""
    data: dict[str, str] = {}
    for part in ("form", "scale", "rules", "questions"):
        forms = [page.context[part]]
        if hasattr(page.context[part], "management_form"):
            forms = [page.context[part].management_form, *page.context[part].forms]
        for form in forms:
            for field in form:
                value = field.value()
                if value is not None and value is not False and value != "":
                    data[field.html_name] = "on" if value is True else str(value)
    data["measures"] = ""
    return data | changes


def test_only_severities_that_differ_from_the_usual_are_kept(cast: Cast, organiser: Client) -> None:
    page = organiser.get(cast.task.url("task_edit"))
    data = form_data(page, **{"rules-topic_missing": "error", "rules-not_q0": "warning", "rules-docno_unknown": "off"})
    assert organiser.post(cast.task.url("task_edit"), data).status_code == 302
    assert Task.objects.get().rule_severities == {"topic_missing": "error", "docno_unknown": "off"}
    assert "topic_missing" in str(AuditEvent.objects.get(verb="update").data["rule_severities"])
    page = organiser.get(cast.task.url("task_edit"))
    assert page.context["rules"]["topic_missing"].value() == "error"
    back = form_data(page, **{"rules-topic_missing": "warning"})
    organiser.post(cast.task.url("task_edit"), back)
    assert Task.objects.get().rule_severities == {"docno_unknown": "off"}


def test_the_form_offers_every_rule_that_is_not_fixed_and_names_the_others(cast: Cast, organiser: Client) -> None:
    page = organiser.get(cast.task.url("task_edit"))
    html = page.content.decode()
    for rule in RULES.values():
        assert (f'name="rules-{rule.code}"' in html) is not rule.is_fixed
        assert rule.title in page.content.decode().replace("&#x27;", "'")


def test_a_severity_that_does_not_exist_is_refused_by_form_and_service(cast: Cast, organiser: Client) -> None:
    page = organiser.get(cast.task.url("task_edit"))
    answer = organiser.post(cast.task.url("task_edit"), form_data(page, **{"rules-not_q0": "fatal"}))
    assert answer.status_code == 422
    for wrong in ({"not_q0": "fatal"}, {"column_count": "off"}, {"no_such_rule": "off"}, ["not_q0"]):
        with pytest.raises(ValidationError) as refusal:
            task_update(actor=cast.organiser, task=cast.task, rule_severities=wrong)
        assert list(refusal.value.message_dict) == ["rule_severities"]


@pytest.mark.parametrize("field", ["docno_pattern", "tag_pattern"])
@pytest.mark.parametrize(
    "pattern",
    [
        "[",
        r"(a)\1",
        r"a*a*a*a*(?=b)b",
    ],
)
def test_a_pattern_that_is_wrong_or_not_supported_is_refused(cast: Cast, field: str, pattern: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        task_update(actor=cast.organiser, task=cast.task, **{field: pattern})
    assert list(refusal.value.message_dict) == [field]
    with pytest.raises(ValidationError):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug="other", title="Other", **{field: pattern})


def test_a_bad_pattern_is_reported_at_its_field(cast: Cast, organiser: Client) -> None:
    page = organiser.get(cast.task.url("task_edit"))
    answer = organiser.post(cast.task.url("task_edit"), form_data(page, docno_pattern="(?=x)x"))
    assert answer.status_code == 422
    assert "lookaheads" in str(answer.context["form"].errors["docno_pattern"])


def test_changed_rules_offer_to_check_the_runs_that_are_there_again(cast: Cast, organiser: Client) -> None:
    run = submit_and_check(cast)
    page = organiser.get(cast.task.url("task_edit"))
    same = organiser.post(cast.task.url("task_edit"), form_data(page, title="Renamed"))
    assert same["Location"] == cast.task.get_absolute_url()
    answer = organiser.post(cast.task.url("task_edit"), form_data(page, **{"rules-topic_short": "error"}))
    assert answer["Location"] == cast.task.url("runs_recheck")
    assert Run.objects.get(pk=run.pk).state == Run.VALID
    assert "No check is running" in organiser.get(answer["Location"]).content.decode()


def test_participants_read_which_rules_reject_and_which_warn(cast: Cast) -> None:
    Task.objects.update(rule_severities={"topic_missing": "error", "docno_duplicate": "warning"})
    page = signed_in(cast.member).get(cast.task.get_absolute_url())
    rules = page.context["overview"].rules
    assert RULES["topic_missing"].title in rules.reject
    assert RULES["docno_duplicate"].title in rules.warn
    assert RULES["topic_missing"].title in page.content.decode()
