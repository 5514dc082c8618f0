"""Teams and their registrations, agreements, allowances and announcements."""
