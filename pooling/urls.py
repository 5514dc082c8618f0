from django.urls import path

from pooling import views

urlpatterns = [
    path("pools/", views.pool_list, name="pool_list"),
    path("pools/new/", views.pool_create, name="pool_create"),
    path("pools/preview/", views.pool_preview, name="pool_preview"),
    path("pools/card/", views.pool_card, name="pool_card"),
    path("pools/<int:version>/", views.pool_detail, name="pool_detail"),
    path("pools/<int:version>/pool.txt", views.pool_download, name="pool_download"),
]
