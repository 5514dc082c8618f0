from django.urls import path

from campaign.overview import views

urlpatterns = [
    path("", views.home, name="home"),
    path("c/<slug:campaign>/", views.campaign_detail, name="campaign_detail"),
    path("c/<slug:campaign>/<slug:task>/", views.task_detail, name="task_detail"),
]
