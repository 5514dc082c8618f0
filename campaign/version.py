"""The version of this program, in one place: of the wheel, of pages, of backups and of archives."""

VERSION = "1.1.0.dev0"
