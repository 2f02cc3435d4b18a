"""The application on fastapi-users: uvicorn with uvloop, httptools and two workers, sessions in a Redis of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

from ..client import Answer, sign_in as sign_in_at
from ..machine import ROOT
from ..process import BenchError, Server, free_port
from . import redis as redis_server
from .gateway import EMAIL, PASSWORD

LOGIN_PATH = "/api/auth/login"
WORKERS = 2
# What latchd uses: the m and t of the hashes in its database, compared by the measurement of sign-ins.
ARGON2_MEMORY_KIB, ARGON2_ITERATIONS = 65_536, 2

APPLICATION = ROOT / "Benchmarks" / "peer"
REQUIREMENTS = ROOT / "Benchmarks" / "requirements.txt"
ENVIRONMENT = ROOT / ".build" / "bench" / "peer"


class PeerServer(Server):
    """uvicorn with its Redis, which counts as a part of it."""

    def __init__(self, folder: Path, environment: dict[str, str], redis: Server):
        self.redis = redis
        port = free_port()
        command = [str(ENVIRONMENT / "bin" / "uvicorn"), "application:app", "--app-dir", str(APPLICATION),
                   "--host", "127.0.0.1", "--port", str(port), "--workers", str(WORKERS), "--loop", "uvloop",
                   "--http", "httptools", "--no-access-log", "--log-level", "warning"]
        super().__init__("fastapi-users", command, port, folder / "uvicorn.log", environment)

    def processes(self) -> list[int]:
        """uvicorn, its workers and Redis."""
        return super().processes() + self.redis.processes()

    def stop(self) -> None:
        """Ends both."""
        super().stop()
        self.redis.stop()


def start(folder: Path) -> PeerServer:
    """Makes the virtual environment when it is not there, starts Redis and uvicorn, and registers the person."""
    make_environment()
    folder.mkdir(parents=True, exist_ok=True)
    redis = redis_server.start(folder)
    environment = {
        **os.environ, "PEER_DATABASE": str(folder / "peer.db"), "PEER_REDIS": str(folder / "redis.sock"),
        "PEER_ARGON2_MEMORY": str(ARGON2_MEMORY_KIB), "PEER_ARGON2_ITERATIONS": str(ARGON2_ITERATIONS)}
    try:
        _make_tables(environment)
        server = PeerServer(folder, environment, redis)
    except BaseException:
        redis.stop()
        raise
    try:
        server.wait_until_it_listens()
        _register(server.port)
    except BaseException:
        server.stop()
        raise
    return server


def sign_in(port: int, password: str = PASSWORD) -> Answer:
    """Signs in with the person's e-mail."""
    return sign_in_at(port, LOGIN_PATH, EMAIL, password)


def make_environment() -> None:
    """A virtual environment with the pinned packages, kept for the next run."""
    stamp = ENVIRONMENT / "requirements.txt"
    if stamp.is_file() and stamp.read_text() == REQUIREMENTS.read_text():
        return
    print("Fetching the peer's packages from PyPI into .build/bench.", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
    subprocess.run([str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet",
                    "--disable-pip-version-check", "--requirement", str(REQUIREMENTS)], check=True)
    stamp.write_text(REQUIREMENTS.read_text())


def _make_tables(environment: dict[str, str]) -> None:
    program = "import asyncio, application; asyncio.run(application.make_tables())"
    done = subprocess.run([str(ENVIRONMENT / "bin" / "python"), "-c", program], cwd=APPLICATION, text=True,
                          capture_output=True, env={**environment, "PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode != 0:
        raise BenchError(f"The peer's tables were not made: {done.stderr}")


def _register(port: int) -> None:
    body = json.dumps({"email": EMAIL, "password": PASSWORD}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/auth/register", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        if response.status != 201:
            raise BenchError(f"The peer did not register a person: {response.status}")
