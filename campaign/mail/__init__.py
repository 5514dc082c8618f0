"""Keeps mails as rows and sends them. What a mail says and who gets it stands in the room where something happens."""
