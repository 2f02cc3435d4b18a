"""Sign-ins with a password, the gateway beside fastapi-users with equal Argon2id parameters."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlencode

from ..bench import BenchmarkRun
from ..client import get
from ..load import Request
from ..process import BenchError
from ..rounds import Contestant, interleave
from ..servers import peer
from ..servers.gateway import EMAIL, LOGIN_PATH, ME_PATH, PASSWORD
from ..table import Aim, Figure, Row

ROUNDS, SECONDS = 3, 8
FORM = urlencode({"username": EMAIL, "password": PASSWORD})
# As many hashes at once as there are cores, which is what the peer's two workers do on two. The load comes from one
# address and signs in to one account, where the gateway lets in 50 and 10 attempts at a time; the peer has no limit.
HASHING = {
    "LATCHD_HASHING_THREADS": str(os.cpu_count() or 1),
    "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000", "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000",
    "LATCHD_GUARDS_SIGN_INS": "1000000",
}


def measure(bench: BenchmarkRun) -> list[Row]:
    """Sign-ins per second, and what one costs."""
    gateway = bench.gateway("signin")
    gateway.add_person()
    with ExitStack() as stack:
        ours = stack.enter_context(gateway.start(**HASHING))
        theirs = stack.enter_context(peer.start(bench.folder / "signin-peer"))
        _require_true(ours.port, gateway.sign_in(ours.port).token(), gateway.sign_in(ours.port, "wrong").status)
        _require_true(theirs.port, peer.sign_in(theirs.port).token(), peer.sign_in(theirs.port, "wrong").status)
        _require_equal(_hash(gateway.database, "SELECT password_hash FROM people"),
                       _hash(bench.folder / "signin-peer" / "peer.db", 'SELECT hashed_password FROM "user"'))
        contestants = {
            "latchd": Contestant(ours, Request(ours.url(LOGIN_PATH), form=FORM)),
            "fastapi-users": Contestant(theirs, Request(theirs.url(peer.LOGIN_PATH), form=FORM)),
        }
        bench.say(f"Sign-ins: {ROUNDS} rounds of {SECONDS} s each")
        interleave(list(contestants.values()), ROUNDS, SECONDS)
    return _rows(contestants)


def _rows(contestants: dict[str, Contestant]) -> list[Row]:
    rates = {name: contestant.figure("rate") for name, contestant in contestants.items()}
    ratio = Figure.of([rates["latchd"].value / rates["fastapi-users"].value])
    cost = {name: Figure.of([cpu / 1e3 for cpu in one.cpu]) for name, one in contestants.items()}
    return [
        Row("sign-ins/s, 64 connections", rates), Row("sign-ins/s over those of fastapi-users", {"latchd": ratio}),
        Row("sign-in p50, ms", {name: one.figure("p50") for name, one in contestants.items()}),
        Row("CPU ms per sign-in", cost),
        Row("memory while signing in, MiB", {name: Figure.of(one.memory) for name, one in contestants.items()}),
    ]


def _require_true(port: int, token: str, refusal: int) -> None:
    """The right password gives a token that opens `/api/me`, another one gives none."""
    if get(port, ME_PATH, token).status != 200 or refusal != 400:
        raise BenchError(f"Port {port} does not verify passwords: a wrong one was answered {refusal}.")


def _hash(database: Path, query: str) -> str:
    with closing(sqlite3.connect(database)) as connection:
        return str(connection.execute(query).fetchone()[0])


def _require_equal(ours: str, theirs: str) -> None:
    """Kind, version and parameters of `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, and the lengths of salt and hash."""
    if [*ours.split("$")[:4], len(ours)] != [*theirs.split("$")[:4], len(theirs)]:
        raise BenchError(f"The two hash differently: {ours[:40]} beside {theirs[:40]}")
