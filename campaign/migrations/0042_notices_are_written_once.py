import django.core.validators
from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    dependencies = [("campaign", "0040_rounds")]

    operations = [
        RefuseSecondWrite("notice"),
        migrations.AlterField(
            model_name='campaign',
            name='slug',
            field=models.CharField(help_text='Part of every address of the campaign, for good: for example velo-2026.', max_length=50, unique=True, validators=[django.core.validators.RegexValidator('^(?!(?:new|edit|open|people|register|join|teams|agreements|news|milestones)$)[a-z0-9][a-z0-9-]*$', 'Use lower-case letters, digits and hyphens, starting with a letter or digit. A few words are pages: new, edit, open.')], verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='collection',
            name='slug',
            field=models.CharField(max_length=50, validators=[django.core.validators.RegexValidator('^(?!(?:new|edit|open|people|register|join|teams|agreements|news|milestones)$)[a-z0-9][a-z0-9-]*$', 'Use lower-case letters, digits and hyphens, starting with a letter or digit. A few words are pages: new, edit, open.')], verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='task',
            name='slug',
            field=models.CharField(max_length=50, validators=[django.core.validators.RegexValidator('^(?!(?:new|edit|open|people|register|join|teams|agreements|news|milestones)$)[a-z0-9][a-z0-9-]*$', 'Use lower-case letters, digits and hyphens, starting with a letter or digit. A few words are pages: new, edit, open.')], verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='team',
            name='slug',
            field=models.CharField(max_length=50, unique=True, validators=[django.core.validators.RegexValidator('^(?!(?:new|edit|open|people|register|join|teams|agreements|news|milestones)$)[a-z0-9][a-z0-9-]*$', 'Use lower-case letters, digits and hyphens, starting with a letter or digit. A few words are pages: new, edit, open.')], verbose_name='address'),
        ),
    ]
