"""What the processes do: clients that refresh and may be killed, and thieves with a copy of a refresh token."""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from mmap import mmap
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

from ..oauth.caller import Caller, Endpoints, Lost, Refused, Tokens

LOSS = 0.05
"""The part of the responses to refreshes that are lost."""
HISTORY = 12
"""How many of its last events a client reports when it is refused."""

# `linux/prctl.h`.
PR_SET_PDEATHSIG = 1

CLIENT_FIRST = "the client first"
THIEF_FIRST = "the thief first"
RESPONSE_LOST = "the thief first, after the client's response was lost"
UNUSED = "the thief before the client used its new tokens"
ORDERS = (CLIENT_FIRST, THIEF_FIRST, RESPONSE_LOST, UNUSED)


@dataclass(frozen=True)
class Work:
    """What one process is told when it starts."""

    endpoints: Endpoints
    cookies: dict[str, str]
    pipe: Pipe
    seed: str
    count: int
    """How many refreshes or thefts it is to reach."""
    kills: frozenset[int] = frozenset()
    """The refreshes after which a client is killed before it has stored the tokens."""
    file: Path | None = None
    """Where a client stores its tokens."""
    in_flight: mmap | None = None
    """A byte for each client: whether a refresh was sent and its response is awaited."""
    number: int = 0

    def caller(self) -> Caller:
        """A new holder of tokens, which waits for the server when it does not answer."""
        return Caller(self.endpoints, self.cookies, self._wait)

    def _wait(self) -> None:
        self.pipe.send(("down", None))
        self.pipe.recv()


@dataclass(frozen=True)
class Outcome:
    """What became of a theft, once both parties had come with the token."""

    order: str
    thief_refreshes: bool
    client_refreshes: bool
    is_access_left: bool
    """Whether an access token of the session is still accepted."""

    @property
    def is_caught(self) -> bool:
        """Whether nobody can refresh."""
        return not self.thief_refreshes and not self.client_refreshes


def start(run: Callable[[Work], None], work: Work) -> None:
    """The body of a process; an error is reported to the process that waits."""
    # The process ends with the one that started it, however that ends.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        run(work)
        work.pipe.send(("done", None))
    except Exception as error:  # noqa: BLE001: told in the process that waits
        work.pipe.send(("failed", f"{type(error).__name__}: {error}"))


def client(work: Work) -> None:
    """Refreshes with the stored token, stores what it gets and uses it, until it has done so `count` times."""
    caller, chance = work.caller(), random.Random(work.seed)
    events: deque[str] = deque([f"client {work.number} started"], HISTORY)
    caller.on_sent = lambda: _mark(work, 1)
    caller.on_end = lambda: _mark(work, 0)
    tokens, count = _stored(work.file) or (None, 0)
    while count < work.count:
        if tokens is None:
            tokens = caller.sign_in()
            events.append("signed in")
            _store(work.file, tokens, count)
        try:
            refreshed = caller.refresh(tokens.refresh, chance.random() < LOSS)
        except Lost:
            events.append(f"response {count} lost")
            work.pipe.send(("lost", None))
            continue
        except Refused:
            work.pipe.send(("refused", list(events)))
            tokens = None
            continue
        is_killed = count in work.kills
        is_written = is_killed and chance.random() < 0.5
        if is_killed and not is_written:
            _die(work, count)
        tokens, count = refreshed, count + 1
        _store(work.file, tokens, count, (lambda: _die(work, count - 1)) if is_written else None)
        events.append(f"response {count - 1} stored")
        if not caller.use(tokens.access):
            work.pipe.send(("unusable", list(events)))
        work.pipe.send(("refreshed", None))


def thief(work: Work) -> None:
    """Plants thefts one after another, each in a session of its own, and reports what became of them."""
    chance = random.Random(work.seed)
    done = 0
    while done < work.count:
        outcome = _theft(work, chance)
        if outcome is None:
            work.pipe.send(("refused", ["a session in which the token was not yet stolen"]))
        else:
            work.pipe.send(("theft", outcome))
            done += 1


def _theft(work: Work, chance: random.Random) -> Outcome | None:
    """Nothing when the client was signed out before anybody else had used its token."""
    callers = {"client": work.caller(), "thief": work.caller()}
    client = callers["client"]
    tokens = client.sign_in()
    issued = [tokens.access]
    for _ in range(chance.randrange(3)):
        try:
            tokens = _repeated(client, tokens.refresh, chance, work)
        except Refused:
            return None
        issued.append(tokens.access)
        client.use(tokens.access)
    held = {"client": tokens.refresh, "thief": tokens.refresh}

    def refresh(party: str) -> bool:
        try:
            got = callers[party].refresh(held[party])
        except Refused:
            return False
        held[party] = got.refresh
        issued.append(got.access)
        callers[party].use(got.access)
        return True

    order = chance.choice(ORDERS)
    if order == RESPONSE_LOST:
        try:
            client.refresh(tokens.refresh, is_lost=True)
        except Lost:
            work.pipe.send(("lost", None))
        except Refused:
            return None
    if order == UNUSED:
        try:
            got = client.refresh(tokens.refresh)
        except Refused:
            return None
        held["client"] = got.refresh
        issued.append(got.access)
        refresh("thief")
    first, second = ("client", "thief") if order in (CLIENT_FIRST, UNUSED) else ("thief", "client")
    if not refresh(first) and order == CLIENT_FIRST:
        return None
    for _ in range(chance.randrange(3)):
        refresh(first)
    refresh(second)
    goes_on = {party: refresh(party) for party in (first, second)}
    return Outcome(order, goes_on["thief"], goes_on["client"], any([client.use(access) for access in issued]))


def _repeated(caller: Caller, token: str, chance: random.Random, work: Work) -> Tokens:
    while True:
        try:
            return caller.refresh(token, chance.random() < LOSS)
        except Lost:
            work.pipe.send(("lost", None))


def _mark(work: Work, value: int) -> None:
    work.in_flight[work.number] = value


def _die(work: Work, count: int) -> None:
    """Asks to be killed; nothing comes back."""
    work.pipe.send(("die", count))
    work.pipe.recv()


def _stored(file: Path) -> tuple[Tokens, int] | None:
    if not file.exists():
        return None
    members = json.loads(file.read_text())
    return Tokens(members["access"], members["refresh"]), members["count"]


def _store(file: Path, tokens: Tokens, count: int, before_rename: Callable[[], None] | None = None) -> None:
    written = file.with_suffix(".new")
    written.write_text(tokens.encoded(count))
    if before_rename:
        before_rename()
    os.replace(written, file)
