"""Many files brought home: `latch download` beside `curl --parallel`, `aria2c` and `rclone copy`, six at once each."""

from __future__ import annotations

import filecmp
import os
import shutil
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from .. import fetchers
from ..bench import BenchmarkRun
from ..fetchers import Fetcher, Latch
from ..process import BenchError, Server, free_port
from ..servers import nginx, slow_link
from ..table import Aim, Figure, Row

MEMORY = Path("/dev/shm")
DELAY = 0.040
SERVERS = """
    server {{
{listens}
        location /files/ {{
            root {root};
            autoindex on;
            sendfile on;
            tcp_nopush on;
        }}
        location / {{ proxy_pass http://127.0.0.1:{gateway}; }}
    }}
"""


@dataclass(frozen=True)
class Bulk:
    """Some files of one size, where they go and over what they come."""

    name: str
    count: int
    size: int
    on_disk: bool = True
    behind_link: bool = False

    @property
    def title(self) -> str:
        """What the row is called."""
        size = f"{self.size // 1_000_000} MB" if self.size >= 1_000_000 else f"{self.size // 1000} kB"
        where = "" if self.on_disk else " into memory"
        return f"{self.count:,} files of {size}{where}{', 40 ms away' if self.behind_link else ''}"


BULKS = [
    Bulk("large", 20, 100_000_000), Bulk("large", 20, 100_000_000, on_disk=False),
    Bulk("small", 2000, 100_000), Bulk("small", 2000, 100_000, on_disk=False),
    Bulk("small", 2000, 100_000, behind_link=True),
]


def measure(bench: BenchmarkRun) -> list[Row]:
    """Seconds, processor time and the most memory of each program for each bulk, and the ratios of the medians."""
    if lacking := fetchers.missing():
        raise BenchError(f"Downloads were not measured: {', '.join(lacking)} is missing. Install it: scripts/require bench")
    rows: list[Row] = []
    with ExitStack() as stack:
        file_servers = FileServers(bench, stack)
        for bulk in BULKS:
            if not bulk.behind_link or file_servers.link:
                rows += file_servers.rows(bulk)
    return rows


class FileServers:
    """nginx with the files and, for `latch`, the gateway behind it; a link with a delay where one can be made."""

    def __init__(self, bench: BenchmarkRun, stack: ExitStack, topic: str = "downloads", names: list[str] | None = None):
        self.bench = bench
        self.link = None
        self.topic = topic
        if os.getuid() == 0:
            self.link = stack.enter_context(slow_link.start(bench.folder / f"{topic}-link", DELAY))
        else:
            bench.say("The slow link is left out: only root can make one.")
        gateway = bench.gateway(topic)
        gateway.add_person()
        backend = stack.enter_context(gateway.start())
        self.files = bench.folder / f"{topic}-root"
        for bulk in (bulk for bulk in BULKS if not names or bulk.name in names):
            _make(self.files / "files" / bulk.name, bulk)
        os.sync()
        self.hosts = ["127.0.0.1", *([slow_link.HERE] if self.link else [])]
        self.front = stack.enter_context(self._nginx(backend))
        self.latches = {host: self._latch(host) for host in self.hosts}

    def rows(self, bulk: Bulk) -> list[Row]:
        """Interleaved rounds of one bulk."""
        host = slow_link.HERE if bulk.behind_link else self.hosts[0]
        contestants = fetchers.all_of_them(self.latches[host])
        self.bench.say(f"{bulk.title}: {self.bench.rounds} rounds for {', '.join(contestants)}")
        for _ in range(self.bench.rounds):
            for name, fetcher in contestants.items():
                self._round(bulk, name, fetcher, host)
        return _rows(bulk, contestants)

    def _round(self, bulk: Bulk, name: str, fetcher: Fetcher, host: str) -> None:
        """One program's round; what it brought is compared byte by byte."""
        place = self.bench.folder if bulk.on_disk else MEMORY / f"latchstring-bench-{os.getpid()}"
        place.mkdir(exist_ok=True)
        folder = place / f"fetched-{name}"
        source = self.files / "files" / bulk.name
        names = sorted(os.listdir(source))
        try:
            fetcher.fetch(
                f"http://{host}:{self.front.port}/files/{bulk.name}", names, folder,
                self.link.inside if bulk.behind_link and self.link else [])
            for file in names:
                if not filecmp.cmp(source / file, _only(folder, file), shallow=False):
                    raise BenchError(f"{name} brought another {file} home.")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if not bulk.on_disk:
                shutil.rmtree(place, ignore_errors=True)
            os.sync()

    def _nginx(self, backend: Server) -> Server:
        port = free_port()
        listens = "\n".join(f"        listen {host}:{port};" for host in self.hosts)
        return nginx.start_servers(
            "nginx", self.bench.folder / f"{self.topic}-nginx",
            SERVERS.format(listens=listens, root=self.files, gateway=backend.port), port)

    def _latch(self, host: str) -> Latch:
        latch = Latch(self.bench.latch, self.bench.folder / f"{self.topic}-{host}")
        latch.sign_in(f"http://{host}:{self.front.port}")
        return latch


def _make(folder: Path, bulk: Bulk) -> None:
    if folder.exists():
        return
    folder.mkdir(parents=True)
    block = os.urandom(1_000_000)
    for number in range(bulk.count):
        with (folder / f"file-{number:05}.jpg").open("wb") as file:
            file.write(number.to_bytes(8, "big"))
            rest = bulk.size - 8
            while rest > 0:
                rest -= file.write(block[: min(rest, len(block))])


def _only(folder: Path, name: str) -> Path:
    with suppress(OSError):
        if (folder / name).stat():
            return folder / name
    raise BenchError(f"{name} was not brought home.")


def _rows(bulk: Bulk, contestants: dict[str, Fetcher]) -> list[Row]:
    wall = {name: fetcher.figure("wall") for name, fetcher in contestants.items()}
    cpu = {name: fetcher.figure("cpu") for name, fetcher in contestants.items()}
    fastest = min(figure.value for name, figure in wall.items() if name != "latch")
    return [
        Row(f"{bulk.title}: seconds over those of the fastest other", {"latch": Figure.of([wall["latch"].value / fastest])},
            Aim("≤ 1", at_most=1.0)),
        Row("  CPU over that of curl", {"latch": Figure.of([cpu["latch"].value / cpu["curl"].value])},
            Aim("≤ 1.2", at_most=1.2)),
        Row("  seconds", wall),
        Row("  CPU seconds", cpu),
        Row("  most memory, MiB", {name: fetcher.figure("peak") for name, fetcher in contestants.items()},
            Aim("< 32 MiB", at_most=32)),
    ]
