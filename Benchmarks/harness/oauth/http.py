"""HTTP of one caller: a kept connection, a response that is lost on its way, and a browser with cookies and forms."""

from __future__ import annotations

import html
import http.client
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode, urlsplit

from ..process import BenchError

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
REDIRECTS = 10


class Broken(Exception):
    """The connection ended before the response."""


class Lost(Exception):
    """The server has sent its response, which the caller did not receive."""


@dataclass(frozen=True)
class Response:
    """A whole response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Connection:
    """Requests one after another on a connection that is kept."""

    def __init__(self, port: int):
        self._port = port
        self._connection: http.client.HTTPConnection | None = None

    def send(
        self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None,
        is_lost: bool = False, on_sent: Callable[[], None] = lambda: None,
    ) -> Response:
        """Sends a request. `is_lost` closes the connection once the response arrives, without reading it."""
        try:
            connection = self._opened()
            connection.request(method, path, body, headers or {})
            on_sent()
            if is_lost and connection.sock.recv(1, socket.MSG_PEEK):
                self.close()
                raise Lost
            with connection.getresponse() as response:
                return Response(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Broken from error

    def close(self) -> None:
        """Closes the connection; the next request opens another one."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _opened(self) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        if self._connection.sock is None:
            self._connection.connect()
            self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._connection


class Form(HTMLParser):
    """The first form of a page that has a field, with the values of its hidden fields."""

    def __init__(self, page: str, containing: str):
        super().__init__()
        self._forms: list[tuple[str, dict[str, str], set[str]]] = []
        self.feed(page)
        for action, fields, names in self._forms:
            if containing in names:
                self.action, self.fields = action, fields
                return
        raise BenchError(f"A page has no form with the field {containing}: {page[:2000]}")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collects forms and their fields."""
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self._forms.append((values.get("action", ""), {}, set()))
        elif self._forms and "name" in values:
            _, fields, names = self._forms[-1]
            names.add(values["name"])
            if values.get("type") == "hidden":
                fields[values["name"]] = values.get("value", "")


class Browser:
    """A person's browser: it keeps cookies, and follows redirects and pages that open an address, until one leads to the client."""

    def __init__(self, port: int, cookies: dict[str, str] | None = None):
        self._connection = Connection(port)
        self.cookies = dict(cookies or {})

    def get(self, target: str, redirect: str = "") -> Response | dict[str, str]:
        """Opens an address. Returns the page, or what a redirect to the client's address has in its query."""
        return self._follow("GET", target, None, {}, redirect)

    def submit(self, page: Response, field: str, target: str, values: dict[str, str], redirect: str = ""):
        """Sends the form of a page that has `field`; `target` is the page's address. Returns as `get` does."""
        form = Form(page.body.decode(), field)
        body = urlencode(form.fields | values)
        return self._follow("POST", form.action or target, body, FORM | {"Sec-Fetch-Site": "same-origin"}, redirect)

    def send(self, method: str, target: str, body: str | None, headers: dict[str, str]) -> Response:
        """Sends one request and keeps the cookies of the response."""
        sent = dict(headers)
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        response = self._connection.send(method, target, body, sent)
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name.strip()] = value.strip()
        return response

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def _follow(self, method: str, target: str, body: str | None, headers: dict[str, str], redirect: str):
        for _ in range(REDIRECTS):
            response = self.send(method, target, body, headers)
            location = _next(response)
            if location is None:
                return response
            if redirect and location.startswith(redirect):
                return dict(parse_qsl(urlsplit(location).query))
            parts = urlsplit(location)
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            method, body, headers = "GET", None, {}
        raise BenchError(f"Too many redirects, the last one to {location}")


def _next(response: Response) -> str | None:
    """The address of a redirect, or the one that a page opens by itself."""
    if response.status in (301, 302, 303, 307):
        return response.headers["Location"]
    found = re.search(rb'<meta http-equiv="refresh" content="0;url=([^"]+)"', response.body)
    return html.unescape(found[1].decode()) if found else None
