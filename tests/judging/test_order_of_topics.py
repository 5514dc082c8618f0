"""Topics are listed by their numbers on every page; files keep the order of the topic file."""

import re

from django.test import Client

from campaign.collection.selectors.topics import neighbours
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import assign, judge, make_pool

NUMBERS = ["10", "2", "1", "q10", "q9"]
LISTED = ["1", "2", "10", "q9", "q10"]


def shown(client: Client, address: str, pattern: str) -> list[str]:
    """The numbers on a page, each where it stands first."""
    answer = client.get(address)
    assert answer.status_code == 200
    main = answer.content.decode().partition("<main")[2].partition("</nav>")[2]
    return list(dict.fromkeys(re.findall(pattern, main)))


def test_topics_are_listed_by_their_numbers_whatever_the_order_of_their_file(cast: Cast) -> None:
    topics = make_topics(cast.task, NUMBERS)
    pool = make_pool(cast.task, {topic: ["a", "b"] for topic in topics}, cast.organiser)
    second = make_user("zoe")
    for topic in topics:
        judge(assign(pool, topic, cast.assessor, cast.organiser), "a", 0)
        judge(assign(pool, topic, second, cast.organiser, pass_number=2), "a", 2)
    client = Client()
    client.force_login(cast.organiser)
    by_title = r"title of (\w+)"
    for page in ("topic_list", "judging_progress"):
        assert shown(client, cast.task.url(page), by_title) == LISTED, page
    assert shown(client, cast.task.url("judging_progress") + "?sort=-topic", by_title) == LISTED[::-1]
    by_number = r'<th scope="row">\s*(?:<[^>]*>)?(\w+)<'
    assert [row for row in shown(client, pool.get_absolute_url(), by_number) if row in LISTED] == LISTED
    queue = shown(client, cast.task.url("adjudication_queue"), r"<td>(\w+)</td>")
    assert [row for row in queue if row in LISTED] == LISTED
    agreement = shown(client, cast.task.url("judging_agreement"), by_number)
    assert [row for row in agreement if row in LISTED] == LISTED
    client.force_login(cast.assessor)
    assert shown(client, cast.task.url("my_topics"), by_title) == LISTED
    file = client.get(cast.task.url("topic_download", file_format="tsv")).getvalue().decode()
    assert re.findall(r"^(\w+)\t", file, re.M)[1:] == NUMBERS


def test_the_topics_before_and_after_one_are_those_of_the_list(cast: Cast) -> None:
    make_topics(cast.task, NUMBERS)
    beside = [neighbours(cast.task.topics.get(number=number)) for number in LISTED]
    assert [before.number for before, _ in beside if before] == LISTED[:-1]
    assert [after.number for _, after in beside if after] == LISTED[1:]
