"""What belongs to a person: their data, handed out on request, and the deletion of their account."""
