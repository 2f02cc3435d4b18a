"""The command: fills one table after the other to its bound, and compares a sign-in beside it with one without."""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from .. import machine
from ..command_line import build, in_folder
from ..process import BenchError, Server
from ..scale.postgresql import PostgreSQL
from ..servers.gateway import EMAIL, PASSWORD, Gateway
from .fill import Dialect, fills

# The person has the maximum number of sessions before the first measurement, as after it.
WARM_UP = 320
# The cheapest hashing, so that the time is that of the database.
SETTINGS = {"LATCHD_PASSWORDS_ARGON2_MEMORY": "8192KiB", "LATCHD_PASSWORDS_ARGON2_ITERATIONS": "1",
            "LATCHD_GUARDS_ADDRESS_REQUESTS": "1000000", "LATCHD_GUARDS_SIGN_INS": "1000000"}


def main(arguments: list[str]) -> int:
    """Exit code 0 when a sign-in beside full tables takes at most twice its time; 1 otherwise."""
    options = _parser().parse_args(arguments)
    return in_folder("latchstring-bounds.", options.folder, lambda folder: _run(options, folder))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bounds", description="Measures a sign-in beside full tables.")
    parser.add_argument("--people", type=int, default=200, help="people who have all that a person can have (200)")
    parser.add_argument("--sign-ins", type=int, default=60, help="sign-ins of each measurement (60)")
    parser.add_argument("--only", choices=("sqlite", "postgresql"), help="one of the databases")
    parser.add_argument("--latchd", type=Path, help="a built latchd, instead of building this one for release")
    parser.add_argument("--folder", type=Path, help="where the databases are made (the folder of temporary files)")
    return parser


def _run(options: argparse.Namespace, folder: Path) -> None:
    latchd = (options.latchd or build("latchd")).resolve()
    # PostgreSQL runs as a user of its own.
    folder.chmod(0o755)
    print(json.dumps({"machine": machine.describe()}), flush=True)
    slow: list[str] = []
    for name in ("sqlite", "postgresql"):
        if options.only in (None, name):
            slow += _measure(name, options, latchd, folder / name)
    if slow:
        raise BenchError("More than twice the time: " + ", ".join(slow))


def _file_runner(path: Path) -> Callable[[str], object]:
    def run(sql: str) -> None:
        with sqlite3.connect(path, timeout=60) as connection:
            connection.execute(sql)
        connection.close()
    return run


def _measure(name: str, options: argparse.Namespace, latchd: Path, folder: Path) -> list[str]:
    """Signs in at a gateway with tables of others and, in turn, at one without, so that other work on the machine slows
    both down."""
    with ExitStack() as ended:
        full, run = _gateway(name, latchd, folder / "full", ended)
        empty, _ = _gateway(name, latchd, folder / "empty", ended)
        for server in (full, empty):
            for _ in range(WARM_UP):
                _sign_in(server)
        slow = []
        for table, count, sql in [("nothing", 0, ""), *fills(Dialect(name == "postgresql"), options.people)]:
            if sql:
                run(sql)
            if sql and name == "postgresql":
                run(f"ANALYZE {table};")
            # Work of every minute or ten minutes may run meanwhile; the median leaves it out.
            pairs = [(_sign_in(full), _sign_in(empty)) for _ in range(options.sign_ins)]
            beside, alone = (median(times) for times in zip(*pairs, strict=True))
            print(json.dumps({
                "database": name, "filled": table, "rows": count, "sign_in_ms": round(beside * 1e3, 2),
                "without_ms": round(alone * 1e3, 2), "ratio": round(beside / alone, 2)}), flush=True)
            if beside > 2 * alone:
                slow.append(f"{name} with {table}")
        return slow


def _gateway(name: str, latchd: Path, folder: Path, ended: ExitStack) -> tuple[Server, Callable[[str], object]]:
    """A gateway with one person, on a database of its own, and what runs SQL in it. `ended` stops them."""
    gateway = Gateway(latchd, folder / "gateway")
    if name == "postgresql":
        database = ended.enter_context(PostgreSQL(folder / "postgresql"))
        address, run = database.address, database.query
    else:
        address, run = str(gateway.database), _file_runner(gateway.database)
    settings = SETTINGS | {"LATCHD_DATABASE": address, "LATCHD_BRIDGE_KEY_FILE": str(gateway.folder / "bridge.key")}
    _add_person(gateway, settings)
    server = gateway.start(**settings)
    ended.callback(server.stop)
    return server, run


def _add_person(gateway: Gateway, settings: dict[str, str]) -> None:
    command = [str(gateway.program), "user", "add", EMAIL, "--name", "Ada Lovelace", "--password-stdin"]
    done = subprocess.run(command, input=PASSWORD + "\n", text=True, capture_output=True,
                          env=gateway.environment(**settings))
    if done.returncode != 0:
        raise BenchError(f"latchd did not add a person: {done.stderr}")


def _sign_in(server: Server) -> float:
    """The time of a sign-in, in seconds."""
    start = time.perf_counter()
    answer = Gateway.sign_in(server.port)
    duration = time.perf_counter() - start
    if answer.status != 200:
        raise BenchError(f"A sign-in was answered {answer.status}: {answer.body[:200]!r}")
    return duration
