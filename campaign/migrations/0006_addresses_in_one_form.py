import unicodedata

from django.db import migrations

from campaign.models.lookalikes import plain_address

LONGEST = 254


def _folded(email):
    """The new form; the address as it is if the columns cannot hold that: compatible letters may be 18 letters."""
    plain = plain_address(email)
    return plain if len(plain) <= LONGEST else email


def fold_addresses(apps, schema_editor):
    """Version 1.0 stored addresses in the Unicode form in which they were typed, which no look-up finds.

    An address stays confirmed only where the new form is the same text: compatible letters may be another person's inbox.
    """
    addresses = apps.get_model('account', 'EmailAddress').objects
    for row in addresses.order_by('pk').iterator():
        plain = _folded(row.email)
        if plain == row.email:
            continue
        is_same = unicodedata.normalize('NFC', row.email).lower() == plain
        others = addresses.filter(email=plain, verified=True).exclude(user=row.user_id)
        verified = row.verified and is_same and not others.exists()
        own = addresses.filter(user=row.user_id, email=plain).first()
        if own is None:
            addresses.filter(pk=row.pk).update(email=plain, verified=verified)
            continue
        addresses.filter(pk=row.pk).delete()
        addresses.filter(pk=own.pk).update(
            verified=verified or own.verified, primary=row.primary or own.primary
        )
    users = apps.get_model('campaign', 'User').objects
    for pk, email in users.exclude(email='').values_list('pk', 'email').iterator():
        if _folded(email) != email:
            users.filter(pk=pk).update(email=_folded(email))


class Migration(migrations.Migration):

    dependencies = [
        ('account', '0009_emailaddress_unique_primary_email'),
        ('campaign', '0005_user_names_with_marks'),
    ]

    operations = [
        migrations.RunPython(fold_addresses, migrations.RunPython.noop),
    ]
