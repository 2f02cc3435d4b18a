"""The servers: each with people who are signed in at it in a browser, with one public client that may refresh, and with one that
asks whether tokens are valid."""

from __future__ import annotations

import base64
import json
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path

from ..process import BenchError, Server, free_port
from ..servers import allauth, glewlwyd
from ..servers.gateway import PASSWORD, Gateway
from .caller import Endpoints
from .http import Browser, Response

REDIRECT = "http://127.0.0.1/callback"
CLIENT = "app"
ASKER, SECRET = "reports", "0123456789abcdef0123456789abcdef"
"""The client that introspects, and its secret."""

# All requests come from one address, the people sign in at once, and thousands of times.
GATEWAY = """\
public_url: http://127.0.0.1:{port}
pages: {{enabled: true}}
sessions: {{maximum_per_person: 10000, maximum_new_per_client: 1000000}}
guards: {{address_requests: 1000000, client_requests: 1000000, general_requests: 1000000, write_requests: 1000000, sign_ins: 1000000}}
oauth:
  enabled: true
  clients:
    {client}: {{name: An app, redirects: ["{redirect}"]}}
introspection:
  clients:
    {asker}: {{secret: "{secret}"}}
"""

OPENID = {
    "iss": "http://127.0.0.1", "jwt-type": "sha", "jwt-key-size": "256",
    "key": "a key of the measurement, nothing else",
    "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600,
    "refresh-token-rolling": True, "refresh-token-one-use": "always", "auth-type-code-enabled": True,
    "auth-type-code-revoke-replayed": True, "auth-type-token-enabled": False, "auth-type-id-token-enabled": False,
    "auth-type-none-enabled": False, "auth-type-password-enabled": False, "auth-type-client-enabled": False,
    "auth-type-device-enabled": False, "auth-type-refresh-enabled": True, "introspection-revocation-allowed": True,
    "introspection-revocation-allow-target-client": True, "introspection-revocation-auth-scope": ["openid"],
    "pkce-allowed": True, "pkce-method-plain-allowed": False,
}


class Target(ABC):
    """A server that is killed and started again on the same data and port."""

    name: str
    prefix: str
    token: str
    user_info: str
    introspection: str
    authorization: str
    consent: tuple[str, str] | None = None

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.server: Server | None = None

    @property
    def endpoints(self) -> Endpoints:
        """Where it is asked."""
        return Endpoints(self.port, CLIENT, REDIRECT, self.prefix + self.authorization, self.prefix + self.token,
                         self.prefix + self.user_info, self.consent)

    def start(self) -> None:
        """Starts it, or starts it again after `kill`."""
        self.server = self.launch()

    def kill(self) -> None:
        """Kills the program and all its children."""
        self.server.kill()

    def stop(self) -> None:
        """Ends it."""
        if self.server:
            self.server.stop()

    @abstractmethod
    def version(self) -> str:
        """Its version."""

    @abstractmethod
    def make(self, people: int) -> None:
        """Makes the database with people, and starts the server."""

    @abstractmethod
    def launch(self) -> Server:
        """Starts the server on the data that is there."""

    def asker(self, access: str) -> str:
        """The `Authorization` field of who asks whether the access token is valid."""
        return "Basic " + base64.b64encode(f"{ASKER}:{SECRET}".encode()).decode()

    @abstractmethod
    def browser(self, person: int) -> dict[str, str]:
        """Signs a person in at the server. Returns the cookies of the browser."""


class Latchd(Target):
    """latchd with its defaults, SQLite and a public client."""

    name, prefix, authorization = "latchd", "/oauth2/", "authorize?"
    token, user_info, introspection, consent = "token", "userinfo", "introspect", ("decision", "allow")

    def __init__(self, folder: Path, program: Path):
        super().__init__(folder)
        self._gateway = Gateway(program, folder)

    def version(self) -> str:
        """The last word of `latchd --version`."""
        done = subprocess.run([str(self._gateway.program), "--version"], capture_output=True, text=True, check=True)
        return done.stdout.split()[-1]

    def make(self, people: int) -> None:
        """The configuration names the client."""
        file = self.folder / "latchd" / "latchd.yaml"
        file.parent.mkdir()
        file.write_text(GATEWAY.format(
            port=self.port, client=CLIENT, redirect=REDIRECT, asker=ASKER, secret=SECRET))
        for number in range(people):
            self._gateway.add_person(_email(number))
        self.start()

    def launch(self) -> Server:
        """On the same port."""
        return self._gateway.start(self.port)

    def browser(self, person: int) -> dict[str, str]:
        """By the sign-in page."""
        values = {"username": _email(person), "password": PASSWORD}
        return _by_page(self.port, "/latch/sign-in", "password", values)


class Allauth(Target):
    """django-allauth with `IDP_OIDC_ROTATE_REFRESH_TOKEN`, which is its default."""

    name, prefix, authorization = "django-allauth", "/identity/o/", "authorize?"
    token, user_info, introspection = "api/token", "api/userinfo", "api/introspect"

    def version(self) -> str:
        """The pinned version."""
        return allauth.version()

    def make(self, people: int) -> None:
        """By the site's own program."""
        allauth.make(self.folder, people, ASKER, SECRET)
        self.start()

    def launch(self) -> Server:
        """On the same port."""
        return allauth.launch(self.folder, self.port)

    def browser(self, person: int) -> dict[str, str]:
        """By the sign-in page."""
        values = {"login": _email(person), "password": allauth.PASSWORD}
        return _by_page(self.port, "/accounts/login/", "password", values)


class Glewlwyd(Target):
    """glewlwyd's plugin for OpenID Connect with refresh tokens that are good for one use."""

    name, prefix, authorization = "glewlwyd", "/api/oidc/", "auth?g_continue&"
    token, user_info, introspection = "token", "userinfo", "introspect"

    def version(self) -> str:
        """What the program says."""
        done = subprocess.run([str(glewlwyd.PROGRAM), "--version"], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def make(self, people: int) -> None:
        """By the server's own interface."""
        glewlwyd.make(self.folder, self.port)
        self.start()
        add = glewlwyd.administration(self.port)
        add("/api/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "oidc", "order_rank": 0,
                                 "readonly": False, "parameters": OPENID})
        add("/api/client/", {"client_id": CLIENT, "name": "An app", "confidential": False, "enabled": True,
                             "redirect_uri": [REDIRECT], "authorization_type": ["code", "refresh_token"],
                             "scope": []})
        for number in range(people):
            add("/api/user/", {"username": f"person{number}", "email": _email(number), "enabled": True,
                               "password": glewlwyd.PASSWORD, "scope": ["openid", "g_profile"]})

    def launch(self) -> Server:
        """On the same port."""
        return glewlwyd.launch(self.folder, self.port)

    def browser(self, person: int) -> dict[str, str]:
        """By the interface of its sign-in page, where the person also allows the client."""
        browser = Browser(self.port)
        as_json = {"Content-Type": "application/json"}
        for method, path, value in [
            ("POST", "/api/auth/", {"username": f"person{person}", "password": glewlwyd.PASSWORD}),
            ("PUT", f"/api/auth/grant/{CLIENT}", {"scope": "openid"}),
        ]:
            response = browser.send(method, path, json.dumps(value), as_json)
            if response.status != 200:
                raise BenchError(f"glewlwyd answered {path} with {response.status}: {response.body[:300]!r}")
        browser.close()
        return browser.cookies

    def asker(self, access: str) -> str:
        """A client is told about tokens of its own alone, a bearer of a scope about all."""
        return f"Bearer {access}"


def _email(number: int) -> str:
    return f"person{number}@example.org"


def _by_page(port: int, path: str, field: str, values: dict[str, str]) -> dict[str, str]:
    browser = Browser(port)
    page = browser.get(path)
    before = dict(browser.cookies)
    result = browser.submit(page, field, path, values)
    browser.close()
    if not isinstance(result, Response) or browser.cookies == before:
        raise BenchError(f"Nobody was signed in by {path}: {result}")
    return browser.cookies
