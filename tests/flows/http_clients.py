"""People who use a running site over HTTP alone: by pages with cookies, by the API with a token."""

import contextlib
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from typing import Any

PASSWORD = "a rather long passphrase"
BOUNDARY = "wire-test-boundary"


class Visitor:
    """Reads pages and sends their forms as a browser does: with cookies, CSRF token and redirects."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))

    def get(self, path: str) -> str:
        with self.opener.open(path if path.startswith("http") else self.url + path, timeout=120) as response:
            self.address = response.geturl()
            return str(response.read().decode())

    def send(self, path: str, **fields: object) -> str:
        [token] = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path))[:1]
        return self._post(self.address, token, fields)

    def press(self, path: str, action: str) -> str:
        """The button of a form on the page that leads to another address."""
        [token] = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path))[:1]
        return self._post(self.url + action, token, {})

    def _post(self, address: str, token: str, fields: dict[str, object]) -> str:
        request = urllib.request.Request(address, headers={"Referer": self.address})
        request.data = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **fields}, doseq=True).encode()
        with self.opener.open(request, timeout=120) as response:
            self.address = response.geturl()
            return str(response.read().decode())

    def cookies(self) -> dict[str, str]:
        return {cookie.name: cookie.value or "" for cookie in self._jar}

    def post(self, path: str, body: bytes, *, pause: Callable[[], object] = lambda: None) -> tuple[int, str]:
        """Send a prepared form; its last bytes after `pause`."""
        to = http.client.HTTPConnection(urllib.parse.urlsplit(self.url).netloc, timeout=120)
        with contextlib.closing(to) as connection:
            connection.putrequest("POST", path)
            connection.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies().items()))
            connection.putheader("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            connection.send(body[:-10])
            pause()
            connection.send(body[-10:])
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def sign_up(self, name: str, path: str = "/account/signup/") -> str:
        return self.send(path, username=name, email=f"{name}@example.org", password1=PASSWORD, password2=PASSWORD)

    def log_in(self, name: str) -> None:
        self.send("/account/login/", login=name, password=PASSWORD)

    def make_token(self, scope: str = "submit") -> str:
        page = self.send("/account/tokens/", name="test", scope=scope, lifetime="30", until="")
        [token] = set(re.findall(r"\brp_[A-Za-z0-9_-]{43}", page))
        return str(token)


class Api:
    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = f"{url}/api/v1", token

    def ask(self, method: str, path: str, data: object = None) -> tuple[int, Any]:
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.url + path, body, method=method)
        return self._answer(request, "application/json")

    def submit(self, path: str, content: bytes, file_name: str = "run.txt", **fields: str) -> tuple[int, Any]:
        body = multipart({**fields}, file_name, content)
        request = urllib.request.Request(self.url + path, body, method="POST")
        return self._answer(request, f"multipart/form-data; boundary={BOUNDARY}")

    def wait(self, path: str, seconds: float = 30) -> Any:
        """The run once it is checked."""
        deadline = time.monotonic() + seconds
        while True:
            _, run = self.ask("GET", path)
            if run["state"] != "received" or time.monotonic() > deadline:
                return run
            time.sleep(0.2)

    def _answer(self, request: urllib.request.Request, kind: str) -> tuple[int, Any]:
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", kind)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as problem:
            return problem.code, json.loads(problem.read())


def multipart(fields: dict[str, str], file_name: str, content: bytes) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n\r\n'.encode()
    return b"".join([*parts, head, content, f"\r\n--{BOUNDARY}--\r\n".encode()])


def start_and_break_off(url: str, path: str, token: str, body: bytes, length: int) -> None:
    """Announce `length` bytes, send `body` only, and hang up."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=120)
    connection.putrequest("POST", f"/api/v1{path}")
    connection.putheader("Authorization", f"Bearer {token}")
    connection.putheader("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
    connection.putheader("Content-Length", str(length))
    connection.endheaders()
    connection.send(body)
    connection.close()
