"""`latch download` with a million files that wait: how long until the first one is home, and the most memory."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import ExitStack, closing
from pathlib import Path

from ..bench import BenchmarkRun
from ..fetchers import Latch
from ..process import BenchError
from ..table import Aim, Figure, Row
from .downloads import FileServers

TASKS = 1_000_000
SECONDS = 5


def measure(bench: BenchmarkRun) -> list[Row]:
    """Each round starts the program anew on what is left, lets it fetch for some seconds and stops it."""
    with ExitStack() as stack:
        file_servers = FileServers(bench, stack, "queue", ["small"])
        latch = file_servers.latches["127.0.0.1"]
        address = f"http://127.0.0.1:{file_servers.front.port}/files/small/file-00000.jpg"
        home = bench.folder / "queue-home"
        bench.say(f"A queue of {TASKS:,} files")
        subprocess.run(
            [str(latch.program), "download", "--to", str(home), "--layout", "flat", address], check=True,
            capture_output=True, env=latch.environment)
        _fill(latch.folder / ".local/share/latchstring", address)
        rounds = [_round(latch, home) for _ in range(bench.rounds)]
        shutil.rmtree(home)
    return [
        Row(f"{TASKS:,} files wait: start to the first one home, ms", {"latch": Figure.of([first for first, _ in rounds])},
            Aim("≤ 1,000 ms", at_most=1000)),
        Row("  most memory, MiB", {"latch": Figure.of([peak for _, peak in rounds])}, Aim("< 32 MiB", at_most=32)),
    ]


def _fill(folder: Path, address: str) -> None:
    """Writes the waiting files as copies of the one that came; each has an address and a name of its own."""
    database = next(path for path in folder.glob("*.db") if _has_downloads(path))
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(downloads)") if row[1] != "position"]
        changed = {
            "id": "'waiting-' || n", "url": f"'{address}?' || n", "filename": "'file-' || n || '.jpg'",
            "state": "'waiting'", "path": "NULL", "resume": "NULL", "is_whole": "0"}
        connection.execute("BEGIN")
        connection.execute(
            f"WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < {TASKS}) "
            f"INSERT INTO downloads ({', '.join(names)}) "
            f"SELECT {', '.join(changed.get(name, name) for name in names)} FROM downloads, counter WHERE position = 1")
        connection.execute("COMMIT")


def _has_downloads(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'downloads'").fetchone())


def _round(latch: Latch, home: Path) -> tuple[float, float]:
    """Milliseconds until a file more is there, and the most memory in MiB."""
    before = len(os.listdir(home))
    start = time.perf_counter()
    program = subprocess.Popen(
        [str(latch.program), "download"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env=latch.environment)
    try:
        while len(os.listdir(home)) == before:
            if program.poll() is not None or time.perf_counter() - start > 60:
                raise BenchError("latch fetched nothing of a long queue.")
            time.sleep(0.005)
        first = (time.perf_counter() - start) * 1000
        time.sleep(SECONDS)
        peak = int(next(line for line in Path(f"/proc/{program.pid}/status").read_text().splitlines()
                        if line.startswith("VmHWM")).split()[1]) / 1024
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(timeout=30)
    return first, peak
