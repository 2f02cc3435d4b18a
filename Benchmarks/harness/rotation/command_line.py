"""The command: reads the arguments, runs at one server after another, prints the table."""

from __future__ import annotations

import argparse
import secrets
import shlex
import sys
from collections import Counter
from pathlib import Path

from .. import machine
from ..command_line import build, in_folder
from ..oauth.targets import Allauth, Glewlwyd, Latchd, Target
from ..process import BenchError
from .run import Result, Run, Sizes

SERVERS = ("latchd", "django-allauth", "glewlwyd")
FULL = Sizes(clients=64, refreshes=100_000, kills=200, thefts=1_000)
SLOWER = {"django-allauth": 20}
"""The part of the refreshes that a server makes. django-allauth reads its RSA key for each, which takes 40 ms."""
QUICK = Sizes(clients=16, refreshes=1_600, kills=16, thefts=32)
HEAD = ["server", "version", "refreshes", "lost responses", "kills of a client", "kills of the server",
        "false sign-outs", "thefts", "caught: nobody can refresh", "and no access token is accepted",
        "the thief can refresh", "refreshes/s"]


def main(arguments: list[str]) -> int:
    """Exit code 0 when latchd caught every theft and signed nobody else out; 1 when not, or when a run failed."""
    options = _parser().parse_args(arguments)
    results: list[Result] = []
    known = machine.describe()
    status = in_folder("latchstring-rotation.", options.folder, lambda folder: _run(options, folder, results))
    if results:
        print(_markdown(results, known, options.seed, arguments))
    return status or int(any(result.server == "latchd" and not result.has_passed for result in results))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rotation", description="Compares the rotation of refresh tokens under lost responses, kills and thefts.")
    parser.add_argument("--quick", action="store_true", help="fewer of everything, about a minute")
    parser.add_argument("--only", action="append", choices=SERVERS, metavar="SERVER",
                        help=f"run at this server alone (may be repeated): {', '.join(SERVERS)}")
    parser.add_argument("--clients", type=_positive, help=f"clients at a time ({FULL.clients})")
    parser.add_argument("--refreshes", type=_positive,
                        help=f"refreshes of all clients together ({FULL.refreshes}; a twentieth at django-allauth)")
    parser.add_argument("--kills", type=_positive, help=f"kills, half of clients, half of the server ({FULL.kills})")
    parser.add_argument("--thefts", type=_positive, help=f"planted thefts ({FULL.thefts})")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="of everything random")
    parser.add_argument("--latchd", type=Path, help="a built latchd, instead of building this one for release")
    parser.add_argument("--folder", type=Path, help="where the databases are made (the folder of temporary files)")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _sizes(options: argparse.Namespace, server: str) -> Sizes:
    usual = QUICK if options.quick else FULL
    refreshes = (options.refreshes or usual.refreshes) // SLOWER.get(server, 1)
    sizes = Sizes(options.clients or usual.clients, refreshes, options.kills or usual.kills,
                  options.thefts or usual.thefts)
    if sizes.refreshes < 2 * sizes.clients + sizes.kills:
        raise BenchError(f"{sizes.refreshes} refreshes at {server} are too few for {sizes.clients} clients and "
                         f"{sizes.kills} kills.")
    return sizes


def _target(server: str, folder: Path, options: argparse.Namespace) -> Target:
    if server == "latchd":
        return Latchd(folder, (options.latchd or build("latchd")).resolve())
    return Allauth(folder) if server == "django-allauth" else Glewlwyd(folder)


def _run(options: argparse.Namespace, folder: Path, results: list[Result]) -> None:
    servers = options.only or list(SERVERS)
    sizes = {server: _sizes(options, server) for server in servers}
    print(f"Seed {options.seed}.", file=sys.stderr)
    for server in servers:
        own = folder / server
        own.mkdir()
        target = _target(server, own, options)
        results.append(Run(target, sizes[server], options.seed, own).run())


def _markdown(results: list[Result], known: dict[str, str], seed: int, arguments: list[str]) -> str:
    lines = [HEAD, ["---"] * len(HEAD), *(_cells(result) for result in results)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    where = "; ".join(f"{name} {known[name]}" for name in ("date", "commit", "processor", "memory", "system"))
    command = shlex.join(["Benchmarks/rotation", *arguments])
    measured = f"Measured with `{command}`, seed {seed}, on: {where}."
    return "\n\n".join([table, measured, *(_thefts(result) for result in results)])


def _cells(result: Result) -> list[str]:
    counts = [result.refreshes, result.lost, result.client_kills, result.server_kills, result.false_sign_outs,
              len(result.outcomes), result.caught, result.ended, result.kept]
    rate = result.refreshes / result.seconds if result.seconds else 0
    return [result.server, result.version, *(f"{count:,}" for count in counts), f"{rate:,.0f}"]


def _thefts(result: Result) -> str:
    """What became of the thefts in each order, and how many refreshes were in flight at the kills."""
    orders = Counter(outcome.order for outcome in result.outcomes)
    caught = Counter(outcome.order for outcome in result.outcomes if outcome.is_caught)
    kept = Counter(outcome.order for outcome in result.outcomes if outcome.thief_refreshes)
    parts = [
        f"{order}: {orders[order]:,} thefts, {caught[order]:,} caught, {kept[order]:,} in which the thief can refresh"
        for order in sorted(orders)]
    parts.append(f"{result.in_flight:,} refreshes in flight at {result.server_kills:,} kills of the server")
    if result.unusable:
        parts.append(f"{result.unusable:,} access tokens refused that had just been received")
    return f"{result.server}: {'; '.join(parts)}."
