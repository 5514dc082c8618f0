from django.urls import path

from campaign.views import account

urlpatterns = [path("settings/", account.account_settings, name="account_settings")]
