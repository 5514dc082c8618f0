from django.urls import path

from campaign.accounts.views import account, tokens

urlpatterns = [
    path("signup/", account.SignUp.as_view(), name="account_signup"),  # before that of allauth
    path("settings/", account.account_settings, name="account_settings"),
    path("mails/", account.mail_settings, name="mail_settings"),
    path("emails/unsubscribe/<str:key>/", account.mail_off, name="mail_off"),
    path("tokens/", tokens.token_list, name="token_list"),
    path("tokens/<int:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
]
