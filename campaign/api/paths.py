"""The stems of addresses."""

CAMPAIGN = "/campaigns/{campaign}"
TASK = f"{CAMPAIGN}/tasks/{{task}}"
RUN = f"{TASK}/runs/{{tag}}"
