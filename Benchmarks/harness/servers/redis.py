"""A Redis of the measurement's own, on a Unix socket, which writes nothing to the disk."""

from __future__ import annotations

from pathlib import Path

from ..process import Server


def start(folder: Path) -> Server:
    """Starts it; the socket is `redis.sock` in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    socket = folder / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--dir", str(folder), "--save", ""]
    redis = Server("redis-server", command, 0, folder / "redis.log")
    try:
        redis.wait_until(socket.exists)
    except BaseException:
        redis.stop()
        raise
    return redis
