from django.urls import path

from campaign.accounts.views import account, tokens

urlpatterns = [
    path("settings/", account.account_settings, name="account_settings"),
    path("tokens/", tokens.token_list, name="token_list"),
    path("tokens/<int:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
]
