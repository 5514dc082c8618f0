"""Preference judging: the documents of a topic's best grade, compared two at a time until their order is known."""
