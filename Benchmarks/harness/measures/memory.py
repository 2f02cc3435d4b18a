"""Resident memory with 100,000 live sessions: each token is used once, then all of them at random."""

from __future__ import annotations

from .. import load
from ..bench import BenchmarkRun
from ..client import ask_each
from ..load import Request
from ..servers.gateway import ME_PATH
from ..stored import token
from ..table import Aim, Figure, Row

SESSIONS = 100_000
LIMIT = Aim("< 64 MiB", at_most=64)
SECONDS = 5


def measure(bench: BenchmarkRun) -> list[Row]:
    """VmRSS of the process."""
    gateway = bench.stored(SESSIONS)
    bench.say(f"Memory: {SESSIONS:,} sessions, each used")
    tokens = bench.folder / "tokens"
    tokens.write_text("".join(token(number) + "\n" for number in range(SESSIONS)))
    with gateway.start() as server:
        start = server.resident_bytes()
        for _ in ask_each(server.port, ME_PATH, map(token, range(SESSIONS))):
            pass
        once = server.resident_bytes()
        load.run(Request(server.url(ME_PATH), tokens=tokens), SECONDS)
        loaded, peak = server.resident_bytes(), server.peak_resident_bytes()
    return [
        _row(f"memory at the start, {SESSIONS:,} sessions stored, MiB", start),
        _row("memory, each of them used once, MiB", once, LIMIT),
        _row("memory, after all of them in turn under load, MiB", loaded, LIMIT),
        _row("memory, the peak of that process, MiB", peak),
    ]


def _row(measure: str, size: int, aim: Aim | None = None) -> Row:
    return Row(measure, {"latchd": Figure.of([size / 2**20])}, aim)
