"""The first response at a start of `latch` with three addresses, of which two are dead, beside that with one address."""

from __future__ import annotations

import os
import subprocess
import time
from statistics import median

from ..bench import BenchmarkRun
from ..fetchers import Latch
from ..process import BenchError
from ..servers.endpoint import DEAD, Certificate, Endpoint
from ..table import Aim, Figure, Row

DELAYS = (0.020, 0.100, 0.300)
POSITIONS = ("first", "second", "last")
STARTS = 9
LIMIT = Aim("≤ 1.5", at_most=1.5)


def measure(bench: BenchmarkRun) -> list[Row]:
    """`latch whoami`, whose first request asks who is signed in. Both accounts take turns.

    The time of `latch accounts`, which opens the same files and sends nothing, is subtracted from all of them. All
    addresses have pins, so that no time depends on how many certificate authorities the machine has.
    """
    gateway = bench.gateway("endpoints")
    gateway.add_person()
    with gateway.start() as server:
        certificate = Certificate(bench.folder / "endpoints")
        addresses = [Endpoint(certificate, server.port) for _ in POSITIONS]
        alone = Endpoint(certificate, server.port)
        several, single = Latch(bench.latch, bench.folder / "several"), Latch(bench.latch, bench.folder / "single")
        single.sign_in(alone.url, "--pin", certificate.fingerprint)
        # The account's own address is always the last one.
        several.sign_in(addresses[-1].url, "--pin", certificate.fingerprint)
        for address in addresses[:-1]:
            _run(several, "endpoints", "add", address.url, "--pin", certificate.fingerprint)
        rows = [row for delay in DELAYS for row in _rows(bench, addresses, alone, several, single, delay)]
        for address in [*addresses, alone]:
            address.close()
        return rows


def _rows(
    bench: BenchmarkRun, addresses: list[Endpoint], alone: Endpoint, several: Latch, single: Latch, delay: float
) -> list[Row]:
    milliseconds = round(delay * 1e3)
    bench.say(f"Endpoints: {STARTS} starts for each position of an address that responds after {milliseconds} ms")
    own, ratios = [], []
    alone.delay = delay
    for how in DEAD:
        for position, name in enumerate(POSITIONS):
            for number, address in enumerate(addresses):
                address.delay = delay
                address.live() if number == position else address.die(how)
            values = []
            for _ in range(STARTS):
                reference = _wait(single)
                values.append(_wait(several) / reference)
                own.append(reference * 1e3)
            title = f"  the {name} address responds, each other one {how}: over that"
            ratios.append(Row(title, {"latch": Figure.of(values)}, LIMIT))
    title = f"response after {milliseconds} ms: first response with this address alone, ms"
    return [Row(title, {"latch": Figure.of(own)}), *ratios]


def _wait(latch: Latch) -> float:
    """Seconds that a start waits for its first response."""
    start = median(_run(latch, "accounts") for _ in range(3))
    return _run(latch, "whoami") - start


def _run(latch: Latch, *arguments: str) -> float:
    """Seconds that a command takes; it must succeed."""
    began = time.perf_counter()
    done = subprocess.run(
        [str(latch.program), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env=latch.environment)
    took = time.perf_counter() - began
    if done.returncode != os.EX_OK:
        raise BenchError(f"latch {arguments[0]} ended with {done.returncode}: {done.stderr}")
    return took
