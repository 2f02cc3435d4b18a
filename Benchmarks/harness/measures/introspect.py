"""Introspection of a live token: the gateway beside glewlwyd, each asked by a client with a secret of 32 characters."""

from __future__ import annotations

import json
from contextlib import ExitStack
from urllib.parse import urlencode
from urllib.request import Request as Question, urlopen

from .. import load
from ..bench import BenchmarkRun
from ..load import Request
from ..process import BenchError, Server
from ..rounds import Contestant, interleave
from ..servers import glewlwyd
from ..servers.glewlwyd import CLIENT, SECRET, basic
from ..table import Figure, Row

PATH = "/api/auth/introspect"


def measure(bench: BenchmarkRun) -> list[Row]:
    """Introspections per second and what one costs."""
    gateway = bench.gateway("introspect")
    gateway.add_person()
    with ExitStack() as stack:
        ours = stack.enter_context(gateway.start(LATCHD_INTROSPECTION_CLIENTS_REPORTS_SECRET=SECRET))
        theirs = stack.enter_context(glewlwyd.start(bench.folder / "glewlwyd"))
        contestants = {
            "latchd": _contestant(ours, PATH, gateway.sign_in(ours.port).token()),
            "glewlwyd": _contestant(theirs, glewlwyd.INTROSPECT_PATH, glewlwyd.token(theirs.port)),
        }
        bench.say(f"Introspections: {bench.rounds} rounds of {bench.seconds:g} s each for {', '.join(contestants)}")
        interleave(list(contestants.values()), bench.rounds, bench.seconds)
    return _rows(contestants)


def _contestant(server: Server, path: str, token: str) -> Contestant:
    request = Request(server.url(path), authorization=basic(CLIENT, SECRET), form=urlencode({"token": token}))
    if not _is_active(request) or _is_active(Request(request.url, None, request.authorization, "token=unknown")):
        raise BenchError(f"{server.name} does not tell a live token from an unknown one.")
    load.run(request, 1)
    return Contestant(server, request)


def _is_active(request: Request) -> bool:
    question = Question(request.url, (request.form or "").encode(), {"Authorization": request.authorization or ""})
    with urlopen(question, timeout=60) as answer:
        return json.load(answer)["active"] is True


def _rows(contestants: dict[str, Contestant]) -> list[Row]:
    rates = {name: one.figure("rate") for name, one in contestants.items()}
    ratio = Figure.of([rates["latchd"].value / rates["glewlwyd"].value])

    def figure(measure: str, attribute: str) -> Row:
        return Row(measure, {name: one.figure(attribute) for name, one in contestants.items()})

    def cost(measure: str, attribute: str) -> Row:
        return Row(measure, {name: Figure.of(getattr(one, attribute)) for name, one in contestants.items()})

    return [
        Row("introspections/s, 64 connections", rates),
        Row("introspections/s over those of glewlwyd", {"latchd": ratio}),
        figure("introspection p50, ms", "p50"), figure("introspection p99, ms", "p99"),
        cost("CPU µs per introspection", "cpu"), cost("memory while introspecting, MiB", "memory"),
    ]
