"""The command: fills the database step by step, measures at each step, prints a line of JSON after each."""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import time
from pathlib import Path

from .. import machine
from ..command_line import build, in_folder
from ..process import BenchError
from ..servers.gateway import Gateway
from . import measures
from .fill import grow
from .measures import Figures, Scale
from .postgresql import PostgreSQL


def main(arguments: list[str]) -> int:
    """Exit code 0 when everything was measured; 1 when something could not be."""
    options = _parser().parse_args(arguments)
    return in_folder("latchstring-scale.", options.folder, lambda folder: _run(options, folder))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scale", description="Measures the gateway on PostgreSQL with many sessions.")
    parser.add_argument("--sizes", default="3,4,5,6", metavar="LIST", help="powers of ten of the sessions (3,4,5,6)")
    parser.add_argument("--quick", action="store_true", help="10^3 and 10^4 sessions, short rounds, about two minutes")
    parser.add_argument("--latchd", type=Path, help="a built latchd, instead of building this one for release")
    parser.add_argument("--folder", type=Path, help="where the database is made (the folder of temporary files)")
    return parser


def _run(options: argparse.Namespace, folder: Path) -> None:
    latchd = (options.latchd or build("latchd")).resolve()
    # PostgreSQL runs as a user of its own.
    folder.chmod(0o755)
    exponents = [3, 4] if options.quick else sorted(int(word) for word in options.sizes.split(","))
    (folder / "bridge.key").write_bytes(secrets.token_bytes(32))
    (folder / "bridge.key").chmod(0o600)
    _print({"machine": machine.describe()})
    with PostgreSQL(folder / "postgresql") as database:
        gateway = Gateway(latchd, folder / "gateway")
        scale = Scale(database, gateway, folder, processes=1 if options.quick else 3,
                      tokens=500 if options.quick else 2_000, seconds=2 if options.quick else 5)
        _migrate(scale)
        present = 0
        for exponent in exponents:
            sessions = 10 ** exponent
            start = time.perf_counter()
            grow(database, present, sessions)
            filled, present = time.perf_counter() - start, sessions
            _print({"sessions": sessions, "fill_seconds": filled} | _rounded(_measure(scale, sessions)))
            if exponent == exponents[-1] or exponent >= 6:
                for count in (1, 2, 3):
                    _print({"sessions": present} | _rounded(measures.gateways(scale, present, count)))


def _measure(scale: Scale, sessions: int) -> Figures:
    figures = measures.sizes(scale, sessions) | measures.upkeep(scale, sessions)
    figures |= measures.validations(scale, sessions)
    return figures | measures.writes(scale, sessions)


def _migrate(scale: Scale) -> None:
    environment = scale.gateway.environment(**scale.settings)
    done = subprocess.run([str(scale.gateway.program), "database", "migrate"], env=environment, capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise BenchError(f"The tables were not made: {done.stdout}{done.stderr}")


def _rounded(figures: Figures) -> Figures:
    return {name: float(f"{value:.4g}") for name, value in figures.items()}


def _print(value: object) -> None:
    print(json.dumps(value), flush=True)
