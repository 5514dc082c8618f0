"""The pages about preferences, below a task."""

from django.urls import path

from judging.preferences.views import desk, organising

urlpatterns = [
    path("", organising.preferences, name="preferences"),
    path("start/", organising.preferences_begin, name="preferences_begin"),
    path("remove/", organising.preferences_remove, name="preferences_remove"),
    path("release/", organising.preferences_release, name="preferences_release"),
    path("mine/", desk.my_preferences, name="my_preferences"),
    path("topics/<topic:topic_number>/", desk.preference_desk, name="preference_desk"),
    path("topics/<topic:topic_number>/documents/", desk.preference_documents, name="preference_documents"),
    path("topics/<topic:topic_number>/answers/", desk.preference_submit, name="preference_submit"),
    path("orders/<int:version>/", organising.preference_order, name="preference_order"),
    path("orders/<int:version>/order.txt", organising.preference_order_download, name="preference_order_download"),
    path("orders/<int:version>/manifest.json", organising.preference_manifest, name="preference_manifest"),
]
