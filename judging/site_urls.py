"""The addresses of the judging app that belong to no task."""

from django.urls import path

from judging.desk.views import desk, topics

urlpatterns = [
    path("next/judging/", topics.next_judging, name="next_judging"),
    path("account/keys/", desk.desk_keys, name="desk_keys"),
]
