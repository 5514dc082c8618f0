from django.db import migrations, models


class Migration(migrations.Migration):
    """The grades of subtopics are the details of the mode with subtopics: only the column's name changes."""

    dependencies = [("judging", "0001_initial")]

    operations = [
        migrations.RenameField(model_name="judgment", old_name="subtopic_grades", new_name="details"),
        migrations.AlterField(
            model_name="judgment",
            name="details",
            field=models.JSONField(
                blank=True, default=dict, help_text="What the judging mode keeps besides the grade."
            ),
        ),
    ]
