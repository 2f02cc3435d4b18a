"""Rows of other people, clients and strangers, up to the bounds of docs/operations.md, as SQL for both databases."""

from __future__ import annotations

import time
from dataclasses import dataclass

MINUTE, DAY = 60_000, 86_400_000
# The sessions of a person: live, ended, ended because of a reused token, expired.
LIVE, ENDED, REUSED, EXPIRED = 100, 200, 200, 200
SESSIONS = LIVE + ENDED + REUSED + EXPIRED
TOKENS = 4
CONSENTS, KEYS = 200, 200


@dataclass(frozen=True)
class Dialect:
    """What differs between the databases."""

    is_server: bool

    def blob(self, number: str, label: str) -> str:
        """A digest of 32 bytes."""
        return f"sha256(convert_to('{label}' || ({number}), 'UTF8'))" if self.is_server else "randomblob(32)"

    def text(self, number: str, label: str) -> str:
        """A text with a number."""
        return f"'{label}' || {number}"

    def person(self, number: str) -> str:
        """The id of a person."""
        digits = f"lpad(({number})::text, 12, '0')" if self.is_server else f"printf('%012d', {number})"
        return f"'00000000-0000-4000-8000-' || {digits}"

    def repeated(self, word: str, count: int) -> str:
        """A text that is repeated."""
        return f"repeat('{word}', {count})" if self.is_server else f"replace(hex(zeroblob({count})), '00', '{word}')"


def fills(dialect: Dialect, people: int) -> list[tuple[str, int, str]]:
    """The tables, the numbers of their rows, and the statements that insert them."""
    now = time.time_ns() // 1_000_000
    made = [
        ("people", people, f"""
            INSERT INTO people (id, email, created_at)
            SELECT {dialect.person("i")}, 'member' || i || '@example.org', {now} FROM n"""),
        ("sessions", people * SESSIONS, f"""
            INSERT INTO sessions (id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at, ended_at,
                end_reason)
            SELECT 'filled' || i, {dialect.blob("i", "session")}, {dialect.person(f"i / {SESSIONS}")}, {now - DAY},
                {now - DAY}, CASE WHEN i % {SESSIONS} >= {SESSIONS - EXPIRED} THEN {now - MINUTE * 60} ELSE {now + DAY} END,
                {now + 9 * DAY},
                CASE WHEN i % {SESSIONS} BETWEEN {LIVE} AND {LIVE + ENDED + REUSED - 1} THEN {now} - i % 9999 END,
                CASE WHEN i % {SESSIONS} BETWEEN {LIVE} AND {LIVE + ENDED - 1} THEN 'signed-out'
                    WHEN i % {SESSIONS} BETWEEN {LIVE + ENDED} AND {LIVE + ENDED + REUSED - 1} THEN 'token-reused' END
            FROM n"""),
        ("client_sessions", people * SESSIONS, f"""
            INSERT INTO client_sessions (session_id, client_id, scopes, audience, generation, refresh_hash, is_over)
            SELECT 'filled' || i, 'client' || (i % 200), 'openid', '', 1, {dialect.blob("i", "refresh")},
                i % {SESSIONS} BETWEEN {LIVE} AND {LIVE + ENDED + REUSED - 1} FROM n"""),
        ("access_tokens", people * LIVE * TOKENS, f"""
            INSERT INTO access_tokens (token_hash, session_id, generation, expires_at)
            SELECT {dialect.blob("i", "access")},
                'filled' || (i / {LIVE * TOKENS} * {SESSIONS} + i / {TOKENS} % {LIVE}), 2, {now + DAY} FROM n"""),
        ("client_consents", people * CONSENTS, f"""
            INSERT INTO client_consents (person_id, client_id, scopes, audience, granted_at)
            SELECT {dialect.person(f"i / {CONSENTS}")}, 'client' || (i % {CONSENTS}), 'openid',
                {dialect.repeated("https://a.example/" + "x" * 14, 256)}, {now} FROM n"""),
        ("api_keys", people * KEYS, f"""
            INSERT INTO api_keys (id, key_hash, person_id, name, scopes, created_at, revoked_at)
            SELECT {dialect.text("i", "key")}, {dialect.blob("i", "key")}, {dialect.person(f"i / {KEYS}")}, 'key', 'app',
                {now}, CASE WHEN i % 2 = 0 THEN {now} END FROM n"""),
        ("clients", 1_000, f"""
            INSERT INTO clients (id, name, redirects, created_at, registration_hash, registration_method, last_used_at,
                first_person_id)
            SELECT 'client' || i, 'Client', 'https://a.example/', {now}, {dialect.blob("i", "client")}, 'none', {now},
                {dialect.person("i / 64")} FROM n"""),
        ("device_requests", 8_192, f"""
            INSERT INTO device_requests (device_hash, user_hash, client_id, scopes, audience, device_address, created_at,
                expires_at, poll_interval, state, address_key)
            SELECT {dialect.blob("i", "device")}, {dialect.blob("i", "user")}, 'client' || (i % 2), '', '', '192.0.2.1',
                {now}, {now + DAY}, 5, 'waiting', {dialect.blob("i / 64", "address")} FROM n"""),
        ("client_sign_outs", 10_000, f"""
            INSERT INTO client_sign_outs (session_id, client_id, person_id, attempts, next_at)
            SELECT 'told' || i, 'client' || (i % 200), {dialect.person(f"i % {people}")}, 1, {now + DAY} FROM n"""),
        ("provider_sign_outs", 100_000, f"""
            INSERT INTO provider_sign_outs (id, expires_at, provider, number)
            SELECT {dialect.blob("i", "provider")}, {now + DAY}, 'house', i / 2 FROM n"""),
        ("attempt_counters", 100_000, f"""
            INSERT INTO attempt_counters (digest, kind, failures, lock_outs, window_ends_at, locked_until, used_at)
            SELECT {dialect.blob("i", "counter")}, CASE WHEN i % 2 = 0 THEN 'address' ELSE 'account' END, 3, 1,
                {now + DAY}, {now + DAY}, {now} FROM n"""),
        ("known_addresses", people * 16, f"""
            INSERT INTO known_addresses (person_id, address, used_at)
            SELECT {dialect.person("i / 16")}, {dialect.blob("i", "known")}, {now} FROM n"""),
    ]
    for table, count in (("pending_requests", 8_192), ("one_time_codes", 16_384), ("client_assertions", 524_288),
                         ("used_proofs", 524_288)):
        made.append((table, count, f"""
            INSERT INTO {table} (digest, record, expires_at)
            SELECT {dialect.blob("i", table)}, {dialect.blob("i", "record")}, {now + DAY} FROM n"""))
    return [(table, count, _numbered(count, dialect, sql)) for table, count, sql in made]


def _numbered(count: int, dialect: Dialect, sql: str) -> str:
    """The statement with the numbers from 0 as the table `n`."""
    if dialect.is_server:
        return sql.replace(" FROM n", f" FROM generate_series(0, {count - 1}) n (i)").strip() + ";"
    numbers = f"WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {count - 1}) "
    return sql.replace("SELECT", numbers + "SELECT", 1).strip() + ";"
