"""Below a task."""

from django.urls import path

from campaign.collection.views import (
    corrections,
    documents,
    imports,
    topics,
)
from campaign.collection.views.import_pages import COLLECTION_PAGES

PAGES = {"pages_by_kind": COLLECTION_PAGES}

urlpatterns = [
    path("topics/", topics.topic_list, name="topic_list"),
    path("topics/<topic:topic_number>/", topics.topic_detail, name="topic_detail"),
    path("topics/<topic:topic_number>/edit/", corrections.topic_edit, name="topic_edit"),
    path("topics/<topic:topic_number>/scoring/", corrections.topic_scoring, name="topic_scoring"),
    path("document-texts/<path:docno>/", corrections.document_edit, name="document_edit"),
    path("errata/", corrections.errata, name="errata"),
    path("topic-files/<str:file_format>/", topics.topic_download, name="topic_download"),
    path("docnos/", documents.docno_download, name="docno_download"),
    path("document-files/<str:file_format>/", documents.document_download, name="document_download"),
    path("documents/", documents.document_list, name="document_list"),
    path("documents/<path:docno>/", documents.document_detail, name="document_detail"),
    path("document-pages/<path:docno>/", documents.document_page, name="document_page"),
    path("import/<str:kind>/", imports.import_create, PAGES, name="import_create"),
    path("imports/<uuid:import_id>/", imports.import_detail, PAGES, name="import_detail"),
    path("imports/<uuid:import_id>/state/", imports.import_state, PAGES, name="import_state"),
    path("imports/<uuid:import_id>/confirm/", imports.import_confirm, PAGES, name="import_confirm"),
    path("imports/<uuid:import_id>/discard/", imports.import_discard, PAGES, name="import_discard"),
    path("imports/<uuid:import_id>/repair/", imports.import_repair, PAGES, name="import_repair"),
]
