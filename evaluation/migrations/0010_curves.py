from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0009_audiences'),
    ]

    operations = [
        migrations.AddField(
            model_name='evaluation',
            name='curves',
            field=models.JSONField(help_text='Recall and precision, gain, ROC: means over topics; null: scored before they were kept.', null=True),
        ),
        RefuseSecondWrite("evaluation", may_be_deleted=True),
    ]
