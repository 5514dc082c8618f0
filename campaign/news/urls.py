from django.urls import include, path

from campaign.news.views import files, milestones, notices, questions

news_patterns = [
    path("", notices.news_list, name="news_list"),
    path("atom.xml", files.news_feed, name="news_feed"),
    path("new/", notices.notice_create, name="notice_create"),
    path("recipients/", notices.notice_recipients, name="notice_recipients"),
    path("mails/", files.mail_list, name="mail_list"),
    path("mails.csv", files.mail_csv, name="mail_csv"),
    path("<int:notice_id>/", notices.notice_detail, name="notice_detail"),
]

milestone_patterns = [
    path("", milestones.milestone_list, name="milestone_list"),
    path("<int:milestone_id>/", milestones.milestone_edit, name="milestone_edit"),
    path("<int:milestone_id>/remove/", milestones.milestone_removed, name="milestone_remove"),
]

question_patterns = [
    path("", questions.question_list, name="question_list"),
    path("new/", questions.question_ask, name="question_ask"),
    path("<int:question_id>/answer/", questions.question_answer, name="question_answer"),
    path("<int:question_id>/withdraw/", questions.question_withdraw, name="question_withdraw"),
]

urlpatterns = [
    path("c/<slug:campaign_slug>/news/", include(news_patterns)),
    path("c/<slug:campaign_slug>/milestones/", include(milestone_patterns)),
    path("c/<slug:campaign_slug>/calendar.ics", files.campaign_calendar, name="campaign_calendar"),
    path("c/<slug:campaign_slug>/<slug:task_slug>/questions/", include(question_patterns)),
]
