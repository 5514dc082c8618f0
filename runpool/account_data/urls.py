from django.urls import path

from runpool.account_data import views

urlpatterns = [
    path("data/", views.data_exports, name="data_exports"),
    path("data/<int:export_id>/download/", views.data_export_download, name="data_export_download"),
    path("delete/", views.account_delete, name="account_delete"),
]
