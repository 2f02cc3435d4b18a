"""One HTTPS address of a gateway: it delays each request, and can stop responding in three ways."""

from __future__ import annotations

import hashlib
import socket
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from ..process import BenchError

DEAD = ("refuses", "drops packets", "accepts and is silent")
"""How an address is dead: it refuses connections, the kernel drops their first packet, or nothing reads them."""


class Certificate:
    """A new self-signed certificate for 127.0.0.1."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.file, self.key = folder / "tls.crt", folder / "tls.key"
        done = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(self.key),
             "-out", str(self.file)], capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchError(f"openssl created no certificate: {done.stderr}")
        der = ssl.PEM_cert_to_DER_cert(self.file.read_text())
        self.fingerprint = hashlib.sha256(der).hexdigest()


class Endpoint:
    """A port of 127.0.0.1 that forwards requests to the gateway after `delay` seconds, or that is dead."""

    def __init__(self, certificate: Certificate, gateway: int):
        self.delay = 0.0
        self._gateway = gateway
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate.file, certificate.key)
        self._held: list[socket.socket] = []
        self._listener = self._bound(0)
        self.port = int(self._listener.getsockname()[1])
        self._serve()

    @property
    def url(self) -> str:
        """The address."""
        return f"https://127.0.0.1:{self.port}"

    def live(self) -> None:
        """Responds from now on."""
        self.close()
        self._listener = self._bound(self.port)
        self._serve()

    def die(self, how: str) -> None:
        """Does not respond from now on, in one of the ways of `DEAD`."""
        self.close()
        self._listener = self._bound(self.port)
        if how == DEAD[1]:
            self._listener.listen(0)
            self._fill()
        elif how == DEAD[2]:
            self._listener.listen(128)

    def close(self) -> None:
        """Closes the port."""
        with suppress(OSError):
            # This also ends the wait for the next connection.
            self._listener.shutdown(socket.SHUT_RDWR)
        for held in [self._listener, *self._held]:
            held.close()
        self._held = []

    def _fill(self) -> None:
        # When the queue of a listener is full, the kernel drops the first packet of every further connection.
        for _ in range(8):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", self.port))
            self._held.append(waiting)

    @staticmethod
    def _bound(port: int) -> socket.socket:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        return listener

    def _serve(self) -> None:
        self._listener.listen(128)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                raw, _ = listener.accept()
                threading.Thread(target=self._forward, args=(raw,), daemon=True).start()

    def _forward(self, raw: socket.socket) -> None:
        with suppress(OSError):
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = self._context.wrap_socket(raw, server_side=True)
            server = socket.create_connection(("127.0.0.1", self._gateway))
            threading.Thread(target=_pump, args=(server, client, 0.0), daemon=True).start()
            _pump(client, server, self.delay)


def _pump(source: socket.socket, target: socket.socket, delay: float) -> None:
    """Forwards what arrives, each part after the delay. A request of the client is one part."""
    with suppress(OSError):
        while data := source.recv(65_536):
            time.sleep(delay)
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
