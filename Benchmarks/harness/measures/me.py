"""`GET /api/me` with a valid token: the gateway beside nginx (the bound) and fastapi-users."""

from __future__ import annotations

from contextlib import ExitStack

from ..bench import BenchmarkRun
from ..client import get
from ..load import Request
from ..process import BenchError
from ..rounds import Contestant, interleave
from ..servers import nginx, peer
from ..servers.gateway import ME_PATH, Gateway
from ..table import Aim, Figure, Row
from . import counts


def measure(bench: BenchmarkRun) -> list[Row]:
    """Rates, latencies, memory and cost of a request; the ratios are those of the medians."""
    with ExitStack() as stack:
        contestants = start(bench, stack)
        bench.say(f"GET {ME_PATH}: {bench.rounds} rounds of {bench.seconds:g} s each for {', '.join(contestants)}")
        interleave(list(contestants.values()), bench.rounds, bench.seconds)
        calls = {name: counts.system_calls(contestant) for name, contestant in contestants.items()}
    rows = ratios(contestants) + costs(contestants)
    rows += counts.rows("system calls per request", calls)
    rows += counts.rows("allocations per request", {"latchd": counts.allocations(bench)}, Aim("< 10", at_most=9.5))
    return rows


def start(bench: BenchmarkRun, stack: ExitStack) -> dict[str, Contestant]:
    """Starts the servers, each ready to answer."""
    gateways = {"latchd": Gateway(bench.latchd, bench.folder / "me")}
    if bench.beside:
        gateways["beside"] = Gateway(bench.beside, bench.folder / "me-beside", "beside")
    contestants = {name: start_gateway(gateway, stack) for name, gateway in gateways.items()}
    token = contestants["latchd"].request.token
    model = get(contestants["latchd"].server.port, ME_PATH, token)
    front = stack.enter_context(nginx.start(bench.folder / "nginx", model))
    contestants["nginx"] = Contestant(front, Request(front.url(ME_PATH), token))
    if not bench.is_quick:
        contestants["fastapi-users"] = start_peer(bench, stack)
    return contestants


def start_gateway(gateway: Gateway, stack: ExitStack, **environment: str) -> Contestant:
    """A gateway with one person who is signed in."""
    gateway.add_person()
    server = stack.enter_context(gateway.start(**environment))
    token = gateway.sign_in(server.port).token()
    require_guarded(server.port)
    return Contestant(server, Request(server.url(ME_PATH), token))


def start_peer(bench: BenchmarkRun, stack: ExitStack) -> Contestant:
    """The application on fastapi-users with one person who is signed in."""
    server = stack.enter_context(peer.start(bench.folder / "peer"))
    token = peer.sign_in(server.port).token()
    require_guarded(server.port)
    return Contestant(server, Request(server.url(ME_PATH), token))


def require_guarded(port: int) -> None:
    """A server that lets everybody in has not validated anything."""
    if get(port, ME_PATH, "A" * 43).status not in (401, 403):
        raise BenchError(f"Port {port} lets in a token that it never gave.")


def ratios(contestants: dict[str, Contestant]) -> list[Row]:
    """How many times as many requests as each of the others."""
    rates = {name: contestant.figure("rate").value for name, contestant in contestants.items()}
    aims = {"nginx": Aim("≥ 0.7", at_least=0.7), "fastapi-users": Aim("≥ 60", at_least=60)}
    others = [name for name in contestants if name != "latchd"]
    return [
        Row(f"{ME_PATH}: requests/s over those of {name}",
            {"latchd": single(rates["latchd"] / rates[name])}, aims.get(name)) for name in others
    ]


def costs(contestants: dict[str, Contestant]) -> list[Row]:
    """What the load and the system measured of each."""
    def row(measure: str, figure: str, aim: Aim | None = None) -> Row:
        return Row(measure, {name: contestant.figure(figure) for name, contestant in contestants.items()}, aim)

    def cost(measure: str, attribute: str) -> Row:
        return Row(measure, {name: Figure.of(getattr(one, attribute)) for name, one in contestants.items()})

    return [
        row("requests/s, 64 connections", "rate"), row("p50, ms", "p50"),
        row("p99, ms", "p99", Aim("< 5 ms", at_most=5)), row("slowest, ms", "worst"),
        cost("CPU µs per request", "cpu"), cost("resident memory, MiB", "memory"),
    ]


def single(value: float) -> Figure:
    """A figure without a spread."""
    return Figure.of([value])
