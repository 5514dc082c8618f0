"""The addresses of the judging app that belong to no task."""

from django.urls import path

from judging.desk.views import keyboard_shortcuts, topics

urlpatterns = [
    path("next/judging/", topics.next_judging, name="next_judging"),
    path("account/keys/", keyboard_shortcuts.desk_keys, name="desk_keys"),
]
