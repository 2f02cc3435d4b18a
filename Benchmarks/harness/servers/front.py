"""nginx before a backend that knows nothing of sign-in, with the files that operators get or without them."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from ..machine import ROOT
from ..process import Server, free_port
from .nginx import start_servers

INTEGRATION = ROOT / "Integrations" / "nginx"

BACKEND = """
    server {{
        listen 127.0.0.1:{port};
        location / {{ default_type text/plain; return 200 'A page of the backend.'; }}
    }}
"""

UPSTREAM = """
    upstream backend {{
        server 127.0.0.1:{backend};
        keepalive 64;
        keepalive_requests 1000000000;
    }}
    proxy_http_version 1.1;
    proxy_set_header Connection "";
"""

PLAIN = UPSTREAM + """
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://backend; }}
    }}
"""


def backend(folder: Path) -> Server:
    """The backend of all of them."""
    port = free_port()
    return start_servers("backend", folder, BACKEND.format(port=port), port)


def plain(folder: Path, backend_port: int) -> Server:
    """nginx that asks nobody."""
    port = free_port()
    return start_servers("nginx", folder, PLAIN.format(port=port, backend=backend_port), port)


OWN = """
    include latchd-upstream.conf;
    server {{
        listen 127.0.0.1:{port};
        include latchd-pictures.conf;
    }}
"""


def asking(folder: Path, backend_port: int, socket: Path, caches: bool = False) -> Server:
    """nginx that asks latchd, by the operators' files with these addresses; with the optional cache in memory if `caches`."""
    port = free_port()
    changes = {
        "http://127.0.0.1:8080": "http://backend", "listen 80;": f"listen 127.0.0.1:{port};",
        "server_name app.example.org": "server_name 127.0.0.1"}
    if caches:
        changes |= {"# include latchd-cache.conf;": "include latchd-cache.conf;", "/run/latchd-cache": str(_memory(folder))}
    _write(folder, socket, changes)
    upstream = UPSTREAM.partition("proxy_http_version")[0].format(backend=backend_port)
    files = ["latchd-http.conf", *(["latchd-cache-http.conf"] if caches else []), "app.example.org.conf"]
    servers = upstream + "".join(f"    include {file};\n" for file in files)
    return start_servers("nginx with latchd", folder, servers, port)


def sending(folder: Path, pictures: Path, socket: Path) -> Server:
    """nginx that sends the files of the library for latchd, by the operators' file."""
    port = free_port()
    _write(folder, socket, {"/srv/pictures/": f"{pictures}/"})
    return start_servers("nginx for latchd", folder, OWN.format(port=port), port)


def _memory(folder: Path) -> Path:
    """A folder in memory for the answers, removed when the run ends."""
    memory = Path(tempfile.mkdtemp(prefix="latchstring-bench.", dir="/dev/shm"))
    atexit.register(shutil.rmtree, memory, ignore_errors=True)
    return memory / folder.name


def _write(folder: Path, socket: Path, changes: dict[str, str]) -> None:
    """The operators' files with these addresses; nothing else is changed."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in INTEGRATION.glob("*.conf"):
        text = file.read_text()
        for old, new in {"/run/latchd/latchd.sock": str(socket), **changes}.items():
            text = text.replace(old, new)
        (folder / file.name).write_text(text)
