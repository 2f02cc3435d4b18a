"""django-allauth's OpenID provider on Hypercorn, SQLite, and people who sign in with a password."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..machine import ROOT
from ..process import BenchError, Server

# One process with threads: the semaphores of several workers would be left in /dev/shm by each kill.
WORKERS = 0
PASSWORD = "correct horse battery"
ENVIRONMENT = ROOT / ".build" / "identity-providers"
REQUIREMENTS = ROOT / "Tests" / "Programs" / "IdentityProviders" / "requirements.txt"
APPLICATION = ROOT / "Benchmarks" / "peer"


def version() -> str:
    """The pinned version."""
    lines = REQUIREMENTS.read_text().splitlines()
    return next(line.partition("==")[2] for line in lines if line.startswith("django-allauth=="))


def make(folder: Path, people: int, asker: str, secret: str) -> None:
    """Installs the packages when they are missing, and makes the database. `asker` is the client that introspects."""
    folder.mkdir(parents=True, exist_ok=True)
    key = ["openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out",
           str(folder / "key.pem")]
    site = [str(ENVIRONMENT / "bin" / "python"), str(APPLICATION / "allauth_application.py"), str(people), asker, secret]
    for command in ([str(ROOT / "scripts" / "identity-providers")], key, site):
        done = subprocess.run(command, capture_output=True, text=True, env=_environment(folder))
        if done.returncode != 0:
            raise BenchError(f"{command[0]} failed: {done.stderr[-2000:]}")


def launch(folder: Path, port: int) -> Server:
    """Starts the server on the database of a folder."""
    command = [str(ENVIRONMENT / "bin" / "hypercorn"), "--workers", str(WORKERS), "--bind", f"127.0.0.1:{port}",
               "--log-level", "error", "allauth_application:application"]
    server = Server("django-allauth", command, port, folder / "hypercorn.log", _environment(folder))
    try:
        server.wait_until_it_listens()
    except BaseException:
        server.stop()
        raise
    return server


def _environment(folder: Path) -> dict[str, str]:
    paths = [APPLICATION, REQUIREMENTS.parent]
    return {**os.environ, "PROVIDER_FOLDER": str(folder), "PROVIDER_PASSWORD": PASSWORD, "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(map(str, paths))}
