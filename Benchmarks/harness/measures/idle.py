"""Idle connections: Immich's real-time connection, and plain keep-alive connections of the same server."""

from __future__ import annotations

import selectors
import socket
import time

from ..bench import BenchmarkRun
from ..process import BenchError, Server
from ..servers.gateway import ME_PATH
from ..stored import token
from ..table import Figure, Row

WEBSOCKETS = 10_000
# More would not fit into the memory for read buffers.
KEPT_ALIVE = 5_000
# Two pings of every connection.
SECONDS = 50
HEARTBEAT, NAMESPACE = b"\x81\x81\0\0\0\x003", b"\x81\x82\0\0\0\x0040"
OPTIONS = {
    "LATCHD_DIALECTS_IMMICH_ENABLED": "true", "LATCHD_DIALECTS_IMMICH_PREFIX": "/im",
    "LATCHD_LIMITS_CONNECTIONS_PER_ADDRESS": "100000", "LATCHD_LIMITS_IDLE": "1h",
}
HANDSHAKE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


def measure(bench: BenchmarkRun) -> list[Row]:
    """Resident memory for each connection, and processor time while nothing but pings is sent."""
    gateway = bench.stored(WEBSOCKETS)
    rows: list[Row] = []
    sizes: list[float] = []
    for name, path, count, fields in [
        ("keep-alive", ME_PATH, KEPT_ALIVE, ""),
        ("real-time", "/im/socket.io/?EIO=4&transport=websocket", WEBSOCKETS, HANDSHAKE),
    ]:
        bench.say(f"Idle: {count:,} {name} connections")
        with gateway.start(**OPTIONS) as server:
            size, percent = _connections(server, path, count, fields)
        sizes.append(size)
        rows.append(_row(f"memory of one of {count:,} idle {name} connections, KiB", size / 1024))
        rows.append(_row(f"processor time of {count:,} idle {name} connections, % of one core", percent))
    rows.append(_row("memory of a real-time connection to that of a keep-alive connection", sizes[1] / sizes[0]))
    return rows


def _connections(server: Server, path: str, count: int, fields: str) -> tuple[float, float]:
    """Bytes for each connection, and percent of one core."""
    before = server.resident_bytes()
    connections = [_connect(server.port, path, number, fields) for number in range(count)]
    try:
        with selectors.DefaultSelector() as selector:
            for connection in connections:
                selector.register(connection, selectors.EVENT_READ)
            if fields:
                _answer(selector, 2)
            start, began = server.cpu_seconds(), time.monotonic()
            _answer(selector, SECONDS)
            used = (server.cpu_seconds() - start) / (time.monotonic() - began)
        return (server.resident_bytes() - before) / count, used * 100
    finally:
        for connection in connections:
            connection.close()


def _connect(port: int, path: str, number: int, fields: str) -> socket.socket:
    """One connection after its response, and in the namespace if it is a real-time connection."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token(number)}\r\n{fields}\r\n"
    connection.sendall(request.encode())
    answer = connection.recv(65536)
    if not answer.startswith(b"HTTP/1.1 101 " if fields else b"HTTP/1.1 200 "):
        raise BenchError(f"A connection was refused: {answer[:200]!r}")
    if fields:
        connection.sendall(NAMESPACE)
    return connection


def _answer(selector: selectors.BaseSelector, seconds: float) -> None:
    """Answers the pings that arrive in this time."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            received = key.fileobj.recv(65536)  # type: ignore[union-attr]
            if not received:
                raise BenchError("The server closed an idle connection.")
            if received.endswith(b"\x81\x012"):
                key.fileobj.sendall(HEARTBEAT)  # type: ignore[union-attr]


def _row(measure: str, value: float) -> Row:
    return Row(measure, {"latchd": Figure.of([value])})
