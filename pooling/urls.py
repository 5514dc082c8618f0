from django.urls import path

from campaign.collection.views import imports
from campaign.models import Import
from pooling import views
from pooling.views.pools import POOL_PAGES

PAGES = {"pages_by_kind": POOL_PAGES}

urlpatterns = [
    path("pools/", views.pool_list, name="pool_list"),
    path("pools/new/", views.pool_create, name="pool_create"),
    path("pools/preview/", views.pool_preview, name="pool_preview"),
    path("pools/differences/", views.pool_differences, name="pool_differences"),
    path("pools/card/", views.pool_card, name="pool_card"),
    path("pools/import/", imports.import_create, {**PAGES, "kind": Import.POOL}, name="pool_import"),
    path("pools/import/<uuid:import_id>/", imports.import_detail, PAGES, name="pool_import_detail"),
    path("pools/import/<uuid:import_id>/state/", imports.import_state, PAGES, name="pool_import_state"),
    path("pools/import/<uuid:import_id>/repair/", imports.import_repair, PAGES, name="pool_import_repair"),
    path("pools/import/<uuid:import_id>/confirm/", imports.import_confirm, PAGES, name="pool_import_confirm"),
    path("pools/import/<uuid:import_id>/discard/", imports.import_discard, PAGES, name="pool_import_discard"),
    path("pools/<int:version>/", views.pool_detail, name="pool_detail"),
    path("pools/<int:version>/topics/", views.pool_topics, name="pool_topics"),
    path("pools/<int:version>/topics/<topic:topic_number>/", views.pool_topic, name="pool_topic"),
    path("pools/<int:version>/choices.csv", views.pool_choices, name="pool_choices"),
    path("pools/<int:version>/pool.txt", views.pool_download, name="pool_download"),
    path("pools/<int:version>/sample.txt", views.pool_sample_download, name="pool_sample"),
    path("pools/<int:version>/docnos.txt", views.pool_docnos, name="pool_docnos"),
    path(
        "pools/<int:version>/docnos-without-text.txt",
        views.pool_docnos,
        {"without_text": True},
        name="pool_docnos_without_text",
    ),
]
