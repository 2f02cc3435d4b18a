"""One holder of tokens: signs in by the code flow, refreshes, and uses access tokens."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from ..process import BenchError
from .http import FORM, Broken, Browser, Connection, Lost, Response

FAILURES = 1_000
"""How often one request may fail with a server's error before the run ends."""


@dataclass(frozen=True)
class Endpoints:
    """Where a server is asked, and as which client."""

    port: int
    client: str
    redirect: str
    authorization: str
    token: str
    user_info: str
    consent: tuple[str, str] | None
    """The field and the value that allow a client on the page that asks, if there is such a page."""


@dataclass(frozen=True)
class Tokens:
    """What the response of a token endpoint has."""

    access: str
    refresh: str

    @classmethod
    def of(cls, response: Response) -> Tokens:
        """Those of a successful response."""
        members = json.loads(response.body)
        return cls(members["access_token"], members["refresh_token"])

    def encoded(self, count: int) -> str:
        """What a client stores: its tokens, and how often it has refreshed."""
        return json.dumps(asdict(self) | {"count": count})


@dataclass(frozen=True)
class Code:
    """An authorization code with its verifier."""

    value: str
    verifier: str

    def form(self, endpoints: Endpoints) -> str:
        """The request that exchanges it for tokens."""
        return urlencode({
            "grant_type": "authorization_code", "code": self.value, "redirect_uri": endpoints.redirect,
            "client_id": endpoints.client, "code_verifier": self.verifier})


def refresh_form(endpoints: Endpoints, token: str) -> str:
    """The request that exchanges a refresh token."""
    return urlencode({"grant_type": "refresh_token", "refresh_token": token, "client_id": endpoints.client})


class Refused(Exception):
    """A refresh token was refused with `invalid_grant`."""


class Caller:
    """Sends requests until they are answered. `wait` returns when the server is running."""

    def __init__(self, endpoints: Endpoints, cookies: dict[str, str], wait: Callable[[], None]):
        self._endpoints = endpoints
        self._cookies = cookies
        self._wait = wait
        self._connection = Connection(endpoints.port)
        self.on_sent: Callable[[], None] = lambda: None
        self.on_end: Callable[[], None] = lambda: None

    def sign_in(self) -> Tokens:
        """Signs in by the code flow, in a browser in which the person is signed in at the server."""
        return self._until_answered(self._sign_in)

    def code(self) -> Code:
        """An authorization code, obtained in the same browser."""
        found = self._until_answered(self._authorize)
        if isinstance(found, Response):
            raise BenchError(f"A sign-in ended with {found.status}: {found.body[:2000]!r}")
        return found

    def refresh(self, token: str, is_lost: bool = False) -> Tokens:
        """Refreshes once. Throws `Lost` when the response was to be lost, and `Refused`."""
        form = refresh_form(self._endpoints, token)

        def ask() -> Response:
            try:
                return self._connection.send("POST", self._endpoints.token, form, FORM, is_lost, self.on_sent)
            finally:
                self.on_end()

        response = self._until_answered(ask)
        if response.status == 200:
            return Tokens.of(response)
        # glewlwyd sends no body with the refusal of a refresh token.
        if response.status == 400 and (not response.body or json.loads(response.body)["error"] == "invalid_grant"):
            raise Refused
        raise BenchError(f"A refresh was answered {response.status}: {response.body[:300]!r}")

    def use(self, access: str) -> bool:
        """Asks for the claims about the person once. Returns whether the access token was accepted."""
        headers = {"Authorization": f"Bearer {access}"}
        response = self._until_answered(lambda: self._connection.send("GET", self._endpoints.user_info, None, headers))
        if response.status not in (200, 401, 403):
            raise BenchError(f"An access token was answered {response.status}: {response.body[:300]!r}")
        return response.status == 200

    def _until_answered(self, ask: Callable):
        last: object = None
        for _ in range(FAILURES):
            try:
                response = ask()
            except Broken as error:
                last = error.__cause__
            else:
                if isinstance(response, Tokens | Code) or response.status < 500:
                    return response
                last = response
            self._wait()
        raise BenchError(f"A request failed {FAILURES} times, the last time with {last!r}.")

    def _sign_in(self) -> Tokens | Response:
        code = self._authorize()
        if isinstance(code, Response):
            return code
        response = self._connection.send("POST", self._endpoints.token, code.form(self._endpoints), FORM)
        if response.status == 200:
            return Tokens.of(response)
        if response.status >= 500:
            return response
        raise BenchError(f"A code was answered {response.status}: {response.body[:300]!r}")

    def _authorize(self) -> Code | Response:
        end = self._endpoints
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        target = end.authorization + urlencode({
            "response_type": "code", "client_id": end.client, "redirect_uri": end.redirect, "scope": "openid",
            "state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16), "code_challenge": challenge,
            "code_challenge_method": "S256"})
        browser = Browser(end.port, self._cookies)
        try:
            found = browser.get(target, end.redirect)
            if isinstance(found, Response) and found.status == 200 and end.consent:
                found = browser.submit(found, end.consent[0], target, dict([end.consent]), end.redirect)
        finally:
            browser.close()
        if isinstance(found, Response):
            if found.status >= 500:
                return found
            raise BenchError(f"A sign-in ended with {found.status}: {found.body[:2000]!r}")
        if "code" not in found:
            raise BenchError(f"A sign-in was refused: {found}")
        return Code(found["code"], verifier)


__all__ = ["Caller", "Code", "Endpoints", "Lost", "Refused", "Tokens", "refresh_form"]
