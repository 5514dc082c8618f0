"""The file of an archive, as pages and programs download it."""

from django.http import FileResponse, Http404

from campaign.models import Archive
from campaign.storage.reading import open_verified


def archive_file(archive: Archive) -> FileResponse:
    """Http404 where it is not made yet, or was removed after some time."""
    if not archive.file:
        raise Http404("This archive has no file: it is not made yet, or its file was removed.")
    file = open_verified(str(archive.file), found_by="a download of an archive")
    of = f"{archive.campaign.slug}-{archive.task.slug}" if archive.task else archive.campaign.slug
    name = f"{of}-archive-{archive.pk}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
