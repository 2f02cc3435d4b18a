"""A network namespace behind a link with a delay, for one client; link.py carries its packets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ..process import Server

HERE, THERE = "10.77.31.1", "10.77.31.2"


class SlowLink(Server):
    """The link; `inside` is what a command begins with to run behind it."""

    def __init__(self, folder: Path, seconds: float):
        folder.mkdir(parents=True, exist_ok=True)
        self.namespace = f"lb{os.getpid()}"
        subprocess.run(["ip", "netns", "add", self.namespace], check=True)
        program = Path(__file__).resolve().parent.parent / "link.py"
        super().__init__(
            "the slow link", [sys.executable, str(program), self.namespace, HERE, THERE, str(seconds)], 0,
            folder / "link.log")
        self.inside = ["nsenter", f"--net=/run/netns/{self.namespace}"]

    def stop(self) -> None:
        """Ends the link and removes the namespace."""
        super().stop()
        subprocess.run(["ip", "netns", "delete", self.namespace], check=False)


def start(folder: Path, seconds: float) -> SlowLink:
    """A link on which a round trip takes that long."""
    link = SlowLink(folder, seconds)
    try:
        link.wait_until(lambda: "ready" in link.log.read_text())
    except BaseException:
        link.stop()
        raise
    return link
