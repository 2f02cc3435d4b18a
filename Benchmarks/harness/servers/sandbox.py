"""The identity provider of `latchd sandbox`, with a client of the measurement's own."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from ..process import Server

CLIENT = "bench"


class Sandbox(Server):
    """A running sandbox; its own gateways are not used."""

    def __init__(self, program: Path, folder: Path, redirects: list[str]):
        folder.mkdir(parents=True, exist_ok=True)
        clients = [f"--client={CLIENT}={redirect}" for redirect in redirects]
        super().__init__("sandbox", [str(program), "sandbox", "--json", *clients], 0, folder / "sandbox.log")

    def wait(self) -> None:
        """Returns once it answers, which is when it has said its addresses."""
        self.wait_until(lambda: self._said() is not None)
        said = self._said() or {}
        self.issuer = said["issuer"]["url"]
        self.port = urlsplit(self.issuer).port or 0
        self.email, self.password = said["users"][0]["email"], said["users"][0]["password"]

    def _said(self) -> dict | None:
        with suppress(ValueError, IndexError):
            return json.loads(self.log.read_text().splitlines()[0])
        return None


def start(program: Path, folder: Path, redirects: list[str]) -> Sandbox:
    """Starts the sandbox and waits for it."""
    sandbox = Sandbox(program, folder, redirects)
    try:
        sandbox.wait()
    except BaseException:
        sandbox.stop()
        raise
    return sandbox
