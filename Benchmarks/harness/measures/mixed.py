"""While sign-ins fill the machine: how much of it goes to hashing, and how long validated requests then take."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack

from .. import load
from ..bench import BenchmarkRun
from ..load import Load, Request
from ..process import Server
from ..servers.gateway import LOGIN_PATH, ME_PATH
from ..table import Aim, Figure, Row
from .me import start_gateway
from .signin import FORM, HASHING

ROUNDS, SECONDS = 3, 6
# The hashing threads are the ones that latchd starts with this niceness, and they do nothing else.
HASHING_NICENESS = 10
PAUSE_MS = 100


def measure(bench: BenchmarkRun) -> list[Row]:
    """Sign-ins alone, beside requests with pauses, beside as many requests as there can be."""
    shares: list[list[float]] = [[], [], []]
    calm: list[Load] = []
    flood: list[Load] = []
    with ExitStack() as stack:
        contestant = start_gateway(bench.gateway("mixed"), stack, **HASHING)
        server, me = contestant.server, contestant.request
        bench.say(f"Mixed: {ROUNDS} rounds of {SECONDS} s each of sign-ins alone and beside requests")
        for _ in range(ROUNDS):
            shares[0].append(_share(server, lambda: time.sleep(SECONDS)))
            shares[1].append(_share(server, lambda: calm.append(load.run(me.paced(PAUSE_MS), SECONDS))))
            shares[2].append(_share(server, lambda: flood.append(load.run(me, SECONDS))))
    return _rows(shares, calm, flood)


def _share(server: Server, during: Callable[[], object]) -> float:
    """The hashing threads' part of all cores, in per cent, while sign-ins fill them and `during` runs."""
    signing_in = load.begin(Request(server.url(LOGIN_PATH), form=FORM), SECONDS + 2)
    try:
        time.sleep(1)
        began, before = time.monotonic(), server.threads_cpu(HASHING_NICENESS)
        during()
        used, took = server.threads_cpu(HASHING_NICENESS) - before, time.monotonic() - began
        load.finish(signing_in, LOGIN_PATH)
    finally:
        if signing_in.poll() is None:
            signing_in.kill()
            signing_in.wait()
        server.wait_until_idle()
    return used / took / (os.cpu_count() or 1) * 100


def _rows(shares: list[list[float]], calm: list[Load], flood: list[Load]) -> list[Row]:
    def row(measure: str, values: list[float], aim: Aim | None = None) -> Row:
        return Row(measure, {"latchd": Figure.of(values)}, aim)

    aim = Aim("< 20 ms", at_most=20)
    return [
        row("hashing while sign-ins are saturated, % of all cores", shares[0], Aim("≥ 95 %", at_least=95)),
        row("then /api/me p99, 64 connections with pauses, ms", [one.p99 for one in calm], aim),
        row("  at requests/s", [one.rate for one in calm]), row("  and hashing, % of all cores", shares[1]),
        row("then /api/me p99, 64 connections without pauses, ms", [one.p99 for one in flood], aim),
        row("  at requests/s", [one.rate for one in flood]), row("  and hashing, % of all cores", shares[2]),
    ]
