"""The file of an archive, as pages and programs download it."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponseRedirect

from campaign.models import Archive
from campaign.storage.downloads import download_answer
from campaign.storage.reading import open_verified

FOUND_BY = "a download of an archive"


def archive_file(archive: Archive) -> FileResponse:
    """For programs. Http404 where it is not made yet, or was removed after some time."""
    name = _file_name(archive)
    file = open_verified(str(archive.file), found_by=FOUND_BY)
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def archive_answer(request: HttpRequest, archive: Archive) -> FileResponse | HttpResponseRedirect:
    """The same for browsers."""
    name = _file_name(archive)
    stored = str(archive.file)
    return download_answer(request, stored, filename=name, content_type="application/zip", found_by=FOUND_BY)


def _file_name(archive: Archive) -> str:
    if not archive.file:
        raise Http404("This archive has no file: it is not made yet, or its file was removed.")
    of = f"{archive.campaign.slug}-{archive.task.slug}" if archive.task else archive.campaign.slug
    return f"{of}-archive-{archive.pk}.zip"
