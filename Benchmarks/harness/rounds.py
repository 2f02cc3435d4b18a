"""Interleaved rounds: A B C, A B C, ..., so that what slows the machine for a while slows all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import load
from .load import Load, Request
from .process import Server
from .table import Figure


@dataclass
class Contestant:
    """A running server with the request that it is asked, and what its rounds gave."""

    server: Server
    request: Request
    connections: int = load.CONNECTIONS
    loads: list[Load] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def measure(self, seconds: int) -> None:
        """One round."""
        before = self.server.cpu_seconds()
        result = load.run(self.request, seconds, self.connections)
        self.cpu.append((self.server.cpu_seconds() - before) / result.requests * 1e6)
        self.memory.append(self.server.resident_bytes() / 2**20)
        self.loads.append(result)
        self.server.wait_until_idle()

    def figure(self, attribute: str) -> Figure:
        """Median and spread of `rate`, `p50`, `p99` or `worst`."""
        return Figure.of([getattr(result, attribute) for result in self.loads])


def interleave(contestants: list[Contestant], rounds: int, seconds: int) -> None:
    """Warms every contestant up for a second, then measures them in turn."""
    for contestant in contestants:
        load.run(contestant.request, 1, contestant.connections)
        contestant.server.wait_until_idle()
    for _ in range(rounds):
        for contestant in contestants:
            contestant.measure(seconds)
