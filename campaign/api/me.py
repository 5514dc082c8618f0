from datetime import datetime
from typing import cast

from django.http import HttpRequest
from ninja import Field, Router, Schema

from campaign.api.fields import one_of
from campaign.models import ApiToken, Team
from campaign.permissions import signed_in

router = Router(tags=["Account"])


class TokenOut(Schema):
    name: str
    scope: str = one_of(ApiToken.SCOPES)
    expires_at: datetime


class Me(Schema):
    username: str
    display_name: str
    email: str
    time_zone: str = Field(description="Empty: the browser's own.")
    token: TokenOut = Field(description="The one that asks.")
    teams: list[str] = Field(description="Addresses of the teams that you are a member of.")


@router.get("/me", response=Me, summary="Who I am")
def me(request: HttpRequest) -> Me:
    """The account that the token acts for, and what the token may do."""
    user = signed_in(request.user)
    token = cast(ApiToken, request.auth)  # type: ignore[attr-defined]  # set by the framework
    return Me(
        username=user.username,
        display_name=user.display_name,
        email=user.email,
        time_zone=user.time_zone,
        token=TokenOut(name=token.name, scope=token.scope, expires_at=token.expires_at),
        teams=list(Team.objects.of(user).order_by("pk").values_list("slug", flat=True)),
    )
