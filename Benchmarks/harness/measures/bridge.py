"""Sign-ins through an identity provider, and the exchange of one-time codes with each store of them."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from statistics import median
from urllib.parse import parse_qs, urlencode, urlsplit

from ..bench import BenchmarkRun
from ..client import get
from ..journeys import Journey, Walk, walk_all, walk_for
from ..process import BenchError, Server
from ..servers import redis, sandbox
from ..servers.gateway import ME_PATH, Gateway
from ..servers.sandbox import CLIENT, Sandbox
from ..table import Figure, Row

AUTHORIZE, EXCHANGE = "/api/auth/mobile/oauth/authorize", "/api/auth/mobile/sso/exchange"
# Where browsers would reach the gateways; the load's go to each gateway's own port.
ADDRESS, CALLBACK = "http://127.0.0.1:7", "/api/auth/oauth/callback"
APP = "onyx://auth/callback"
ROUNDS, SECONDS, CODES = 3, 6, 2_000


def measure(bench: BenchmarkRun) -> list[Row]:
    """Whole sign-ins per second and what the gateway spends on one; exchanges per second."""
    with ExitStack() as stack:
        issuer = stack.enter_context(sandbox.start(bench.latchd, bench.folder / "sandbox", [ADDRESS + CALLBACK]))
        stack.enter_context(redis.start(bench.folder / "codes"))
        gateways = {store: stack.enter_context(_start(bench, issuer, store)) for store in ("memory", "redis")}
        bench.say(f"Bridge: {ROUNDS} rounds of {SECONDS} s of sign-ins, then of {CODES:,} exchanges with each store")
        walks, costs, exchanges = [], [], {store: [] for store in gateways}
        for server in gateways.values():
            _require_true(issuer, server)
        for _ in range(ROUNDS):
            walk, cost = _sign_in(issuer, gateways["memory"])
            walks.append(walk)
            costs.append(cost)
            for store, server in gateways.items():
                exchanges[store].append(_exchange(issuer, server))
    return _rows(walks, costs, exchanges)


def _start(bench: BenchmarkRun, issuer: Sandbox, store: str) -> Server:
    gateway = Gateway(bench.latchd, bench.folder / f"bridge-{store}")
    return gateway.start(
        LATCHD_PUBLIC_URL=ADDRESS, LATCHD_PROVIDERS_SANDBOX_ISSUER=issuer.issuer,
        LATCHD_PROVIDERS_SANDBOX_CLIENT_ID=CLIENT, LATCHD_PROVIDERS_SANDBOX_CLIENT_AUTHENTICATION="none",
        LATCHD_PROVIDERS_SANDBOX_REGISTRATION="open", LATCHD_BRIDGE_CODES=store, LATCHD_GUARDS_ADDRESS_REQUESTS="1000000",
        LATCHD_REDIS_URL=f"unix:{bench.folder / 'codes' / 'redis.sock'}")


# The steps

def sign_in(issuer: Sandbox, server: Server) -> Journey:
    """A whole sign-in: a token."""
    code, verifier = yield from authorize(issuer, server)
    return (yield from exchange(server.port, code, verifier))


def authorize(issuer: Sandbox, server: Server) -> Journey:
    """From the app's request to the one-time code, as a browser goes: gateway, provider, gateway."""
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {"redirect": "true", "mobile_redirect_uri": APP, "app_state": "state", "app_code_challenge": challenge}
    began = (yield server.port, _get(f"{AUTHORIZE}?{urlencode(asked)}")).require(302, 303)
    cookie = began.field(b"set-cookie").partition(b";")[0].decode()
    page = urlsplit(began.field(b"location").decode())
    form = {"action": "allow", "email": issuer.email, "password": issuer.password}
    signed_in = (yield issuer.port, _post(f"{page.path}?{page.query}", urlencode(form))).require(302, 303)
    back = urlsplit(signed_in.field(b"location").decode())
    done = (yield server.port, _get(f"{back.path}?{back.query}", f"Cookie: {cookie}\r\n")).require(302, 303)
    link = parse_qs(urlsplit(done.field(b"location").decode()).query)
    if "code" not in link:
        raise BenchError(f"The sign-in came back without a code: {sorted(link)}")
    return link["code"][0], verifier


def exchange(port: int, code: str, verifier: str) -> Journey:
    """A one-time code for a token."""
    body = json.dumps({"code": code, "code_verifier": verifier})
    reply = (yield port, _post(EXCHANGE, body, "application/json")).require(200)
    return json.loads(reply.body)["access_token"]


def _get(target: str, fields: str = "") -> bytes:
    return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode()


def _post(target: str, body: str, kind: str = "application/x-www-form-urlencoded") -> bytes:
    head = f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + body).encode()


# The rounds

def _sign_in(issuer: Sandbox, server: Server) -> tuple[Walk, float]:
    before = server.cpu_seconds()
    walk = walk_for(SECONDS, partial(sign_in, issuer, server))
    cost = (server.cpu_seconds() - before) / len(walk.milliseconds)
    server.wait_until_idle()
    return walk, cost * 1e6


def _exchange(issuer: Sandbox, server: Server) -> tuple[Walk, float]:
    codes = walk_all([partial(authorize, issuer, server)] * CODES).brought
    server.wait_until_idle()
    before = server.cpu_seconds()
    journeys: list[Callable[[], Journey]] = [partial(exchange, server.port, *pair) for pair in codes]
    walk = walk_all(journeys)
    cost = (server.cpu_seconds() - before) / len(walk.milliseconds)
    server.wait_until_idle()
    return walk, cost * 1e6


def _require_true(issuer: Sandbox, server: Server) -> None:
    """The token of a sign-in opens `/api/me`, and the code does not give another."""
    code, verifier = walk_all([partial(authorize, issuer, server)]).brought[0]
    token = walk_all([partial(exchange, server.port, code, verifier)]).brought[0]
    if get(server.port, ME_PATH, token).status != 200:
        raise BenchError("The token of a sign-in opens nothing.")
    try:
        walk_all([partial(exchange, server.port, code, verifier)])
    except BenchError:
        return
    raise BenchError("A code was exchanged twice.")


def _rows(walks: list[Walk], costs: list[float], exchanges: dict[str, list[tuple[Walk, float]]]) -> list[Row]:
    def row(measure: str, values: list[float]) -> Row:
        return Row(measure, {"latchd": Figure.of(values)})

    rows = [
        row("bridge sign-ins/s, 64 clients", [walk.rate for walk in walks]),
        row("bridge sign-in p50, ms", [median(walk.milliseconds) for walk in walks]),
        row("bridge sign-in p99, ms", [walk.percentile(0.99) for walk in walks]),
        row("CPU µs per bridge sign-in, latchd alone", costs),
    ]
    for store, results in exchanges.items():
        name = {"memory": "in memory", "redis": "in Redis"}[store]
        rows += [
            row(f"exchanges/s, codes {name}", [walk.rate for walk, _ in results]),
            row(f"CPU µs per exchange, codes {name}", [cost for _, cost in results]),
        ]
    return rows
