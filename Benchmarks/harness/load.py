"""The load: wrk with two threads, for every server the same."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from .process import BenchError

SCRIPT = Path(__file__).resolve().parent.parent / "wrk" / "report.lua"
THREADS = 2
CONNECTIONS = 64


@dataclass(frozen=True)
class Request:
    """What is sent again and again."""

    url: str
    token: str | None = None
    authorization: str | None = None
    """The whole `Authorization` field, instead of a token."""
    form: str | None = None
    tokens: Path | None = None
    """A file of tokens, one a line, used in turn instead of one token. A line with a space has a bound token and its proof."""
    fields: dict[str, str] | None = None
    """More header fields."""
    cookie: str | None = None
    pause_ms: int | None = None
    """How long each connection rests between two requests."""

    def paced(self, pause_ms: int) -> Request:
        """The same with pauses."""
        return replace(self, pause_ms=pause_ms)

    def environment(self) -> dict[str, str]:
        """What report.lua reads."""
        values = {
            "BENCH_METHOD": "POST" if self.form else "GET", "BENCH_TOKEN": self.token, "BENCH_BODY": self.form,
            "BENCH_AUTHORIZATION": self.authorization, "BENCH_COOKIE": self.cookie,
            "BENCH_FIELDS": self.fields and "\n".join(f"{name}: {value}" for name, value in self.fields.items()),
            "BENCH_TOKENS": self.tokens and str(self.tokens), "BENCH_PAUSE": self.pause_ms and str(self.pause_ms)}
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True)
class Load:
    """What one run of wrk measured; times in milliseconds."""

    requests: int
    seconds: float
    p50: float
    p99: float
    worst: float

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds


def begin(request: Request, seconds: int, connections: int = CONNECTIONS) -> subprocess.Popen[str]:
    """Starts a run of wrk; `finish` waits for its end."""
    command = ["wrk", f"-t{min(THREADS, connections)}", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s",
               "--script", str(SCRIPT), request.url]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **request.environment()})


def finish(running: subprocess.Popen[str], url: str) -> Load:
    """What the run measured. An answer that is not 2xx or 3xx, or none, spoils it."""
    output, _ = running.communicate()
    line = next((line for line in output.splitlines() if line.startswith("REPORT ")), None)
    if running.returncode != 0 or line is None:
        raise BenchError(f"wrk failed on {url}:\n{output}")
    report = json.loads(line.removeprefix("REPORT "))
    if report["failures"] or report["timeouts"] or not report["requests"]:
        raise BenchError(f"wrk was refused on {url}: {report}")
    return Load(*(report[key] for key in ("requests", "seconds", "p50", "p99", "worst")))


def run(request: Request, seconds: int, connections: int = CONNECTIONS) -> Load:
    """One run of wrk from its start to its end."""
    running = begin(request, seconds, connections)
    try:
        return finish(running, request.url)
    finally:
        if running.poll() is None:
            running.kill()
