"""The version of this program, in one place: of the wheel, of pages, of backups and of archives."""

VERSION = "1.1.0.dev0"

OF_VERSION = "version"
"""The tag of the check that refuses to work over the data of a later version: the one check of commands that must be quick."""
