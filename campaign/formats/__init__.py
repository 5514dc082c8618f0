"""Readers and writers of the field's file formats; what is wrong with a file comes back as data, never as an exception."""
