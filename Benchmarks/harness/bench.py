"""What every measurement is given: the builds, a folder for its files, how long and how often."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from . import stored
from .servers.gateway import Gateway


@dataclass(frozen=True)
class BenchmarkRun:
    """One run of the benchmarks."""

    latchd: Path
    latch: Path
    beside: Path | None
    folder: Path
    rounds: int
    seconds: int
    is_quick: bool

    def gateway(self, topic: str) -> Gateway:
        """The gateway with a database for one topic."""
        return Gateway(self.latchd, self.folder / topic)

    def stored(self, sessions: int) -> Gateway:
        """The gateway with a database of that many live sessions, made when first asked for."""
        gateway = self.gateway(f"stored-{sessions}")
        if not gateway.database.exists():
            self.say(f"Making a database of {sessions:,} sessions")
            gateway.add_person()
            stored.fill(gateway.database, sessions)
        return gateway

    def say(self, sentence: str) -> None:
        """Tells on standard error what is being measured."""
        print(sentence, file=sys.stderr, flush=True)
