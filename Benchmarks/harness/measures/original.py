"""`GET /api/assets/ID/original`, the file of an asset of the Immich dialect: the gateway, and nginx that sends the file for it,
beside nginx with the same file."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack
from pathlib import Path

from ..bench import BenchmarkRun
from ..client import get, post_json
from ..load import Request
from ..process import BenchError, Server
from ..rounds import Contestant, interleave
from ..servers import Pair, front, nginx
from ..servers.gateway import EMAIL, PASSWORD
from ..table import Aim, Figure, Row

MIB = 1 << 20
# Each file's name, its size and how many clients fetch it again and again.
FILES = [("small.jpg", 1 * MIB, 64), ("large.mp4", 100 * MIB, 4)]


def measure(bench: BenchmarkRun) -> list[Row]:
    """Bytes per second of each for each file, their ratios, and the processor time of a gigabyte."""
    rows: list[Row] = []
    with ExitStack() as stack:
        library = bench.folder / "library"
        pictures = _make(library / EMAIL)
        gateway = bench.gateway("original")
        gateway.add_person()
        server = stack.enter_context(gateway.start(
            LATCHD_DIALECTS_IMMICH_ENABLED="true", LATCHD_DIALECTS_IMMICH_LIBRARY=str(library),
            LATCHD_DIALECTS_IMMICH_INTERNAL_LOCATION="/.latchd/pictures"))
        plain = stack.enter_context(nginx.start_files(bench.folder / "nginx-files", pictures))
        sending = stack.enter_context(front.sending(bench.folder / "nginx-sending", library, gateway.socket))
        token = sign_in(server)
        ids = _assets(server, token)
        for name, size, connections in FILES:
            path = f"/api/assets/{ids[name]}/original"
            for ours in [server, sending]:
                _require_same(ours, path, token, plain, name)
            contestants = {
                "latchd": Contestant(server, Request(server.url(path), token), connections),
                "nginx for latchd": Contestant(Pair(sending, server), Request(sending.url(path), token), connections),
                "nginx": Contestant(plain, Request(plain.url(f"/{name}"), token), connections)}
            bench.say(f"{name}: {bench.rounds} rounds of {bench.seconds:g} s each for {', '.join(contestants)}")
            interleave(list(contestants.values()), bench.rounds, bench.seconds)
            rows += _rows(f"original of {size // MIB} MiB, {connections} connections", size, contestants)
    return rows


def _make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, size, _ in FILES:
        (folder / name).write_bytes(os.urandom(size))
    return folder


def sign_in(server: Server) -> str:
    """The access token of the person."""
    answer = post_json(server.port, "/api/auth/login", {"email": EMAIL, "password": PASSWORD})
    if answer.status != 201:
        raise BenchError(f"A sign-in was answered {answer.status}: {answer.body[:200]!r}")
    return str(json.loads(answer.body)["accessToken"])


def _assets(server: Server, token: str) -> dict[str, str]:
    """The ids by name, once the library was looked through."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        answer = post_json(server.port, "/api/search/metadata", {}, token)
        if answer.status != 200:
            raise BenchError(f"The list of assets was answered {answer.status}: {answer.body[:200]!r}")
        items = json.loads(answer.body)["assets"]["items"]
        ids = {item["originalFileName"]: item["id"] for item in items}
        if all(name in ids for name, _, _ in FILES):
            return ids
        time.sleep(0.1)
    raise BenchError("The gateway does not list the files of its library.")


def _require_same(server: Server, path: str, token: str, plain: Server, name: str) -> None:
    ours, theirs = get(server.port, path, token), get(plain.port, f"/{name}", token)
    if (ours.status, theirs.status) != (200, 200) or ours.body != theirs.body:
        raise BenchError(f"{name} is not the same of both: {ours.status}, {theirs.status}.")
    if get(server.port, path).status != 401:
        raise BenchError("A file is given to who has not signed in.")


def _rows(measure: str, size: int, contestants: dict[str, Contestant]) -> list[Row]:
    def speed(contestant: Contestant) -> Figure:
        return Figure.of([load.rate * size / 1e6 for load in contestant.loads])

    def cost(contestant: Contestant) -> Figure:
        # Microseconds a request, to milliseconds a gigabyte.
        return Figure.of([cpu / 1e3 / size * 1e9 for cpu in contestant.cpu])

    speeds = {name: speed(contestant) for name, contestant in contestants.items()}

    def ratio(name: str) -> dict[str, Figure]:
        return {"latchd": Figure.of([speeds[name].value / speeds["nginx"].value])}

    aim = Aim("≥ 0.9", at_least=0.9)
    return [
        Row(f"{measure}: MB/s over those of nginx", ratio("latchd"), aim),
        Row("  sent by nginx for latchd: MB/s over those of nginx", ratio("nginx for latchd"), aim),
        Row("  MB/s", speeds),
        Row("  CPU ms per GB", {name: cost(contestant) for name, contestant in contestants.items()}),
        Row("  resident memory, MiB",
            {name: Figure.of(contestant.memory) for name, contestant in contestants.items()}),
    ]
