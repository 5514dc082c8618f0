from django.urls import path

from runpool.operations import views

urlpatterns = [
    path("operations/", views.operations, name="operations"),
    path("operations/storage/", views.operations_storage, name="operations_storage"),
    path("operations/workers/", views.operations_workers, name="operations_workers"),
    path("operations/slow/", views.operations_slow, name="operations_slow"),
    path("operations/send/", views.operation_send_failed, name="operation_send_failed"),
    path("operations/<int:job_id>/send/", views.operation_send, name="operation_send"),
    path("operations/verify/", views.operation_verify, name="operation_verify"),
    path("health/", views.health, name="health"),
    path("livez", views.livez, name="livez"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
]
