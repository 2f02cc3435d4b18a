"""A server under measurement: started in a session of its own, ended with all of its children."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """Something that the measurement needs is not there or did not do what it must."""


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A started program with its children, its port and what the system counts of them."""

    def __init__(self, name: str, command: list[str], port: int, log: Path, environment: dict[str, str] | None = None):
        self.name, self.port, self.log = name, port, log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                start_new_session=True)
        self.pid = self._process.pid

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def wait_until_it_listens(self, seconds: float = 60) -> None:
        """Returns once a connection is accepted."""
        self.wait_until(self._accepts, seconds)

    def wait_until(self, is_ready: Callable[[], bool], seconds: float = 60) -> None:
        """Returns once `is_ready()` is true; throws when the program ends before."""
        end = time.monotonic() + seconds
        while not is_ready():
            if self._process.poll() is not None or time.monotonic() > end:
                tail = self.log.read_text(errors="replace")[-2000:]
                raise BenchError(f"{self.name} did not come to listen; its last words:\n{tail}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Asks the program to end, then ends it and all its children."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        self.kill()

    def kill(self) -> None:
        """Ends the program and all its children with SIGKILL, and returns once none of them is left."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        end = time.monotonic() + 10
        # Its own alone: a subclass counts others too.
        while Server.processes(self) and time.monotonic() < end:
            time.sleep(0.005)

    def _accepts(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    # What the system counts

    def processes(self) -> list[int]:
        """The program and its children: all of its session."""
        members = []
        for entry in os.listdir("/proc"):
            fields = stat_fields(Path("/proc") / entry) if entry.isdigit() else []
            if fields and fields[0] != "Z" and int(fields[3]) == self.pid:
                members.append(int(entry))
        return members

    def cpu_seconds(self) -> float:
        """User and system time of all its processes until now."""
        return sum(cpu_seconds(Path(f"/proc/{pid}")) for pid in self.processes())

    def wait_until_idle(self, seconds: float = 60) -> None:
        """Waits until it rests: what a load left behind must not be done in another's time."""
        end, used = time.monotonic() + seconds, -1.0
        while time.monotonic() < end and (now := self.cpu_seconds()) - used > 0.01:
            used = now
            time.sleep(0.25)

    def threads_cpu(self, niceness: int) -> float:
        """User and system time until now of its threads of that niceness."""
        folders = [Path(f"/proc/{pid}/task") for pid in self.processes()]
        threads = [thread for folder in folders for thread in folder.iterdir()]
        return sum(cpu_seconds(thread) for thread in threads if (f := stat_fields(thread)) and int(f[16]) == niceness)

    def resident_bytes(self) -> int:
        """VmRSS of all its processes; pages that they share count for each."""
        return sum(self._status(pid, "VmRSS") for pid in self.processes())

    def peak_resident_bytes(self) -> int:
        """VmHWM, summed likewise."""
        return sum(self._status(pid, "VmHWM") for pid in self.processes())

    @staticmethod
    def _status(pid: int, key: str) -> int:
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
        return 0


def stat_fields(folder: Path) -> list[str]:
    """The fields of `stat` from the third (the state) on, since the second may hold blanks; empty when it is gone."""
    try:
        return (folder / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []


def kill_children() -> None:
    """Kills every process that this one has started."""
    for entry in os.listdir("/proc"):
        fields = stat_fields(Path("/proc") / entry) if entry.isdigit() else []
        if fields and int(fields[1]) == os.getpid():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(int(entry), signal.SIGKILL)


def cpu_seconds(folder: Path) -> float:
    """utime and stime of a process or a thread."""
    fields = stat_fields(folder)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0
