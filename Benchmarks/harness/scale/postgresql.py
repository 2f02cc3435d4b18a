"""A PostgreSQL server of its own, that flushes its files as a server in use does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from ..process import BenchError, Server, cpu_seconds, stat_fields

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
SETTINGS = [
    "listen_addresses=", "fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=100",
    "shared_buffers=1GB", "maintenance_work_mem=512MB", "max_wal_size=6GB", "checkpoint_timeout=30min",
    # It would run at any moment, in the processor time of the measurement. Its work is measured as VACUUM.
    "autovacuum=off",
]


class PostgreSQL(Server):
    """Starts the server, as the user postgres if root runs the measurement, and stops it at the end."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True)
        folder.chmod(0o777)
        self.folder = folder
        made = subprocess.run(
            [*_command("initdb"), "--pgdata", str(folder / "data"), "--auth=trust", "--username=latchd",
             "--encoding=UTF8", "--locale=C.UTF-8"], capture_output=True, text=True, cwd="/")
        if made.returncode != 0:
            raise BenchError(f"initdb failed: {made.stderr}")
        arguments = [word for setting in SETTINGS for word in ("-c", setting)]
        super().__init__(
            "postgres", [*_command("postgres"), "-D", str(folder / "data"), "-k", str(folder), *arguments], 0,
            folder / "server.log")
        self.wait_until((folder / ".s.PGSQL.5432").exists)
        self.query("CREATE DATABASE scale", "postgres")
        self.address = f"postgresql://latchd@/scale?host={folder}"

    def query(self, sql: str, database: str = "scale") -> str:
        """Runs SQL without a surrounding transaction; gives the values of its rows as text, a line a row."""
        done = subprocess.run(
            [shutil.which("psql") or "psql", "--host", str(self.folder), "--username=latchd", "--no-psqlrc", "--quiet",
             "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--dbname", database], input=sql,
            capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchError(f"psql failed: {done.stderr}\n{sql[:500]}")
        return done.stdout.strip()

    def number(self, sql: str) -> float:
        """The only value of a query."""
        return float(self.query(sql))

    def processes(self) -> list[int]:
        """The server and its children, which have sessions of their own."""
        entries = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
        return [pid for pid in entries
                if pid == self.pid or ((f := stat_fields(Path(f"/proc/{pid}"))) and int(f[1]) == self.pid)]

    def cpu_seconds(self) -> float:
        """The time of its processes, and of those that have ended."""
        fields = stat_fields(Path(f"/proc/{self.pid}"))
        ended = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK") if fields else 0.0
        return ended + sum(cpu_seconds(Path(f"/proc/{pid}")) for pid in self.processes())

    def stop(self) -> None:
        """Ends the connections and the server."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=120)
        super().stop()


def _command(name: str) -> list[str]:
    """PostgreSQL refuses to run as root."""
    program = str(PROGRAMS / name)
    if os.getuid() != 0:
        return [program]
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", program]
