"""A few requests outside the load: signing in, looking at an answer, asking once for each of many tokens."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from .process import BenchError


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def token(self) -> str:
        """The access token of a sign-in."""
        if self.status != 200:
            raise BenchError(f"A sign-in was answered {self.status}: {self.body[:200]!r}")
        return str(json.loads(self.body)["access_token"])


def get(port: int, path: str, token: str | None = None) -> Answer:
    """One GET on a connection of its own."""
    return _exchange(port, "GET", path, None, {"Authorization": f"Bearer {token}"} if token else {})


def post_json(port: int, path: str, value: object, token: str | None = None) -> Answer:
    """One POST of JSON on a connection of its own."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return _exchange(port, "POST", path, json.dumps(value), headers)


def sign_in(port: int, path: str, email: str, password: str) -> Answer:
    """One sign-in with a form, as fastapi-users defines it."""
    form = urlencode({"username": email, "password": password})
    return _exchange(port, "POST", path, form, {"Content-Type": "application/x-www-form-urlencoded"})


def _exchange(port: int, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


def ask_each(port: int, path: str, tokens: Iterable[str]) -> Iterator[float]:
    """Asks once for each token, one after the other on one connection; gives the seconds that each answer took."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for token in tokens:
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
            start = time.perf_counter()
            connection.sendall(request)
            answer = connection.recv(65536)
            took = time.perf_counter() - start
            _require_whole(answer)
            yield took


def _require_whole(answer: bytes) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), -1)
    if not head.startswith(b"HTTP/1.1 200 ") or len(body) != length:
        raise BenchError(f"A request with a token was answered {answer[:200]!r}")
