from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0003_replaced_runs")]

    operations = [
        migrations.AddField(
            model_name="mail",
            name="batch",
            field=models.UUIDField(help_text="Of mails that an organiser sends to many: each address once.", null=True),
        ),
        migrations.AddField(
            model_name="mail",
            name="reply_to",
            field=models.EmailField(blank=True, max_length=254),
        ),
        migrations.AddConstraint(
            model_name="mail",
            constraint=models.UniqueConstraint(fields=("batch", "address"), name="mail_once_per_batch_and_address"),
        ),
    ]
