"""A page behind a sign-in: nginx that asks latchd, the same that keeps answers for a second, the same nginx without, Apache with
mod_auth_openidc; one backend."""

from __future__ import annotations

import http.client
from contextlib import ExitStack
from urllib.parse import urlencode, urlsplit

from ..bench import BenchmarkRun
from ..load import Request
from ..process import BenchError, Server
from ..rounds import Contestant, interleave
from ..servers import Pair, apache, front, sandbox
from ..servers.gateway import Gateway
from ..servers.sandbox import Sandbox
from ..table import Aim, Figure, Row

PATH = "/page"
PUBLIC = "http://id.example.org"


def measure(bench: BenchmarkRun) -> list[Row]:
    """Pages per second and latencies; the ratios are those of the medians."""
    with ExitStack() as stack:
        contestants = start(bench, stack)
        bench.say(f"Pages behind a sign-in: {bench.rounds} rounds of {bench.seconds:g} s each for "
                  + ", ".join(contestants))
        interleave(list(contestants.values()), bench.rounds, bench.seconds)
    return rows(contestants)


def start(bench: BenchmarkRun, stack: ExitStack) -> dict[str, Contestant]:
    """Starts the servers; each has somebody who is signed in, and lets in nobody else."""
    page = stack.enter_context(front.backend(bench.folder / "page"))
    gateway = Gateway(bench.latchd, bench.folder / "verify")
    gateway.add_person()
    ours = stack.enter_context(gateway.start(
        LATCHD_VERIFY_ENABLED="true", LATCHD_PUBLIC_URL=PUBLIC, LATCHD_TRUSTED_PROXIES="127.0.0.1",
        LATCHD_PAGES_ENABLED="true"))
    token = gateway.sign_in(ours.port).token()
    plain = stack.enter_context(front.plain(bench.folder / "plain", page.port))
    asking = stack.enter_context(front.asking(bench.folder / "asking", page.port, gateway.socket))
    caching = stack.enter_context(front.asking(bench.folder / "caching", page.port, gateway.socket, caches=True))
    port, redirect = apache.address()
    issuer = stack.enter_context(sandbox.start(bench.latchd, bench.folder / "issuer", [redirect]))
    theirs = stack.enter_context(apache.start(bench.folder / "apache", port, page.port, issuer.issuer))
    cookie = f"latchd_session={token}"
    cookies = {"latchd": cookie, "latchd, kept": cookie, "mod_auth_openidc": sign_in(issuer, theirs)}
    servers = {
        "nginx": plain, "latchd": Pair(asking, ours), "latchd, kept": Pair(caching, ours), "mod_auth_openidc": theirs}
    for name, cookie in cookies.items():
        require_guarded(servers[name].port, cookie)
    return {
        name: Contestant(server, Request(server.url(PATH), cookie=cookies.get(name, "none=1")))
        for name, server in servers.items()
    }


def sign_in(issuer: Sandbox, server: Server) -> str:
    """Signs in with Apache as a browser does; the cookie of the session."""
    cookies: dict[str, str] = {}

    def ask(port: int, path: str, form: str | None = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        fields = {"Accept": "text/html", "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        if form:
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request("POST" if form else "GET", path, form, fields)
        answer = connection.getresponse()
        answer.read()
        return answer

    def target(answer: http.client.HTTPResponse) -> str:
        if answer.status not in (302, 303):
            raise BenchError(f"A step of the sign-in with Apache was answered {answer.status}.")
        address = urlsplit(answer.getheader("Location") or "")
        return f"{address.path}?{address.query}"

    def keep(answer: http.client.HTTPResponse) -> None:
        for field in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = field.partition(";")[0].partition("=")
            cookies[name] = value

    began = ask(server.port, PATH)
    keep(began)
    form = urlencode({"action": "allow", "email": issuer.email, "password": issuer.password})
    back = target(ask(issuer.port, target(began), form))
    done = ask(server.port, back)
    target(done)
    cookies.clear()
    keep(done)
    session = {name: value for name, value in cookies.items() if "session" in name and value}
    return "; ".join(f"{name}={value}" for name, value in session.items())


def require_guarded(port: int, cookie: str) -> None:
    """A server that lets everybody in has not validated anything."""
    def status(cookie: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", PATH, headers={"Cookie": cookie})
        return connection.getresponse().status

    if status(cookie) != 200 or status("none=1") == 200:
        raise BenchError(f"Port {port} does not tell somebody who is signed in from somebody who is not.")


def rows(contestants: dict[str, Contestant]) -> list[Row]:
    """What was measured of each, and the ratios."""
    rates = {name: one.figure("rate") for name, one in contestants.items()}
    slowest = {name: one.figure("p99") for name, one in contestants.items()}

    def ratio(figures: dict[str, Figure], other: str, ours: str = "latchd") -> dict[str, Figure]:
        return {"latchd": Figure.of([figures[ours].value / figures[other].value])}

    def cost(measure: str, attribute: str) -> Row:
        return Row(measure, {name: Figure.of(getattr(one, attribute)) for name, one in contestants.items()})

    half, twice = Aim("≥ 0.5", at_least=0.5), Aim("≤ 2", at_most=2)
    return [
        Row("pages behind nginx/s, 64 connections", rates),
        Row("guarded pages/s over those of nginx", ratio(rates, "nginx"), half),
        Row("  with answers kept for a second", ratio(rates, "nginx", "latchd, kept"), half),
        Row("guarded page p99 over that of nginx", ratio(slowest, "nginx"), twice),
        Row("  with answers kept for a second", ratio(slowest, "nginx", "latchd, kept"), twice),
        Row("guarded pages/s over those of mod_auth_openidc", ratio(rates, "mod_auth_openidc"), Aim("> 1", at_least=1)),
        Row("guarded page p50, ms", {name: one.figure("p50") for name, one in contestants.items()}),
        Row("guarded page p99, ms", slowest),
        cost("CPU µs per guarded page, without the backend", "cpu"), cost("memory while guarding, MiB", "memory"),
    ]
