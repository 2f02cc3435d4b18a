"""latchd: a release build, everything at its defaults but the address and the database."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..client import Answer, sign_in
from ..process import BenchError, Server, free_port

EMAIL, PASSWORD = "ada@example.org", "correct horse battery"
LOGIN_PATH, ME_PATH = "/api/auth/mobile/login", "/api/me"


class Gateway:
    """How one build of latchd is started on a database of its own."""

    def __init__(self, program: Path, folder: Path, name: str = "latchd"):
        self.program, self.folder, self.name = program, folder, name
        folder.mkdir(parents=True, exist_ok=True)
        self.database = folder / "latchd.db"
        self.socket = folder / "latchd.sock"

    def launch(self, port: int | None = None, **extra: str) -> Server:
        """Starts it on a port, or a free one, and its socket without waiting; `extra` goes to its environment."""
        port = port or free_port()
        environment = self.environment(LATCHD_LISTEN=f"127.0.0.1:{port},unix:{self.socket}", **extra)
        return Server(self.name, [str(self.program), "serve"], port, self.folder / "latchd.log", environment)

    def start(self, port: int | None = None, **extra: str) -> Server:
        """Starts it as `launch` does and returns once it listens."""
        server = self.launch(port, **extra)
        try:
            server.wait_until_it_listens()
        except BaseException:
            server.stop()
            raise
        return server

    def add_person(self, email: str = EMAIL) -> None:
        """Adds a person who signs in; the database is made by this when it is not there."""
        command = [str(self.program), "user", "add", email, "--name", "Ada Lovelace", "--password-stdin"]
        done = subprocess.run(command, input=PASSWORD + "\n", text=True, capture_output=True, env=self.environment())
        if done.returncode != 0:
            raise BenchError(f"{self.name} did not add a person: {done.stderr}")

    def environment(self, **extra: str) -> dict[str, str]:
        """No configuration of the machine's own reaches the gateway."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LATCHD_")}
        return {**kept, "XDG_CONFIG_HOME": str(self.folder), "LATCHD_DATABASE": str(self.database), **extra}

    @staticmethod
    def sign_in(port: int, password: str = PASSWORD) -> Answer:
        """Signs in with the person's e-mail."""
        return sign_in(port, LOGIN_PATH, EMAIL, password)
