"""Archives that are restored where the campaign is still there, of parts of it, and of campaigns at rest."""

from datetime import timedelta

import pytest
from django.utils import timezone

from campaign.models import Notice, Restoration, Task
from campaign.news.services.reminders import deadlines_remind
from campaign.setup.services.lifecycle import campaign_archive
from campaign.setup.services.rounds import round_add
from tests.campaign.news.makers import make_notices
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.runpool.archive.makers import archive_of, bytes_of, restore

pytestmark = pytest.mark.django_db


def test_a_campaign_with_news_is_restored_beside_the_original(cast: Cast) -> None:
    make_notices(cast)
    restorer = make_user()
    restored = restore(bytes_of(archive_of(cast.campaign, cast.organiser)), restorer)
    assert restored.state == Restoration.DONE, restored.problems
    assert Notice.objects.filter(campaign=restored.campaign).count() == 2
    first = archive_of(cast.campaign, cast.organiser)
    assert archive_of(restored.campaign, restorer).content_sha256 == first.content_sha256


def test_an_archived_campaign_is_archived_and_restored_as_it_is(cast: Cast) -> None:
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b"])
    Task.objects.update(closes_at=timezone.now() + timedelta(days=6.5))
    campaign_archive(actor=cast.organiser, campaign=cast.campaign)
    restored = restore(bytes_of(archive_of(cast.campaign, cast.organiser)), make_user())
    assert restored.state == Restoration.DONE, restored.problems
    assert restored.campaign.archived_at is not None
    assert deadlines_remind() == 0


def test_a_later_round_is_archived_and_restored_alone(cast: Cast) -> None:
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b"])
    later = round_add(actor=cast.organiser, task=cast.task, slug="second", title="Second", round_kind=Task.TEST)
    restored = restore(bytes_of(archive_of(cast.campaign, cast.organiser, task=later)), make_user())
    assert restored.state == Restoration.DONE, restored.problems
    [task] = restored.campaign.tasks.all()
    assert (task.slug, task.follows) == ("second", None)
