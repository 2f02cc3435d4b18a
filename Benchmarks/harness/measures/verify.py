"""A page behind a sign-in: nginx that asks latchd, the same nginx without, Apache with mod_auth_openidc; one backend."""

from __future__ import annotations

import http.client
from contextlib import ExitStack
from urllib.parse import urlencode, urlsplit

from ..bench import BenchmarkRun
from ..load import Request
from ..process import BenchError, Server
from ..rounds import Contestant, interleave
from ..servers import apache, front, sandbox
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
    asking = stack.enter_context(front.asking(bench.folder / "asking", page.port, ours.port))
    port, redirect = apache.address()
    issuer = stack.enter_context(sandbox.start(bench.latchd, bench.folder / "issuer", [redirect]))
    theirs = stack.enter_context(apache.start(bench.folder / "apache", port, page.port, issuer.issuer))
    cookies = {"latchd": f"latchd_session={token}", "mod_auth_openidc": sign_in(issuer, theirs)}
    servers = {"nginx": plain, "latchd": Pair(asking, ours), "mod_auth_openidc": theirs}
    for name, cookie in cookies.items():
        require_guarded(servers[name].port, cookie)
    return {
        name: Contestant(server, Request(server.url(PATH), cookie=cookies.get(name, "none=1")))
        for name, server in servers.items()
    }


class Pair(Server):
    """nginx with the gateway that it asks, counted together."""

    def __init__(self, front: Server, gateway: Server):
        self.front, self.gateway = front, gateway
        self.name, self.port, self.log, self.pid = front.name, front.port, front.log, front.pid

    def processes(self) -> list[int]:
        """Those of both."""
        return self.front.processes() + self.gateway.processes()


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
    ours = rates["latchd"].value

    def ratio(other: str, aim: Aim | None = None) -> Row:
        return Row(f"guarded pages/s over those of {other}", {"latchd": Figure.of([ours / rates[other].value])}, aim)

    def figure(measure: str, attribute: str, aim: Aim | None = None) -> Row:
        return Row(measure, {name: one.figure(attribute) for name, one in contestants.items()}, aim)

    def cost(measure: str, attribute: str) -> Row:
        return Row(measure, {name: Figure.of(getattr(one, attribute)) for name, one in contestants.items()})

    return [
        Row("pages behind nginx/s, 64 connections", rates, Aim("≥ 10,000", at_least=10_000)),
        ratio("nginx"), ratio("mod_auth_openidc", Aim("> 1", at_least=1)),
        figure("guarded page p50, ms", "p50"), figure("guarded page p99, ms", "p99", Aim("< 5 ms", at_most=5)),
        cost("CPU µs per guarded page, without the backend", "cpu"), cost("memory while guarding, MiB", "memory"),
    ]
