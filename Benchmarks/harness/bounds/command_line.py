"""The command: signs a person in, fills one table after the other to its bound, and signs the person in again."""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
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
            "LATCHD_GUARDS_ADDRESS_REQUESTS": "1000000"}


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
    if options.only != "postgresql":
        gateway = Gateway(latchd, folder / "sqlite")
        slow += _measure("sqlite", options, gateway, str(gateway.database), _file_runner(gateway.database))
    if options.only != "sqlite":
        with PostgreSQL(folder / "postgresql") as database:
            gateway = Gateway(latchd, folder / "gateway")
            slow += _measure("postgresql", options, gateway, database.address, database.query)
    if slow:
        raise BenchError("More than twice the time: " + ", ".join(slow))


def _file_runner(path: Path) -> Callable[[str], object]:
    def run(sql: str) -> None:
        with sqlite3.connect(path, timeout=60) as connection:
            connection.execute(sql)
        connection.close()
    return run


def _measure(
    name: str, options: argparse.Namespace, gateway: Gateway, address: str, run: Callable[[str], object]
) -> list[str]:
    settings = SETTINGS | {"LATCHD_DATABASE": address, "LATCHD_BRIDGE_KEY_FILE": str(gateway.folder / "bridge.key")}
    _add_person(gateway, settings)
    server = gateway.start(**settings)
    try:
        _sign_in(server, WARM_UP)
        before = _sign_in(server, options.sign_ins)
        _print(name, "nothing", 0, before, before)
        slow = []
        for table, count, sql in fills(Dialect(name == "postgresql"), options.people):
            run(sql)
            if name == "postgresql":
                run(f"ANALYZE {table};")
            # Work of every minute or ten minutes may run meanwhile; the median leaves it out.
            after = _sign_in(server, options.sign_ins)
            _print(name, table, count, before, after)
            if after > 2 * before:
                slow.append(f"{name} with {table}")
        return slow
    finally:
        server.stop()


def _add_person(gateway: Gateway, settings: dict[str, str]) -> None:
    command = [str(gateway.program), "user", "add", EMAIL, "--name", "Ada Lovelace", "--password-stdin"]
    done = subprocess.run(command, input=PASSWORD + "\n", text=True, capture_output=True,
                          env=gateway.environment(**settings))
    if done.returncode != 0:
        raise BenchError(f"latchd did not add a person: {done.stderr}")


def _sign_in(server: Server, count: int) -> float:
    """The median time of a sign-in, in seconds."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        answer = Gateway.sign_in(server.port)
        times.append(time.perf_counter() - start)
        if answer.status != 200:
            raise BenchError(f"A sign-in was answered {answer.status}: {answer.body[:200]!r}")
    return median(times)


def _print(database: str, table: str, rows: int, before: float, after: float) -> None:
    print(json.dumps({"database": database, "filled": table, "rows": rows, "sign_in_ms": round(after * 1e3, 2),
                      "ratio": round(after / before, 2)}), flush=True)
    sys.stdout.flush()
