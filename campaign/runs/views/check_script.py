from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from campaign.formats.check_script.make import make_check_script
from campaign.permissions import get_task_or_404
from campaign.runs.selectors.check_script import script_task


@require_safe
def check_script(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = script_task(request.user, get_task_or_404(request.user, campaign_slug, task_slug))
    headers = {"Content-Disposition": f'attachment; filename="{task.file_name}"'}
    script = make_check_script(task, timezone.now())
    return HttpResponse(script, content_type="text/x-python; charset=utf-8", headers=headers)
