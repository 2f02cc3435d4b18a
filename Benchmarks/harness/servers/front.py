"""nginx before a backend that knows nothing of sign-in, with the files that operators get or without them."""

from __future__ import annotations

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


def asking(folder: Path, backend_port: int, gateway_port: int) -> Server:
    """nginx that asks latchd, by the operators' files with these ports."""
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    changes = {
        "127.0.0.1:2283": f"127.0.0.1:{gateway_port}", "http://127.0.0.1:8080": "http://backend",
        "listen 80;": f"listen 127.0.0.1:{port};", "server_name app.example.org": "server_name 127.0.0.1"}
    for file in INTEGRATION.glob("*.conf"):
        text = file.read_text()
        for old, new in changes.items():
            text = text.replace(old, new)
        (folder / file.name).write_text(text)
    upstream = UPSTREAM.partition("proxy_http_version")[0].format(backend=backend_port)
    servers = f"{upstream}    include latchd-http.conf;\n    include app.example.org.conf;\n"
    return start_servers("nginx with latchd", folder, servers, port)
