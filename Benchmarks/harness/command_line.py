"""The command: reads the arguments, measures, prints the table."""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from . import machine, profile, report
from .bench import BenchmarkRun
from .machine import ROOT
from .measures import bridge, cold, downloads, dpop, endpoints, idle, me, memory, mixed, original, queue, signin
from .measures import start, timeline, tokens, verify
from .process import BenchError
from .table import Table

MEASURES = {
    "me": me.measure, "signin": signin.measure, "bridge": bridge.measure, "tokens": tokens.measure,
    "verify": verify.measure, "dpop": dpop.measure,
    "mixed": mixed.measure, "memory": memory.measure, "idle": idle.measure, "cold": cold.measure,
    "start": start.measure, "original": original.measure, "downloads": downloads.measure, "queue": queue.measure,
    "timeline": timeline.measure, "endpoints": endpoints.measure,
}
PAGE = ROOT / "docs" / "benchmarks.md"


def main(arguments: list[str]) -> int:
    """Exit code 0 when everything was measured, whether or not the aims are met; 1 when something could not be."""
    options = _parser().parse_args(arguments)
    return in_folder("latchstring-bench.", None, lambda folder: _run(options, _bench(options, folder), arguments))


def in_folder(prefix: str, parent: Path | None, measure: Callable[[Path], None]) -> int:
    """Measures in a new folder, which is deleted afterwards, and gives the exit code. SIGTERM deletes it too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as folder:
            measure(Path(folder))
    except KeyboardInterrupt:
        return 130
    except BenchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Measures the gateway beside its peers.")
    parser.add_argument("--only", action="append", choices=MEASURES, metavar="PART",
                        help=f"measure this part alone (may be repeated): {', '.join(MEASURES)}")
    parser.add_argument("--quick", action="store_true", help="only /api/me against nginx, under a minute")
    parser.add_argument("--profile", action="store_true", help="where latchd's time goes under load, by perf")
    parser.add_argument("--rounds", type=int, default=None, help="rounds of each load (5; 3 with --quick)")
    parser.add_argument("--seconds", type=int, default=None, help="seconds of each round (5; 3 with --quick)")
    parser.add_argument("--latchd", type=Path, help="a built latchd, instead of building this one for release")
    parser.add_argument("--beside", type=Path, help="another built latchd, measured on /api/me in the same rounds")
    parser.add_argument("--latch", type=Path, help="a built latch, instead of building this one for release")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print Markdown and put it into docs/benchmarks.md")
    return parser


def _bench(options: argparse.Namespace, folder: Path) -> BenchmarkRun:
    usual = 3 if options.quick else 5
    latch = options.latch or (build("latch") if {"downloads", "endpoints", "queue"} & set(_parts(options)) else Path())
    return BenchmarkRun(
        latchd=(options.latchd or build("latchd")).resolve(), latch=latch.resolve(),
        beside=options.beside and options.beside.resolve(),
        folder=folder, rounds=options.rounds or usual, seconds=options.seconds or usual, is_quick=options.quick)


def _parts(options: argparse.Namespace) -> list[str]:
    if options.profile:
        return []
    return ["me"] if options.quick else options.only or list(MEASURES)


def build(product: str) -> Path:
    """Builds a product for release, and gives its path."""
    command = ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--product", product]
    print(f"Building {product} for release.", file=sys.stderr)
    if subprocess.run([*command, "--quiet"], cwd=ROOT, stdout=sys.stderr).returncode != 0:
        raise BenchError(f"{product} was not built.")
    shown = subprocess.run([*command, "--show-bin-path"], cwd=ROOT, capture_output=True, text=True)
    return Path(shown.stdout.strip()) / product


def _run(options: argparse.Namespace, bench: BenchmarkRun, arguments: list[str]) -> None:
    if options.profile:
        print(profile.report(bench))
        return
    table = Table(machine.describe(), shlex.join(["Benchmarks/bench", *arguments]))
    for name in _parts(options):
        table.rows += MEASURES[name](bench)
    print(report.as_json(table) if options.json else report.markdown(table) if options.markdown else report.text(table))
    if options.markdown and not options.only and not options.quick:
        report.update_page(PAGE, table)
