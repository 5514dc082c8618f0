"""Below words that no campaign and no task may have as its address: new, edit."""

from django.urls import path

from runpool.archive import views

urlpatterns = [
    path("c/new/archive/", views.restoration_create, name="restoration_create"),
    path("c/new/archive/<uuid:restoration_id>/", views.restoration_detail, name="restoration_detail"),
    path("c/new/archive/<uuid:restoration_id>/state/", views.restoration_state, name="restoration_state"),
    path("c/new/archive/<uuid:restoration_id>/discard/", views.restoration_discard, name="restoration_discard"),
    path("c/<slug:campaign_slug>/edit/archive/", views.archive_list, name="archive_list"),
    path("c/<slug:campaign_slug>/edit/archive/state/", views.archive_state, name="archive_state"),
    path("c/<slug:campaign_slug>/edit/archive/<int:archive_id>/", views.archive_download, name="archive_download"),
]
