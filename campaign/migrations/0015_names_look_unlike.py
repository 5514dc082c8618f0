"""Names, tags and user names get the skeleton by which two of them look alike; who may found campaigns is kept with the user.

Rows that clash with an earlier one get none: they stay as they are, and only new names must look unlike.
"""

import campaign.models.fields
import campaign.models.lookalikes
import django.core.validators
import django.db.models.functions.text
from django.db import migrations, models

from campaign.models.lookalikes import skeleton

LARGEST = 255


def fill_skeletons(apps, schema_editor):
    fill(apps.get_model("campaign", "User").objects.order_by("pk"), "username", "username_skeleton", lambda user: 0)
    fill(apps.get_model("campaign", "Team").objects.order_by("pk"), "name", "name_skeleton", lambda team: 0)
    runs = apps.get_model("campaign", "Run").objects.order_by("pk")
    fill(runs.filter(state__in=["received", "valid"]), "tag", "tag_skeleton", lambda run: run.task_id)
    fill(runs.exclude(state__in=["received", "valid"]), "tag", "tag_skeleton", lambda run: run.pk)


def fill(rows, name, column, unique_within):
    """Each row within which a skeleton is unique gets it once: the first row of those that look the same."""
    taken = set()
    for row in rows.iterator():
        look = skeleton(getattr(row, name))[:LARGEST]
        if (unique_within(row), look) not in taken:
            taken.add((unique_within(row), look))
            rows.model.objects.filter(pk=row.pk).update(**{column: look})


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('campaign', '0014_role_invitations'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='tag_skeleton',
            field=campaign.models.fields.SkeletonField(editable=False, max_length=255, null=True, of='tag'),
        ),
        migrations.AddField(
            model_name='team',
            name='name_skeleton',
            field=campaign.models.fields.SkeletonField(editable=False, max_length=255, null=True, of='name', unique=True),
        ),
        migrations.AddField(
            model_name='user',
            name='may_found_campaigns',
            field=models.BooleanField(default=False, help_text='Where only chosen people create campaigns (FOUNDERS=staff).'),
        ),
        migrations.AddField(
            model_name='user',
            name='username_skeleton',
            field=campaign.models.fields.SkeletonField(editable=False, max_length=255, null=True, of='username', unique=True),
        ),
        migrations.RunPython(fill_skeletons, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='team',
            name='name',
            field=models.CharField(error_messages={'unique': 'This name is not free. Choose another.'}, max_length=80, unique=True, validators=[campaign.models.lookalikes.validate_name]),
        ),
        migrations.AlterField(
            model_name='user',
            name='display_name',
            field=models.CharField(blank=True, max_length=80, validators=[campaign.models.lookalikes.validate_name], verbose_name='name shown to others'),
        ),
        migrations.AlterField(
            model_name='user',
            name='username',
            field=models.CharField(error_messages={'unique': 'This user name is not free. Choose another.'}, help_text='Letters, digits and . + - _', max_length=150, unique=True, validators=[django.core.validators.RegexValidator('^[\\w.+-]+\\Z', 'Use letters, digits and . + - _ only. An @ cannot stand here: a user name must not look like an address.'), campaign.models.lookalikes.validate_name], verbose_name='user name'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['received', 'valid'])), fields=('task', 'tag_skeleton'), name='run_tag_looks_unlike_others_of_its_task', violation_error_message="This tag is not free in this task. Choose another, or replace the run if it is your team's."),
        ),
        migrations.AlterConstraint(
            model_name='run',
            name='run_tag_once_per_task',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['received', 'valid'])), fields=('task', 'tag'), name='run_tag_once_per_task', violation_error_message="This tag is not free in this task. Choose another, or replace the run if it is your team's."),
        ),
        migrations.AlterConstraint(
            model_name='user',
            name='user_username_unique_ignoring_case',
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='user_username_unique_ignoring_case', violation_error_message='This user name is not free. Choose another.'),
        ),
    ]
