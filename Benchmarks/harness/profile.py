"""Where latchd's time goes under load, as perf samples it: by group, then by symbol."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from . import load
from .bench import BenchmarkRun
from .measures.me import start_gateway
from .process import BenchError
from .rounds import Contestant

SECONDS = 8
TOP = 40

# Group, pattern of the library, pattern of the symbol: the first that fits a sample takes it.
KERNEL = r"\[kernel|\[unknown\]|\[hypervisor|\[vdso"
GROUPS: list[tuple[str, str, str]] = [
    ("kernel: network", KERNEL, r"tcp|ip_|inet|sock|skb|net|dev_|send|recv|bbr|eth_|dst_|copy_(from|to)_iter"),
    ("kernel: waiting and waking", KERNEL, r"sched|task_switch|wake|futex|epoll|ep_|spin_unlock_irq|enqueue|pick_"),
    ("kernel: the rest", KERNEL, r""),
    ("libmicrohttpd", r"libmicrohttpd", r""),
    ("libsodium", r"libsodium", r""),
    ("SQLite", r"libsqlite", r""),
    ("retain and release", r"", r"swift_\w*([rR]etain|[rR]elease|isUniquelyReferenced)|RefCount"),
    ("allocation", r"", r"malloc|calloc|realloc|free|swift_(slow|arrayI)?([aA]lloc|[dD]ealloc)|swift_initS"),
    ("Swift concurrency", r"", r"swift_(task|job|continuation|async)|AsyncTask|Executor|StatusRecord|StackAllocator"),
    ("C library", r"libc\.so|libc-|ld-linux|libpthread|libm\.", r""),
    ("Foundation", r"", r"\d+Foundation(Essentials)?[A-Z]"),
    ("Swift runtime and library", r"", r"^swift_|^\$s[sS]|^_swift|^_Z\w*5swift|^__swift|^\$sSh"),
]
MODULE = re.compile(r"^\$s(\d+)(\w+)")


def report(bench: BenchmarkRun) -> str:
    """Runs the load of `/api/me` and gives the samples by group, and the dearest symbols."""
    data = bench.folder / "perf.data"
    with ExitStack() as stack:
        contestant = start_gateway(bench.gateway("profile"), stack)
        load.run(contestant.request, 1)
        _record(contestant, data)
    samples = _samples(data)
    total = sum(share for share, _, _ in samples) or 1
    groups: dict[str, float] = defaultdict(float)
    for share, library, symbol in samples:
        groups[group_of(library, symbol)] += share
    lines = [f"{value / total:7.1%}  {name}" for name, value in sorted(groups.items(), key=lambda one: -one[1])]
    names = _demangled([symbol for _, _, symbol in samples[:TOP]])
    top = [f"{share / total:7.2%}  {group_of(library, symbol):26} {name[:100]}"
           for (share, library, symbol), name in zip(samples, names)]
    return "\n".join(["latchd on /api/me, 64 connections: CPU time by group", *lines, "", "by symbol", *top])


def group_of(library: str, symbol: str) -> str:
    """The group of a sample."""
    for name, of_library, of_symbol in GROUPS:
        if re.search(of_library, library) and re.search(of_symbol, symbol):
            return name
    module = MODULE.match(symbol)
    return f"our code: {module[2][:int(module[1])]}" if module else "our code"


def _demangled(symbols: list[str]) -> list[str]:
    """The names as a person writes them; as they are when Swift's tool does not answer line by line."""
    done = subprocess.run(
        ["swift", "demangle", "--simplified"], input="\n".join(symbols), capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return lines if len(lines) == len(symbols) else symbols


def _record(contestant: Contestant, data: Path) -> None:
    running = load.begin(contestant.request, SECONDS + 1)
    command = ["perf", "record", "--quiet", "--freq", "1999", "--output", str(data),
               "--pid", str(contestant.server.pid), "--", "sleep", str(SECONDS)]
    done = subprocess.run(command, capture_output=True, text=True)
    load.finish(running, contestant.request.url)
    if done.returncode != 0:
        raise BenchError(f"perf could not record: {done.stderr}")


def _samples(data: Path) -> list[tuple[float, str, str]]:
    """Share, library and symbol, the dearest first."""
    command = ["perf", "report", "--input", str(data), "--stdio", "--quiet", "--no-children", "--no-demangle",
               "--sort", "dso,symbol", "--field-separator", "\t", "--percent-limit", "0"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout.strip():
        raise BenchError(f"perf could not read what it recorded: {done.stderr}")
    found = []
    for line in done.stdout.splitlines():
        parts = [part.strip() for part in line.split("\t")]
        # perf may add columns of its own behind these.
        if len(parts) >= 3 and parts[0].rstrip("%").replace(".", "", 1).isdigit():
            found.append((float(parts[0].rstrip("%")), parts[1], re.sub(r"^\[.\]\s*", "", parts[2])))
    return sorted(found, reverse=True)
