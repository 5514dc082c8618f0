from datetime import datetime

from django.http import HttpRequest
from ninja import Field, Router, Schema

from campaign.api.fields import one_of
from campaign.permissions import signed_in
from campaign.web.links import absolute
from runpool.overview.selectors.whats_new import KINDS, MOST_TOLD, TOLD_FOR, whats_new

LIMITS = f"of the last {TOLD_FOR.days} days, at most {MOST_TOLD}, the newest first"
router = Router(tags=["Account"])


class NewOut(Schema):
    kind: str = one_of(KINDS)
    text: str
    place: str = Field(description="Campaign and task.")
    at: datetime = Field(description="Of the newest row.")
    is_new: bool = Field(description="Not marked as seen on the page *New*.")
    url: str = Field(description="A page that you may open.")


@router.get(
    "/new",
    response=list[NewOut],
    summary="List what is new",
    description=f"As the page *New*: {LIMITS}. Reading marks nothing as seen.",
)
def list_new(request: HttpRequest) -> list[NewOut]:
    return [
        NewOut(
            kind=entry.kind,
            text=entry.text,
            place=entry.place,
            at=entry.at,
            is_new=entry.is_new,
            url=absolute(entry.url),
        )
        for entry in whats_new(signed_in(request.user))
    ]
