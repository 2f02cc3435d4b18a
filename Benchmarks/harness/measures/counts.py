"""What a request costs in system calls and allocations: figures that a busy machine does not blur."""

from __future__ import annotations

import re
import shutil
import signal
import struct
import subprocess
from contextlib import ExitStack
from pathlib import Path

from .. import load
from ..bench import BenchmarkRun
from ..process import BenchError
from ..rounds import Contestant
from ..table import Aim, Figure, Row

SOURCE = Path(__file__).resolve().parent.parent.parent / "tools" / "malloc_counter.c"
SECONDS = 2


def system_calls(contestant: Contestant) -> float | None:
    """System calls per request, counted by the kernel's tracepoint; nil where perf may not."""
    pids = ",".join(map(str, contestant.server.processes()))
    command = ["perf", "stat", "--field-separator", ",", "--event", "raw_syscalls:sys_enter", "--pid", pids]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as counter:
        try:
            result = load.run(contestant.request, SECONDS)
        finally:
            counter.send_signal(signal.SIGINT)
        _, report = counter.communicate()
    found = re.search(r"^(\d+),.*raw_syscalls:sys_enter", report, re.MULTILINE)
    return int(found[1]) / result.requests if found else None


def allocations(bench: BenchmarkRun) -> float | None:
    """Allocations per request of the gateway, counted by a library loaded before the system's; nil without cc."""
    from .me import start_gateway

    library = _counter_library(bench.folder)
    if library is None:
        return None
    page = bench.folder / "allocations.count"
    page.write_bytes(bytes(8))
    with ExitStack() as stack:
        contestant = start_gateway(
            bench.gateway("allocations"), stack, LD_PRELOAD=str(library), MALLOC_COUNTER=str(page))
        load.run(contestant.request, 1)
        before = _count(page)
        result = load.run(contestant.request, SECONDS)
        return (_count(page) - before) / result.requests


def rows(measure: str, values: dict[str, float | None], aim: Aim | None = None) -> list[Row]:
    """A row of what could be counted; none when nothing could."""
    figures = {name: Figure.of([value]) for name, value in values.items() if value is not None}
    return [Row(measure, figures, aim)] if figures else []


def _counter_library(folder: Path) -> Path | None:
    library = folder / "malloc_counter.so"
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        return None
    done = subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-fno-builtin", "-o", str(library), str(SOURCE)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"{SOURCE.name} was not compiled: {done.stderr}")
    return library


def _count(page: Path) -> int:
    return int(struct.unpack("Q", page.read_bytes())[0])
