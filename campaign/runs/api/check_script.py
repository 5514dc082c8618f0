from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Router

from campaign.api.auth import PUBLIC
from campaign.api.files import answers_with
from campaign.api.paths import TASK, TaskPath
from campaign.formats.check_script.make import make_check_script
from campaign.permissions import get_task_or_404
from campaign.runs.selectors.check_script import script_task

router = Router(tags=["Tasks"])


SCRIPT = answers_with("text/x-python; charset=utf-8")


@router.get(f"{TASK}/check-script", summary="Download the check script", openapi_extra=SCRIPT, **PUBLIC)
def download_check_script(request: HttpRequest, path: Path[TaskPath]) -> HttpResponse:
    """One Python file that finds what the site would find; for members of teams that take part with the document numbers."""
    task = script_task(request.user, get_task_or_404(request.user, path.campaign, path.task))
    headers = {"Content-Disposition": f'attachment; filename="{task.file_name}"'}
    return HttpResponse(
        make_check_script(task, timezone.now()), content_type="text/x-python; charset=utf-8", headers=headers
    )
