"""What the first request with a token costs: a fresh process reads its session from 1,000 to 1,000,000 stored ones."""

from __future__ import annotations

import random
from statistics import median

from ..bench import BenchmarkRun
from ..client import ask_each
from ..servers.gateway import ME_PATH, Gateway
from ..stored import token
from ..table import Aim, Figure, Row

SIZES = [1_000, 10_000, 100_000, 1_000_000]
TOKENS = 500
PROCESSES = 5


def measure(bench: BenchmarkRun) -> list[Row]:
    """Medians over the tokens of each process; the ratio is of the medians over the processes."""
    gateways = {size: bench.stored(size) for size in SIZES}
    bench.say(f"Cold tokens: {PROCESSES} processes for each size, {TOKENS} tokens each")
    cold: dict[int, list[float]] = {size: [] for size in SIZES}
    known: dict[int, list[float]] = {size: [] for size in SIZES}
    for _ in range(PROCESSES):
        for size, gateway in gateways.items():
            first, second = _first_and_second(gateway, size)
            cold[size].append(first)
            known[size].append(second)
    figures = {size: Figure.of(values) for size, values in cold.items()}
    ratio = Figure.of([figures[SIZES[-1]].value / figures[SIZES[0]].value])
    return [
        *(Row(f"cold token, {size:,} stored, µs", {"latchd": figure}) for size, figure in figures.items()),
        Row(f"the same token again, {SIZES[-1]:,} stored, µs", {"latchd": Figure.of(known[SIZES[-1]])}),
        Row(f"cold token, {SIZES[-1]:,} stored against {SIZES[0]:,}", {"latchd": ratio}, Aim("≤ 1.5", at_most=1.5)),
    ]


def _first_and_second(gateway: Gateway, size: int) -> tuple[float, float]:
    """The median microseconds of tokens that a process has never seen, and of the same tokens once more."""
    tokens = [token(number) for number in random.sample(range(size), TOKENS)]
    with gateway.start() as server:
        # The first requests of a process pay for what is made once, whatever the token.
        for _ in ask_each(server.port, "/healthz", tokens[:50]):
            pass
        first = median(ask_each(server.port, ME_PATH, tokens))
        second = median(ask_each(server.port, ME_PATH, tokens))
    return first * 1e6, second * 1e6
