"""A load of several steps: many clients at once, each doing what the answer before told it, which wrk cannot."""

from __future__ import annotations

import multiprocessing
import select
import socket
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import islice

from .process import BenchError

PROCESSES = 2
CLIENTS = 64


@dataclass(frozen=True)
class Reply:
    """An answer in full."""

    status: int
    head: bytes
    body: bytes

    def field(self, name: bytes) -> bytes:
        """The first header field of that name; empty when there is none."""
        start = self.head.lower().find(b"\r\n" + name.lower() + b":")
        if start < 0:
            return b""
        end = self.head.find(b"\r\n", start + 2)
        return self.head[start + len(name) + 3:end if end >= 0 else None].strip()

    def require(self, *statuses: int) -> Reply:
        """Itself, when it has one of the statuses."""
        if self.status not in statuses:
            raise BenchError(f"A step was answered {self.status}: {self.head[:300]!r} {self.body[:300]!r}")
        return self


# Asks a port for something and is given the reply; returns what the journey brought back.
Journey = Generator[tuple[int, bytes], Reply, object]


@dataclass
class Walk:
    """What a load of journeys measured."""

    seconds: float
    milliseconds: list[float] = field(default_factory=list)
    brought: list[object] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Journeys per second."""
        return len(self.milliseconds) / self.seconds

    def percentile(self, part: float) -> float:
        """The milliseconds that so much of the journeys kept to."""
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def walk_for(seconds: float, journey: Callable[[], Journey]) -> Walk:
    """Journeys one after the other by 64 clients for so long."""
    def endless() -> Iterator[Journey]:
        while time.monotonic() < end:
            yield journey()

    end = time.monotonic() + seconds
    return _in_processes([endless] * PROCESSES)


def walk_all(journeys: list[Callable[[], Journey]]) -> Walk:
    """Each journey once, by 64 clients."""
    def every(number: int) -> Callable[[], Iterator[Journey]]:
        return lambda: (start() for start in islice(journeys, number, None, PROCESSES))

    return _in_processes([every(number) for number in range(PROCESSES)])


def _in_processes(sources: list[Callable[[], Iterator[Journey]]]) -> Walk:
    context = multiprocessing.get_context("fork")
    pipes, workers = [], []
    begin = time.monotonic()
    for source in sources:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_report, args=(source, theirs), daemon=True)
        worker.start()
        theirs.close()
        pipes.append(ours)
        workers.append(worker)
    results = [pipe.recv() for pipe in pipes]
    for worker in workers:
        worker.join()
    walk = Walk(max(end for *_, end in results if end) - begin)
    for error, milliseconds, brought, _ in results:
        if error:
            raise BenchError(error)
        walk.milliseconds += milliseconds
        walk.brought += brought
    return walk


def _report(source: Callable[[], Iterator[Journey]], pipe: multiprocessing.connection.Connection) -> None:
    try:
        milliseconds, brought = _Crowd(source()).walk(CLIENTS // PROCESSES)
        pipe.send(("", milliseconds, brought, time.monotonic()))
    except Exception as error:  # noqa: BLE001: told in the process that waits
        pipe.send((f"{type(error).__name__}: {error}", [], [], time.monotonic()))


class _Client:
    """One client with a connection to each port that it has asked."""

    def __init__(self) -> None:
        self.sockets: dict[int, socket.socket] = {}
        self.journey: Journey | None = None
        self.began = 0.0
        self.buffer = b""

    def connection(self, port: int) -> socket.socket:
        if port not in self.sockets:
            made = socket.create_connection(("127.0.0.1", port), timeout=60)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets[port] = made
        return self.sockets[port]


class _Crowd:
    """Clients that take journeys from one source until it has no more."""

    def __init__(self, source: Iterator[Journey]):
        self.source = source
        self.poll = select.epoll()
        self.asked: dict[int, tuple[_Client, socket.socket]] = {}
        self.known: set[int] = set()
        self.milliseconds: list[float] = []
        self.brought: list[object] = []

    def walk(self, clients: int) -> tuple[list[float], list[object]]:
        for _ in range(clients):
            self._next_journey(_Client())
        while self.asked:
            ready = self.poll.poll(60)
            if not ready:
                raise BenchError("A step was not answered within a minute.")
            for descriptor, _ in ready:
                self._read(descriptor)
        return self.milliseconds, self.brought

    def _next_journey(self, client: _Client) -> None:
        client.journey = next(self.source, None)
        client.began = time.perf_counter()
        if client.journey is not None:
            self._ask(client, *next(client.journey))

    def _ask(self, client: _Client, port: int, request: bytes) -> None:
        connection = client.connection(port)
        descriptor = connection.fileno()
        if descriptor not in self.known:
            self.known.add(descriptor)
            self.poll.register(descriptor, select.EPOLLIN)
        self.asked[descriptor] = client, connection
        connection.sendall(request)

    def _read(self, descriptor: int) -> None:
        client, connection = self.asked[descriptor]
        more = connection.recv(65536)
        if not more:
            raise BenchError("A connection was closed before its answer.")
        client.buffer += more
        reply = _reply(client.buffer)
        if reply is None:
            return
        client.buffer = b""
        del self.asked[descriptor]
        try:
            step = client.journey.send(reply)
        except StopIteration as end:
            self.milliseconds.append((time.perf_counter() - client.began) * 1e3)
            self.brought.append(end.value)
            self._next_journey(client)
        else:
            self._ask(client, *step)


def _reply(text: bytes) -> Reply | None:
    """The answer, once it is whole; every server here says how long it is."""
    head, found, body = text.partition(b"\r\n\r\n")
    if not found:
        return None
    reply = Reply(int(head[9:12]), head, body)
    return reply if len(body) >= int(reply.field(b"content-length") or 0) else None
