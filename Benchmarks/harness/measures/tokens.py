"""The token endpoint and introspection: the gateway beside glewlwyd and django-allauth.

Codes are exchanged, and refresh tokens used, by 64 clients at once, each of which waits for a response before its next request. The
clients are Python programs on the same processors, so a server that answers fast waits for them; the processor time does not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from urllib.parse import urlencode
from urllib.request import Request as Question, urlopen

from ..bench import BenchmarkRun
from ..journeys import CLIENTS, Journey, walk_all
from ..load import Request
from ..oauth.caller import Caller, Endpoints, Tokens, refresh_form
from ..oauth.targets import Allauth, Glewlwyd, Latchd, Target
from ..process import BenchError
from ..rounds import Contestant, interleave
from ..table import Figure, Row

ROUNDS = 3
CODES = {"latchd": 1_500, "glewlwyd": 500, "django-allauth": 100}
"""How many codes are exchanged in a round: a second or more of work."""
PEOPLE = 8
ASKERS = {"django-allauth": 2}
"""Connections that introspect, where they are not 64. django-allauth spends some 300 ms on the client's secret each time."""


@dataclass
class Rates:
    """What the rounds of one kind of request gave."""

    rate: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, milliseconds: list[float], seconds: float, cpu: float) -> None:
        """One round."""
        self.rate.append(len(milliseconds) / seconds)
        self.p50.append(median(milliseconds))
        self.cpu.append(cpu / len(milliseconds) * 1e6)


@dataclass
class Contender:
    """A running server, a browser of each person at it, and what was measured."""

    target: Target
    callers: list[Caller]
    exchanges: Rates = field(default_factory=Rates)
    refreshes: Rates = field(default_factory=Rates)

    @property
    def endpoints(self) -> Endpoints:
        """Where it is asked."""
        return self.target.endpoints

    def measure(self, seconds: int) -> None:
        """One round: exchanges codes, then refreshes with some of the tokens that they brought."""
        codes = [self.callers[number % PEOPLE].code() for number in range(CODES[self.target.name])]
        exchange = partial(post, self.endpoints, self.endpoints.token)
        tokens = self._walk(self.exchanges, [partial(exchange, code.form(self.endpoints)) for code in codes])[-CLIENTS:]
        end = time.monotonic() + seconds
        self._walk(self.refreshes, [partial(refresh, self.endpoints, one.refresh, end) for one in tokens])

    def _walk(self, rates: Rates, journeys: list[Callable[[], Journey]]) -> list[Tokens]:
        server = self.target.server
        server.wait_until_idle()
        before = server.cpu_seconds()
        walk = walk_all(journeys)
        rates.add([time for times, _ in walk.brought for time in times], walk.seconds, server.cpu_seconds() - before)
        server.wait_until_idle()
        return [tokens for _, tokens in walk.brought]


def measure(bench: BenchmarkRun) -> list[Row]:
    """Exchanges, refreshes and introspections per second, and what each costs."""
    with ExitStack() as stack:
        contenders = [_start(target, stack) for target in _targets(bench)]
        names = ", ".join(one.target.name for one in contenders)
        bench.say(f"Tokens: {ROUNDS} rounds of codes and of {bench.seconds} s of refreshes each for {names}")
        for _ in range(ROUNDS):
            for one in contenders:
                one.measure(bench.seconds)
        askers = {one.target.name: _asker(one) for one in contenders}
        bench.say(f"Introspections: {bench.rounds} rounds of {bench.seconds} s each for {names}")
        interleave(list(askers.values()), bench.rounds, bench.seconds)
    return (_rows("exchange of a code", {one.target.name: one.exchanges for one in contenders})
            + _rows("refresh", {one.target.name: one.refreshes for one in contenders}) + _introspections(askers))


def _targets(bench: BenchmarkRun) -> list[Target]:
    folders = [bench.folder / f"tokens-{number}" for number in range(3)]
    for folder in folders:
        folder.mkdir()
    return [Latchd(folders[0], bench.latchd), Glewlwyd(folders[1]), Allauth(folders[2])]


def _start(target: Target, stack: ExitStack) -> Contender:
    stack.callback(target.stop)
    target.make(PEOPLE)
    return Contender(target, [
        Caller(target.endpoints, target.browser(person), wait=lambda: None) for person in range(PEOPLE)])


# The requests

def post(endpoints: Endpoints, path: str, form: str) -> Journey:
    """One request for tokens: the milliseconds it took, and the tokens."""
    begin = time.perf_counter()
    head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(form)}\r\n\r\n")
    reply = (yield endpoints.port, (head + form).encode()).require(200)
    return [(time.perf_counter() - begin) * 1e3], Tokens.of(reply)


def refresh(endpoints: Endpoints, token: str, end: float) -> Journey:
    """Refreshes until `end`, each time with the token of the last response."""
    times: list[float] = []
    while True:
        took, tokens = yield from post(endpoints, endpoints.token, refresh_form(endpoints, token))
        times += took
        token = tokens.refresh
        if time.monotonic() >= end:
            return times, tokens


def _asker(contender: Contender) -> Contestant:
    target = contender.target
    access = contender.callers[0].sign_in().access
    request = Request(target.server.url(target.prefix + target.introspection), authorization=target.asker(access),
                      form=urlencode({"token": access}))
    if not _is_active(request) or _is_active(replace(request, form="token=unknown")):
        raise BenchError(f"{target.name} does not tell a live token from an unknown one.")
    return Contestant(target.server, request, ASKERS.get(target.name, CLIENTS))


def _is_active(request: Request) -> bool:
    question = Question(request.url, (request.form or "").encode(), {"Authorization": request.authorization or ""})
    with urlopen(question, timeout=60) as answer:
        return json.load(answer)["active"] is True


# The table

def _rows(what: str, measured: dict[str, Rates]) -> list[Row]:
    def row(measure: str, attribute: str) -> Row:
        return Row(measure, {name: Figure.of(getattr(rates, attribute)) for name, rates in measured.items()})

    return [*_compared(f"{what}: per second, {CLIENTS} clients", row("", "rate").figures),
            row(f"{what}: p50, ms", "p50"), row(f"{what}: CPU µs", "cpu")]


def _introspections(askers: dict[str, Contestant]) -> list[Row]:
    def row(measure: str, values: Callable[[Contestant], Figure]) -> Row:
        return Row(measure, {name: values(one) for name, one in askers.items()})

    return [*_compared("introspection: per second", row("", lambda one: one.figure("rate")).figures),
            row("introspection: p50, ms", lambda one: one.figure("p50")),
            row("introspection: p99, ms", lambda one: one.figure("p99")),
            row("introspection: CPU µs", lambda one: Figure.of(one.cpu)),
            row("introspection: memory, MiB", lambda one: Figure.of(one.memory))]


def _compared(measure: str, rates: dict[str, Figure]) -> list[Row]:
    ratios = [Row(f"  over that of {name}", {"latchd": Figure.of([rates["latchd"].value / figure.value])})
              for name, figure in rates.items() if name != "latchd"]
    return [Row(measure, rates), *ratios]
