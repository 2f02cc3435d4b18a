"""One server's run: starts the clients and the thieves, kills either end, and counts."""

from __future__ import annotations

import multiprocessing
import random
import selectors
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path

from ..oauth.targets import Target
from ..process import BenchError, kill_children
from . import workers
from .workers import Outcome, Work

PEOPLE = 8
THIEVES = 4
REPORTED = 5
"""How many false sign-outs are described."""


@dataclass(frozen=True)
class Sizes:
    """What a run consists of."""

    clients: int
    refreshes: int
    kills: int
    thefts: int


@dataclass
class Result:
    """What was counted at one server."""

    server: str
    version: str
    refreshes: int = 0
    lost: int = 0
    client_kills: int = 0
    server_kills: int = 0
    in_flight: int = 0
    """Refreshes that were awaited when the server was killed."""
    false_sign_outs: int = 0
    unusable: int = 0
    """Access tokens that were refused although they had just been received."""
    seconds: float = 0
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def caught(self) -> int:
        """Thefts after which nobody can refresh."""
        return sum(outcome.is_caught for outcome in self.outcomes)

    @property
    def ended(self) -> int:
        """Thefts after which no access token of the session is accepted either."""
        return sum(outcome.is_caught and not outcome.is_access_left for outcome in self.outcomes)

    @property
    def kept(self) -> int:
        """Thefts after which the thief can refresh."""
        return sum(outcome.thief_refreshes for outcome in self.outcomes)

    @property
    def has_passed(self) -> bool:
        """Whether nobody was signed out without a theft, and every theft ended its session."""
        return not self.false_sign_outs and not self.unusable and self.ended == len(self.outcomes)


@dataclass
class _Worker:
    """A started process."""

    process: multiprocessing.process.BaseProcess
    pipe: multiprocessing.connection.Connection
    body: Callable[[Work], None]
    number: int
    life: int


class Run:
    """The processes of one server's run."""

    def __init__(self, target: Target, sizes: Sizes, seed: int, folder: Path):
        self._target, self._sizes, self._seed, self._folder = target, sizes, seed, folder
        self._context = multiprocessing.get_context("fork")
        self._chance = random.Random(f"{seed} plan")
        self._in_flight = mmap(-1, sizes.clients)
        self._selector = selectors.DefaultSelector()
        self._alive: dict[int, _Worker] = {}
        self._cookies: list[dict[str, str]] = []
        self._kills: list[set[int]] = [set() for _ in range(sizes.clients)]
        # Half of the kills each, and none of a server after the last refresh.
        total = sizes.refreshes
        for kill in self._chance.sample(range(total), sizes.kills // 2):
            self._kills[kill % sizes.clients].add(kill // sizes.clients)
        server_kills = sizes.kills - sizes.kills // 2
        self._server_kills = sorted(self._chance.sample(range(1, total - sizes.clients), server_kills))
        self.result = Result(target.name, target.version())

    def run(self) -> Result:
        """Everything, from an empty folder; nothing of it runs afterwards."""
        try:
            self._target.make(PEOPLE)
            self._cookies = [self._target.browser(person) for person in range(PEOPLE)]
            begin = time.monotonic()
            for number in range(self._sizes.clients):
                self._start(workers.client, number)
            for number in range(min(THIEVES, self._sizes.thefts)):
                self._start(workers.thief, number)
            while self._alive:
                self._serve(begin)
        finally:
            for worker in self._alive.values():
                worker.process.kill()
                worker.process.join()
            self._target.stop()
            self._selector.close()
            # A signal may have arrived while a process was being started, so that nobody knows of it yet.
            kill_children()
        return self.result

    def _start(self, body: Callable[[Work], None], number: int, life: int = 0) -> None:
        ours, theirs = self._context.Pipe()
        is_client = body is workers.client
        sizes = self._sizes
        total, parts = (sizes.refreshes, sizes.clients) if is_client else (sizes.thefts, min(THIEVES, sizes.thefts))
        work = Work(
            endpoints=self._target.endpoints, cookies=self._cookies[number % PEOPLE], pipe=theirs,
            seed=f"{self._seed} {body.__name__} {number} {life}", count=total // parts + (number < total % parts),
            kills=frozenset(self._kills[number]) if is_client else frozenset(),
            file=self._folder / f"client{number}.json", in_flight=self._in_flight, number=number)
        process = self._context.Process(target=workers.start, args=(body, work), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours, body, number, life)
        self._alive[ours.fileno()] = worker
        self._selector.register(ours.fileno(), selectors.EVENT_READ)

    def _end(self, worker: _Worker) -> None:
        self._selector.unregister(worker.pipe.fileno())
        del self._alive[worker.pipe.fileno()]
        worker.pipe.close()
        worker.process.join()

    def _serve(self, begin: float) -> None:
        for key, _ in self._selector.select():
            worker = self._alive[key.fd]
            try:
                kind, value = worker.pipe.recv()
            except EOFError:
                raise BenchError(f"A process of {self.result.server} ended before it was done.") from None
            self._receive(worker, kind, value)
            if kind == "refreshed":
                self.result.seconds = time.monotonic() - begin
                self._advance()

    def _receive(self, worker: _Worker, kind: str, value: object) -> None:
        result = self.result
        if kind == "refreshed":
            result.refreshes += 1
        elif kind == "lost":
            result.lost += 1
        elif kind == "down":
            # The server runs again by now: it is killed and started between two messages.
            worker.pipe.send(None)
        elif kind == "theft":
            result.outcomes.append(value)
        elif kind in ("refused", "unusable"):
            self._report(kind, value)
        elif kind == "die":
            worker.process.kill()
            self._end(worker)
            self._in_flight[worker.number] = 0
            self._kills[worker.number].remove(value)
            result.client_kills += 1
            self._start(worker.body, worker.number, worker.life + 1)
        elif kind == "done":
            self._end(worker)
        else:
            raise BenchError(f"A process of {result.server} failed: {value}")

    def _report(self, kind: str, events: list[str]) -> None:
        if kind == "refused":
            self.result.false_sign_outs += 1
        else:
            self.result.unusable += 1
        if self.result.false_sign_outs + self.result.unusable <= REPORTED:
            what = "a refresh token" if kind == "refused" else "an access token"
            print(f"{self.result.server} refused {what} that nobody had stolen. Before: {'; '.join(events)}.",
                  file=sys.stderr)

    def _advance(self) -> None:
        """Kills the server when it is time and refreshes are in flight, and starts it on the same data."""
        done = self.result.refreshes
        if self._server_kills and done >= self._server_kills[0] and any(awaited := self._in_flight[:]):
            self._server_kills.pop(0)
            self._target.kill()
            self.result.server_kills += 1
            self.result.in_flight += sum(awaited)
            self._target.start()
        step = max(1, self._sizes.refreshes // 10)
        if done % step == 0:
            print(f"{self.result.server}: {done:,} refreshes, {len(self.result.outcomes):,} thefts, "
                  f"{self.result.seconds:.0f} s", file=sys.stderr)
