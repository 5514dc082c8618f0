"""Tasks whose qrels are public learn since when, and their later runs are marked as such."""

from django.db import migrations
from django.db.models import Min


def mark(apps, schema_editor):
    qrels, task, run = (
        apps.get_model(app, model) for app, model in (("judging", "Qrels"), ("campaign", "Task"), ("campaign", "Run"))
    )
    known = qrels.objects.filter(published_at__isnull=False).order_by().values_list("task").annotate(Min("published_at"))
    for key, since in known:
        task.objects.filter(pk=key, qrels_known_at__isnull=True).update(qrels_known_at=since, runs_closed_at=since)
        run.objects.filter(task=key, submitted_at__gte=since).update(after_qrels=True)


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0017_sets_of_qrels"),
        ("campaign", "0031_rounds_policy_and_what_counts"),
    ]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
