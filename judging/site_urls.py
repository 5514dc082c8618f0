"""The one address of the judging app that belongs to no task: a fragment of the home page."""

from django.urls import path

from judging.views import topics

urlpatterns = [path("next/judging/", topics.next_judging, name="next_judging")]
