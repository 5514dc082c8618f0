"""Whether the web server of this container can do its work: /readyz, asked for as the proxy asks. Its port is the argument."""

import os
import sys
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

SITE = os.environ.get("RUNPOOL_ALLOWED_HOSTS", "").partition(",")[0] or "localhost"
DIRECTLY = build_opener(ProxyHandler({}))  # Docker may name a proxy for the machine's own requests in the environment
AS_THE_PROXY = {"Host": SITE, "X-Forwarded-Proto": "https", "X-Forwarded-For": "127.0.0.1"}

if __name__ == "__main__":
    try:
        with DIRECTLY.open(
            Request(f"http://127.0.0.1:{int(sys.argv[1])}/readyz", headers=AS_THE_PROXY), timeout=20
        ) as answer:
            sys.stdout.write(f"{answer.status}\n")
    except HTTPError as problem:
        sys.exit(f"{problem.code}: {problem.read().decode()[:2000]}")
    except OSError as problem:
        sys.exit(f"The web server does not answer: {problem}")
