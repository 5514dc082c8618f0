from django.db import migrations

NAMES = {
    "campaign.run_tasks.check_run": "check run",
    "campaign.mail_tasks.send_mail": "send mail",
    "campaign.tasks.check_import": "check import",
    "campaign.tasks.apply_import": "apply import",
    "campaign.tasks.index_docnos": "index docnos",
    "pooling.tasks.freeze_pool": "freeze pool",
    "judging.tasks.check_qrels": "check qrels",
    "judging.tasks.apply_qrels": "apply qrels",
    "evaluation.tasks.score_task": "score task",
}


def rename(apps, schema_editor):
    """A job was named by the module of its function."""
    for old, new in NAMES.items():
        apps.get_model("campaign", "Job").objects.filter(name=old).update(name=new)


def rename_back(apps, schema_editor):
    for old, new in NAMES.items():
        apps.get_model("campaign", "Job").objects.filter(name=new).update(name=old)


def relate(apps, schema_editor):
    """Which run or task a job is about stood in its arguments alone."""
    jobs = apps.get_model("campaign", "Job").objects
    for argument, model in (("run_id", "Run"), ("task_id", "Task")):
        there = set(apps.get_model("campaign", model).objects.values_list("pk", flat=True))
        for row in jobs.filter(arguments__has_key=argument).iterator():
            if row.arguments[argument] in there:
                jobs.filter(pk=row.pk).update(**{argument: row.arguments[argument]})


class Migration(migrations.Migration):
    dependencies = [("campaign", "0007_job_relations")]

    operations = [
        migrations.RunPython(rename, rename_back),
        migrations.RunPython(relate, migrations.RunPython.noop),
    ]
