"""A slow link: packets between this machine and a network namespace arrive a while after they were sent.

`tc netem` does that too, where the kernel has it; many small machines' kernels do not. Both ends are TUN devices, and this
program carries packets from one to the other, so that everything above them, the handshake and TCP's slow start, is real.

    python3 link.py NAMESPACE HERE THERE SECONDS
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import os
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000


def main(namespace: str, here: str, there: str, delay: float) -> None:
    """Sets both ends up, says `ready` and carries until it is ended."""
    ends = [_end(f"{namespace}h", here, there, None), _end(f"{namespace}t", there, here, namespace)]
    print("ready", flush=True)
    carry(ends[0], ends[1], delay / 2)


def carry(one: int, other: int, delay: float) -> None:
    """Carries packets both ways, each `delay` seconds late."""
    waiting: list[tuple[float, int, int, bytes]] = []
    number = 0
    opposite = {one: other, other: one}
    while True:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        ready, _, _ = select.select([one, other], [], [], pause)
        now = time.monotonic()
        for end in ready:
            while (packet := _read(end)) is not None:
                number += 1
                heapq.heappush(waiting, (now + delay, number, opposite[end], packet))
        while waiting and waiting[0][0] <= now:
            _, _, end, packet = heapq.heappop(waiting)
            os.write(end, packet)


def _read(end: int) -> bytes | None:
    try:
        return os.read(end, 65536)
    except BlockingIOError:
        return None


def _end(name: str, address: str, peer: str, namespace: str | None) -> int:
    """A TUN device with that address, in that namespace; it goes with the process that holds it."""
    before = os.open("/proc/self/ns/net", os.O_RDONLY)
    if namespace:
        _enter(os.open(f"/run/netns/{namespace}", os.O_RDONLY))
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    for command in (f"addr add {address} peer {peer} dev {name}", f"link set {name} txqueuelen 20000 up"):
        subprocess.run(["ip", *command.split()], check=True)
    _enter(before)
    return end


def _enter(namespace: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a network namespace was not entered")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]))
