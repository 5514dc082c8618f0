from django.urls import path

from runpool.overview import views

urlpatterns = [
    path("", views.home, name="home"),
    path("search/", views.search, name="search"),
    path("glossary/", views.glossary, name="glossary"),
    path("new/", views.whats_new_list, name="whats_new"),
    path("new/count/", views.whats_new_count, name="whats_new_count"),
    path("new/seen/", views.whats_new_seen, name="whats_new_seen"),
    path("c/<slug:campaign_slug>/", views.campaign_detail, name="campaign_detail"),
    path("c/<slug:campaign_slug>/rounds/", views.campaign_rounds, name="campaign_rounds"),
    path("c/<slug:campaign_slug>/<slug:task_slug>/", views.task_detail, name="task_detail"),
]
