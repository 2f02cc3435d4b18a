"""What is measured on one database: validations, writes, size, upkeep, and several gateways."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from .. import load
from ..client import ask_each
from ..load import Request
from ..process import Server
from ..servers.gateway import ME_PATH, Gateway
from ..stored import token
from .fill import add_ended
from .postgresql import PostgreSQL

REFRESH_PATH = "/api/auth/mobile/refresh"
WARM_UP = 50
Figures = dict[str, float]


@dataclass(frozen=True)
class Scale:
    """The database and how much is measured on it."""

    database: PostgreSQL
    gateway: Gateway
    folder: Path
    processes: int
    tokens: int
    seconds: int

    @property
    def settings(self) -> dict[str, str]:
        """What the environment of a gateway names."""
        return {"LATCHD_DATABASE": self.database.address, "LATCHD_BRIDGE_KEY_FILE": str(self.folder / "bridge.key")}

    def start(self, number: int = 0) -> Server:
        """Starts a gateway and waits until its work of the first seconds is done."""
        server = Gateway(self.gateway.program, self.gateway.folder / str(number)).start(**self.settings)
        # The first requests of a process pay for what is made once, such as connections. The measures use other tokens.
        for _ in ask_each(server.port, ME_PATH, map(token, range(WARM_UP))):
            pass
        time.sleep(1.2)
        self.database.wait_until_idle(30)
        return server

    @contextmanager
    def counted(self, figures: Figures, name: str, servers: list[Server]) -> Iterator[list[int]]:
        """Adds the processor time of both programs and the bytes of the log of a block, for one operation.

        The block appends the number of its operations to the list. Gateways write the uses of sessions within a second
        after the requests, so the count ends when the database rests. The queries for the log are outside of it."""
        done: list[int] = []
        log = self._log_bytes()
        latchd, postgres = sum(server.cpu_seconds() for server in servers), self.database.cpu_seconds()
        yield done
        time.sleep(1.2)
        self.database.wait_until_idle(10)
        latchd = sum(server.cpu_seconds() for server in servers) - latchd
        postgres = self.database.cpu_seconds() - postgres
        log = self._log_bytes() - log
        for key, value in (("latchd_us", latchd * 1e6), ("postgres_us", postgres * 1e6), ("wal_bytes", log)):
            figures[f"{name}_{key}"] = value / sum(done)

    def _log_bytes(self) -> float:
        return self.database.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")


def validations(scale: Scale, sessions: int) -> Figures:
    """Means over several processes: tokens used in the last minute, tokens whose use is recorded, both again."""
    rounds = []
    for _ in range(scale.processes):
        numbers = random.sample(range(WARM_UP, sessions), 2 * min(scale.tokens, sessions // 2 - WARM_UP))
        half = len(numbers) // 2
        groups = {"cold_unrecorded": numbers[:half], "cold": numbers[half:], "warm": numbers}
        figures: Figures = {}
        with scale.start() as server:
            _touch(scale.database, [token(number) for number in groups["cold_unrecorded"]])
            scale.database.wait_until_idle(10)
            for name, group in groups.items():
                with scale.counted(figures, name, [server]) as done:
                    took = list(ask_each(server.port, ME_PATH, map(token, group)))
                    done.append(len(group))
                figures[f"{name}_median_us"] = median(took) * 1e6
            rounds.append(figures)
    return {key: mean(figures[key] for figures in rounds) for key in rounds[0]}


def writes(scale: Scale, sessions: int) -> Figures:
    """Refreshes of many sessions by 64 connections. Each is a commit that waits for the disk."""
    tokens = _token_file(scale, random.sample(range(sessions), min(sessions, 50_000)), 0)
    figures: Figures = {}
    with scale.start() as server:
        request = Request(server.url(REFRESH_PATH), tokens=tokens, form="a=b")
        with scale.counted(figures, "refresh", [server]) as done:
            # A person may make 100 requests a minute, and 1,000 sessions have 100 people.
            result = load.run(request, scale.seconds if sessions > 1_000 else 2)
            done.append(result.requests)
    return figures | {"refresh_per_second": result.rate, "refresh_p50_ms": result.p50, "refresh_p99_ms": result.p99}


def sizes(scale: Scale, sessions: int) -> Figures:
    """Bytes on disk, the heap and each index of the sessions for one session."""
    parts = scale.database.query(
        "SELECT c.relname, pg_relation_size(c.oid) FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid"
        " WHERE c.oid = 'sessions'::regclass OR i.indrelid = 'sessions'::regclass")
    per_session = {f"bytes_of_{name}": int(size) / sessions for name, size in (x.split("|") for x in parts.splitlines())}
    return {
        "sessions_bytes": scale.database.number("SELECT pg_total_relation_size('sessions')") / sessions,
        "people_bytes": scale.database.number("SELECT pg_total_relation_size('people')") / (sessions / 10),
        "database_mib": scale.database.number("SELECT pg_database_size('scale')") / 2**20, **per_session}


def upkeep(scale: Scale, sessions: int) -> Figures:
    """The statements of the upkeep: the deletion of ended sessions, 500 in a step, and the reads of every session."""
    ended = max(500, min(sessions // 10, 50_000))
    add_ended(scale.database, ended)
    limit = (time.time_ns() // 1_000_000) - 30 * 86_400_000
    purge = _timed(scale.database, f"""
        DO $$ BEGIN LOOP
            DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE ended_at < {limit} LIMIT 500);
            EXIT WHEN NOT FOUND;
            COMMIT;
        END LOOP; END $$;""")
    vacuum = _timed(scale.database, "VACUUM sessions;")
    orphans = _timed(scale.database, """
        UPDATE sessions SET ended_at = 1, end_reason = 'revoked' WHERE parent_id IS NOT NULL AND ended_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = sessions.parent_id AND o.expires_at > 1);""")
    count = _timed(scale.database, "SELECT count(*) FROM sessions WHERE ended_at IS NULL AND expires_at > 1;")
    scale.database.query("ANALYZE sessions; CHECKPOINT;")
    return {"purged": ended, "purge_ms_per_500": purge * 1e3 / (ended / 500), "vacuum_ms": vacuum * 1e3,
            "end_orphans_ms": orphans * 1e3, "count_live_ms": count * 1e3}


def gateways(scale: Scale, sessions: int, count: int) -> Figures:
    """64 connections spread over several gateways on the same database: tokens in memory, then refreshes."""
    numbers = random.sample(range(sessions), min(sessions, 12_000))
    share = len(numbers) // count
    figures: Figures = {}
    with ExitStack() as stack:
        servers = [stack.enter_context(scale.start(number)) for number in range(count)]
        files = []
        for at, server in enumerate(servers):
            own = numbers[at * share:(at + 1) * share]
            for _ in ask_each(server.port, ME_PATH, map(token, own)):
                pass
            files.append(_token_file(scale, own, at))
        warm = [Request(server.url(ME_PATH), tokens=file) for server, file in zip(servers, files)]
        refreshes = [Request(server.url(REFRESH_PATH), tokens=file, form="a=b") for server, file in zip(servers, files)]
        time.sleep(1.2)
        scale.database.wait_until_idle(10)
        for name, requests in (("warm", warm), ("refresh", refreshes)):
            with scale.counted(figures, f"{count}_gateways_{name}", servers) as done:
                running = [load.begin(request, scale.seconds, 64 // count) for request in requests]
                results = [load.finish(run, request.url) for run, request in zip(running, requests)]
                done.extend(result.requests for result in results)
            figures[f"{count}_gateways_{name}_per_second"] = sum(result.rate for result in results)
        figures[f"{count}_gateways_connections"] = scale.database.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'scale' AND pid <> pg_backend_pid()")
        figures[f"{count}_gateways_resident_mib"] = sum(server.resident_bytes() for server in servers) / 2**20 / count
    return figures


def _touch(database: PostgreSQL, tokens: list[str]) -> None:
    """Records a use of sessions now, so that their next use is not recorded."""
    values = ",".join(f"('{value}')" for value in tokens)
    database.query(f"""UPDATE sessions SET last_used_at = {time.time_ns() // 1_000_000} WHERE token_hash IN
        (SELECT sha256(convert_to(token, 'UTF8')) FROM (VALUES {values}) t (token));""")


def _timed(database: PostgreSQL, sql: str) -> float:
    """Seconds that the server took, as psql shows them."""
    shown = database.query(f"\\timing on\n{sql}")
    return float(re.findall(r"^Time: ([0-9.]+) ms", shown, re.MULTILINE)[-1]) / 1e3


def _token_file(scale: Scale, numbers: list[int], at: int) -> Path:
    path = scale.folder / f"tokens-{at}"
    path.write_text("".join(token(number) + "\n" for number in numbers))
    return path
