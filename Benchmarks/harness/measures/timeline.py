"""`GET /api/timeline/buckets`, the months of a library, beside counting the rows of its assets with SQLite."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing

from ..bench import BenchmarkRun
from ..client import get
from ..process import BenchError
from ..servers.gateway import EMAIL
from ..table import Figure, Row
from .original import sign_in

ASSETS, FOLDERS = 1_000_000, 1_000
REQUESTS = 50

# Each asset is taken 10 minutes after the previous one, so that a million assets have about 240 months.
FILL = f"""
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {ASSETS - 1})
INSERT INTO assets (id, folder, name, sought_name, owner, kind, size, modified_at, inode, sha1, taken_at, local_at,
    visibility, is_locked, added_at, updated_at)
SELECT printf('00000000-0000-4000-8000-%012x', i), '{EMAIL}/' || (i * {FOLDERS} / {ASSETS}), i || '.jpg', i || '.jpg',
    '{EMAIL}', 'IMAGE', 10, 0, i, x'', i * 600000, i * 600000, 'timeline', 0, 0, 0
FROM n
"""
COUNT = """
SELECT strftime('%Y-%m-01', local_at / 1000, 'unixepoch') AS day, count(*) FROM assets
WHERE owner = ? AND visibility IN ('timeline', 'archive') GROUP BY day ORDER BY day DESC
"""


def measure(bench: BenchmarkRun) -> list[Row]:
    """Milliseconds of both, and their ratio."""
    gateway = bench.gateway("timeline")
    gateway.add_person()
    library = gateway.folder / "library"
    library.mkdir()
    bench.say(f"Making a library of {ASSETS:,} assets")
    with closing(sqlite3.connect(gateway.database)) as database:
        database.execute(FILL)
        database.commit()
        scans = [_time(lambda: database.execute(COUNT, [EMAIL]).fetchall()) for _ in range(bench.rounds)]
        months = dict(database.execute(COUNT, [EMAIL]).fetchall())
    with gateway.start(
        LATCHD_DIALECTS_IMMICH_ENABLED="true", LATCHD_DIALECTS_IMMICH_LIBRARY=str(library)
    ) as server:
        token = sign_in(server)
        answer = get(server.port, "/api/timeline/buckets", token)
        if answer.status != 200:
            raise BenchError(f"The months were answered {answer.status}: {answer.body[:200]!r}")
        if {month["timeBucket"]: month["count"] for month in json.loads(answer.body)} != months:
            raise BenchError("The months are not those of the assets.")
        requests = [_time(lambda: get(server.port, "/api/timeline/buckets", token)) for _ in range(REQUESTS)]
    request, scan = Figure.of(requests), Figure.of(scans)
    return [
        Row(f"the {len(months)} months of {ASSETS:,} assets, ms", {"latchd": request, "counted": scan}),
        Row("  times as fast as counting the assets", {"latchd": Figure.of([scan.value / request.value])}),
    ]


def _time(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1e3
