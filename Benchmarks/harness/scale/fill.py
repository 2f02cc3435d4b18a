"""People and sessions written with SQL. The tokens are those of `harness.stored.token`."""

from __future__ import annotations

import time

from ..stored import DAY, SESSIONS_PER_PERSON
from .postgresql import PostgreSQL

COLUMNS = ("id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at, device_name, device_kind,"
           " device_address, authenticated_at, uuid, ended_at, end_reason")
INDEXES = """
    SELECT 'DROP INDEX ' || i.indexrelid::regclass || ';', pg_get_indexdef(i.indexrelid) || ';'
    FROM pg_index i WHERE i.indrelid = 'sessions'::regclass
        AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)
    UNION ALL SELECT 'ALTER TABLE sessions DROP CONSTRAINT ' || conname || ';',
        'ALTER TABLE sessions ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) || ';'
    FROM pg_constraint WHERE conrelid = 'sessions'::regclass AND contype = 'u'
"""
FIRST_ENDED = 200_000_000


def grow(database: PostgreSQL, present: int, sessions: int) -> None:
    """Adds live sessions numbered `present` to `sessions`, ten for each person, last used some hours ago.

    The indexes are made after the rows, so they are denser than indexes that have grown."""
    made = [line.split("|", 1) for line in database.query(INDEXES).splitlines()]
    first, last = -(-present // SESSIONS_PER_PERSON), -(-sessions // SESSIONS_PER_PERSON)
    now = time.time_ns() // 1_000_000
    database.query("BEGIN;" + "".join(drop for drop, _ in made) + f"""
        INSERT INTO people (id, email, name, created_at)
            SELECT {_person("n")}, 'person' || n || '@example.org', 'Person ' || n, {now - 30 * DAY}
            FROM generate_series({first}, {last - 1}) n;
        {_insert(present, sessions, now, "NULL, NULL")}
        COMMIT;""")
    database.query("".join(create for _, create in made) + "VACUUM ANALYZE people; VACUUM ANALYZE sessions; CHECKPOINT;")


def add_ended(database: PostgreSQL, count: int) -> None:
    """Adds sessions that ended longer ago than a gateway keeps them."""
    now = time.time_ns() // 1_000_000
    ended = f"{now - 31 * DAY} - n % {DAY}, 'signed_out'"
    database.query(f"{_insert(FIRST_ENDED, FIRST_ENDED + count, now - 40 * DAY, ended)} ANALYZE sessions; CHECKPOINT;")


def _insert(first: int, end: int, now: int, ended: str) -> str:
    # The id is the number times an odd factor, modulo 2^48: unique, and in no order.
    return f"""
        INSERT INTO sessions ({COLUMNS})
        SELECT lpad(to_hex(n * 25214903917 & 281474976710655), 12, '0'), sha256(convert_to(
            translate(rtrim(encode(sha256(convert_to('session ' || n, 'UTF8')), 'base64'), '='), '+/', '-_'), 'UTF8')),
            {_person(f"n % {FIRST_ENDED} / {SESSIONS_PER_PERSON}")},
            {now - DAY} - n % {DAY}, {now - DAY // 8} - n % {DAY // 8}, {now - DAY // 8 + 7 * DAY} - n % {DAY // 8},
            {now + 89 * DAY} - n % {DAY}, 'latch on ada''s desk', 'Linux', '203.0.113.' || n % 250,
            {now - DAY} - n % {DAY}, gen_random_uuid()::text, {ended}
        FROM generate_series({first}::bigint, {end - 1}::bigint) n;"""


def _person(number: str) -> str:
    return f"'00000000-0000-4000-8000-' || lpad(to_hex({number} + 1), 12, '0')"
