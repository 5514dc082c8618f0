"""Documents, topics and judgments together, in the forms that other tools read by themselves."""
