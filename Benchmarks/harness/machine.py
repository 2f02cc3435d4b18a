"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def describe() -> dict[str, str]:
    """Processor, memory, system and the versions of what was measured."""
    return {
        "date": date.today().isoformat(),
        "commit": _line(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]),
        "processor": f"{os.cpu_count()} × {_value('/proc/cpuinfo', 'model name')}",
        "memory": f"{int(_value('/proc/meminfo', 'MemTotal').split()[0]) // 1024:,} MiB",
        "system": f"{_value('/etc/os-release', 'PRETTY_NAME', '=')}, Linux {platform.release()}",
        "swift": _line(["swift", "--version"]).partition("(")[0].removeprefix("Swift version ").strip(),
        "nginx": _line(["/usr/sbin/nginx", "-v"]).rpartition("/")[2],
        "wrk": _line(["wrk", "-v"]).partition("[")[0].removeprefix("wrk ").strip(),
    }


def _value(path: str, key: str, separator: str = ":") -> str:
    for line in Path(path).read_text().splitlines():
        name, _, value = line.partition(separator)
        if name.strip() == key:
            return value.strip().strip('"')
    return "unknown"


def _line(command: list[str]) -> str:
    """The first line that a command prints, wherever it prints it."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError:
        return "unknown"
    return done.stdout.splitlines()[0] if done.stdout else "unknown"
