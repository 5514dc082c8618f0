"""Run in a process of a site: an adaptive pool with a topic for two assessors, and what became of it. Prints JSON.

python -m tests.browser.adaptive_world make|tell
"""

import json
import sys

import django


def make() -> dict[str, object]:
    from django.conf import settings
    from django.test import Client

    from campaign.models import Role
    from tests.factories import make_cast, make_user
    from tests.judging.growing_pools import make_growing_pool
    from tests.judging.makers import assign

    cast = make_cast()
    pool = make_growing_pool(cast)
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    desks = []
    for assessor in (cast.assessor, other):
        assignment = assign(pool, cast.task.topics.get(), assessor, cast.organiser)
        client = Client()
        client.force_login(assessor, backend="allauth.account.auth_backends.AuthenticationBackend")
        session = client.cookies[settings.SESSION_COOKIE_NAME]
        url = cast.task.url("desk", topic_number="401")
        desks.append({"url": f"{url}?assignment={assignment.pk}", "cookie": session.key, "session": session.value})
    return {"desks": desks, "start": pool.size}


def tell() -> dict[str, object]:
    from judging.models import Assignment, Judgment
    from pooling.models import Pool, PoolChoice, TopicStop
    from pooling.selectors.growth_states import replay

    pool = Pool.objects.get()
    return {
        "judged": list(Judgment.objects.filter(is_current=True).values_list("docno", flat=True)),
        "acts": Judgment.objects.count(),
        "entries": list(pool.entries.values_list("docno", flat=True)),
        "steps": list(PoolChoice.objects.order_by("step").values_list("step", flat=True)),
        "stops": list(TopicStop.objects.order_by("pk").values_list("kind", flat=True)),
        "unfinished": Assignment.objects.filter(finished_at=None).count(),
        "different": [what for _, _, what in replay(pool) if what],
    }


if __name__ == "__main__":
    django.setup()
    sys.stdout.write(json.dumps(make() if sys.argv[1] == "make" else tell()))
