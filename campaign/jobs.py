"""The jobs of every room: what Celery imports of this app."""

from campaign.collection import jobs as collection_jobs
from campaign.mail import jobs as mail_jobs
from campaign.news import jobs as news_jobs
from campaign.runs import jobs as run_jobs

__all__ = ["collection_jobs", "mail_jobs", "news_jobs", "run_jobs"]
