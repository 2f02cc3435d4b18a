"""Databases with many sessions, written directly in the tables that latchd has made."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

DAY = 86_400_000
SESSIONS_PER_PERSON = 10
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def token(number: int) -> str:
    """The token of the session of that number: 32 bytes in base64url, as the gateway gives them."""
    return base64.urlsafe_b64encode(hashlib.sha256(b"session %d" % number).digest()).rstrip(b"=").decode()


def fill(database: Path, sessions: int) -> None:
    """Adds live sessions, ten for each person, last used some hours ago."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -1000000")
        connection.execute("PRAGMA journal_mode = MEMORY")
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'sessions' AND sql IS NOT NULL")
        made_again = list(indexes)
        connection.execute("BEGIN")
        for name, _ in made_again:
            connection.execute(f"DROP INDEX {name}")
        _insert(connection, sessions)
        for _, sql in made_again:
            connection.execute(sql)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


def _insert(connection: sqlite3.Connection, sessions: int) -> None:
    now = time.time_ns() // 1_000_000
    connection.executemany(
        "INSERT INTO people (id, email, name, created_at) VALUES (?, ?, ?, ?)",
        ((_person(number), f"person{number}@example.org", f"Person {number}", now - 30 * DAY)
         for number in range(-(-sessions // SESSIONS_PER_PERSON))))
    connection.executemany(
        "INSERT INTO sessions (id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at, device_name,"
        " device_kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _rows(sessions, now))


def _rows(sessions: int, now: int) -> Iterator[tuple[object, ...]]:
    """In the order of their hashes, which spares the index of hashes from being written all over."""
    hashes = sorted((hashlib.sha256(token(number).encode()).digest(), number) for number in range(sessions))
    for digest, number in hashes:
        created, used = now - DAY - number % DAY, now - DAY // 8 - number % (DAY // 8)
        yield (_session(number), digest, _person(number // SESSIONS_PER_PERSON), created, used, used + 7 * DAY,
               created + 90 * DAY, "latch on ada's desk", "Linux")


def _person(number: int) -> str:
    return str(uuid.UUID(int=number + 1, version=4))


def _session(number: int) -> str:
    digits = []
    for _ in range(12):
        number, digit = divmod(number, 32)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
