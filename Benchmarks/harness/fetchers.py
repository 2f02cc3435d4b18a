"""The programs that bring many files home: how each is told to, and what the system counts of it."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .process import BenchError
from .servers.gateway import EMAIL, PASSWORD
from .table import Figure

# A command for these names at this address, into this folder.
Command = Callable[[str, list[str], Path], list[str]]
AT_ONCE = 6


@dataclass
class Fetcher:
    """One program, what its rounds took, and what must be done before each."""

    command: Command
    before: Callable[[], None] = lambda: None
    environment: dict[str, str] | None = None
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)

    def fetch(self, base: str, names: list[str], folder: Path, inside: list[str]) -> None:
        """One round: all files into `folder`, which is made for it."""
        self.before()
        folder.mkdir()
        took = run([*inside, *self.command(base, names, folder)], folder.parent / "peak", self.environment)
        self.wall.append(took.wall)
        self.cpu.append(took.cpu)
        self.peak.append(took.peak)

    def figure(self, attribute: str) -> Figure:
        """Median and spread of `wall`, `cpu` or `peak`."""
        return Figure.of(getattr(self, attribute))


@dataclass(frozen=True)
class Took:
    """Seconds of the clock and of the processor, and the most memory in MiB."""

    wall: float
    cpu: float
    peak: float


def run(command: list[str], peak: Path, environment: dict[str, str] | None = None) -> Took:
    """Runs a command to its end; it must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    # A small program starts it, for what this one holds would count as the other's peak.
    done = subprocess.run(
        ["time", "--quiet", f"--output={peak}", "--format=%M", *command], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace", env=environment)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise BenchError(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}")
    return Took(
        wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        int(peak.read_text().split()[-1]) / 1024)


def all_of_them(latch: Latch) -> dict[str, Fetcher]:
    """Ours first."""
    return {
        "latch": Fetcher(latch.command, latch.forget, latch.environment), "curl": Fetcher(_curl),
        "aria2c": Fetcher(_aria2c), "rclone": Fetcher(_rclone, environment=os.environ | {"RCLONE_CONFIG": "/dev/null"})}


class Latch:
    """The client with an account of its own at one address."""

    def __init__(self, program: Path, folder: Path):
        self.program, self.folder = program, folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LATCH_", "XDG_", "DBUS_"))}
        key = folder / "key"
        self.environment = kept | {
            "HOME": str(folder), "LATCH_SECRETS": "file", "LATCH_SECRETS_KEY": str(key), "LATCH_LOG": "off"}
        folder.mkdir(parents=True)
        key.write_bytes(os.urandom(32))
        key.chmod(0o600)

    def sign_in(self, address: str, *options: str) -> None:
        """Signs in at the gateway behind that address."""
        done = subprocess.run(
            [str(self.program), "login", address, "--email", EMAIL, "--password-stdin", *options], input=PASSWORD + "\n",
            text=True, capture_output=True, env=self.environment)
        if done.returncode != 0:
            raise BenchError(f"latch did not sign in: {done.stderr}")

    def command(self, base: str, names: list[str], folder: Path) -> list[str]:
        """`latch download` with paths below the account's server."""
        return [str(self.program), "download", "--to", str(folder), "--make-folder", "--layout", "flat", "--parallel",
                str(AT_ONCE),
                *(f"{base}/{name}" for name in names)]

    def forget(self) -> None:
        """Each round is of files that the queue has not seen."""
        subprocess.run([str(self.program), "downloads", "clear"], check=True, capture_output=True, env=self.environment)


def _curl(base: str, names: list[str], folder: Path) -> list[str]:
    return ["curl", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", str(AT_ONCE),
            "--output-dir", str(folder), "--remote-name-all", *(f"{base}/{name}" for name in names)]


def _aria2c(base: str, names: list[str], folder: Path) -> list[str]:
    listed = folder.with_suffix(".list")
    listed.write_text("\n".join(f"{base}/{name}" for name in names))
    return ["aria2c", "--quiet", "--no-conf", "--file-allocation=none", f"--max-concurrent-downloads={AT_ONCE}",
            "--split=1", "--max-connection-per-server=1", f"--dir={folder}", f"--input-file={listed}"]


def _rclone(base: str, names: list[str], folder: Path) -> list[str]:
    return ["rclone", "copy", "--quiet", f"--transfers={AT_ONCE}", "--http-no-head", "--no-check-dest",
            f"--http-url={base}", ":http:", str(folder)]


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in ("curl", "aria2c", "rclone", "time", "nsenter", "ip") if not shutil.which(name)]
