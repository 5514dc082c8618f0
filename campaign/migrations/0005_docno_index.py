from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0004_mails_to_many")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="documents_version",
            field=models.PositiveIntegerField(
                default=0,
                editable=False,
                help_text="Counts the times that documents came or went: names the index of docnos.",
            ),
        ),
    ]
