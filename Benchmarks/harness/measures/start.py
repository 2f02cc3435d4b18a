"""From starting the program to its first answer, with an empty database and with a million sessions."""

from __future__ import annotations

import time
from contextlib import suppress

from ..bench import BenchmarkRun
from ..client import get
from ..process import BenchError
from ..servers.gateway import Gateway
from ..table import Aim, Figure, Row

STARTS = 15
SESSIONS = 1_000_000
LIMIT = Aim("≤ 100 ms", at_most=100)


def measure(bench: BenchmarkRun) -> list[Row]:
    """The first answer is that of `/healthz`; it comes after the first accepted connection."""
    empty, full = bench.gateway("start"), bench.stored(SESSIONS)
    bench.say(f"Start: {STARTS} times with no database, an empty one and a full one")
    new, again, stored = [], [], []
    for number in range(STARTS):
        new.append(_start(bench.gateway(f"start-{number}")))
        again.append(_start(empty))
        stored.append(_start(full))
    # The first start of `empty` made its database.
    return [
        Row("start to first answer, no database yet, ms", {"latchd": Figure.of(new)}, LIMIT),
        Row("start to first answer, an empty database, ms", {"latchd": Figure.of(again[1:])}, LIMIT),
        Row(f"start to first answer, {SESSIONS:,} sessions, ms", {"latchd": Figure.of(stored)}, LIMIT),
    ]


def _start(gateway: Gateway) -> float:
    """Milliseconds until the first answer."""
    began = time.perf_counter()
    with gateway.launch() as server:
        while time.perf_counter() - began < 60:
            with suppress(OSError):
                get(server.port, "/healthz")
                return (time.perf_counter() - began) * 1e3
            time.sleep(0.0005)
        raise BenchError(f"{gateway.name} did not come to listen within a minute.")
