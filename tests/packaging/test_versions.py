"""A version is told in one place, and says in the changelog what it asks of an operator."""

import re

from campaign.version import VERSION
from tests.places import REPOSITORY
from tests.upgrades.released import RELEASES

CHANGELOG = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", CHANGELOG, flags=re.MULTILINE | re.DOTALL))
"""Texts by their headings, the newest first."""
RELEASED, UNRELEASED = r"{} \(\d{{4}}-\d\d-\d\d\)", r"{} \(not released yet\)"


def test_the_changelog_begins_with_this_version_and_what_an_operator_does() -> None:
    number, _, under_way = VERSION.partition(".dev")
    heading, text = next(iter(SECTIONS.items()))
    assert re.fullmatch((UNRELEASED if under_way else RELEASED).format(re.escape(number)), heading)
    assert "### What an operator does\n- " in text


def test_every_released_version_has_a_section_with_its_date_and_data_to_try_upgrades_with() -> None:
    """The newest may lack its data: the line that names its commit comes in a later one."""
    dated = [heading for heading in SECTIONS if re.fullmatch(RELEASED.format(r"[0-9.]+"), heading)]
    assert list(SECTIONS)[1:] == [heading for heading in dated if heading in list(SECTIONS)[1:]]
    versions = [release.version for release in reversed(RELEASES)]
    assert versions in ([heading.split()[0] for heading in dated], [heading.split()[0] for heading in dated[1:]])
    assert all(release.data.is_file() for release in RELEASES)
