"""nginx: with `return 200` of the gateway's own answer, what HTTP alone costs on this machine; and with files."""

from __future__ import annotations

import os
from pathlib import Path

from ..client import Answer, get
from ..process import BenchError, Server, free_port

# nginx writes these itself.
OWN_HEADERS = {"date", "content-type", "content-length", "connection", "server"}

AROUND = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
worker_processes {workers};
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
{servers}
}}
"""
SERVER = """\
    server {{
        listen 127.0.0.1:{port};
{locations}
    }}
"""
ME = """\
        location = /api/me {{
            default_type application/json;
{headers}
            return 200 '{body}';
        }}
"""
FILES = """\
        location / {{
            root {root};
            sendfile on;
            tcp_nopush on;
        }}
"""


def start(folder: Path, model: Answer) -> Server:
    """Starts nginx with the status, the body and as many headers as `model` has."""
    server = _start(folder, ME.format(headers=_headers(model), body=model.body.decode()))
    try:
        _require_same(get(server.port, "/api/me"), model)
    except BaseException:
        server.stop()
        raise
    return server


def start_files(folder: Path, root: Path) -> Server:
    """Starts nginx with the files below `root`, sent as nginx's manual says they are sent fastest."""
    return _start(folder, FILES.format(root=root))


def start_servers(name: str, folder: Path, servers: str, port: int) -> Server:
    """Starts nginx with the `servers` of its configuration, one of which listens on `port`."""
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "nginx.conf"
    configuration.write_text(AROUND.format(
        folder=folder, workers=os.cpu_count() or 1, user="user root root;" if os.getuid() == 0 else "",
        servers=servers))
    server = Server(name, ["/usr/sbin/nginx", "-p", str(folder), "-c", str(configuration)], port, folder / "nginx.log")
    try:
        server.wait_until_it_listens()
    except BaseException:
        server.stop()
        raise
    return server


def _start(folder: Path, locations: str) -> Server:
    port = free_port()
    return start_servers("nginx", folder, SERVER.format(port=port, locations=locations), port)


def _headers(model: Answer) -> str:
    """The model's headers that nginx does not write itself, less two for its `Server` and `Connection`."""
    others = [(name, value) for name, value in model.headers if name.lower() not in OWN_HEADERS]
    # `$request_id` is made anew for each request, as the gateway's is.
    lines = [(name, "$request_id" if name.lower() == "x-request-id" else value) for name, value in others]
    surplus = 2 - sum(name.lower() in {"server", "connection"} for name, _ in model.headers)
    kept = lines[: max(0, len(lines) - surplus)]
    return "\n".join(f'            add_header {name} "{value}";' for name, value in kept)


def _require_same(answer: Answer, model: Answer) -> None:
    same = answer.status == model.status and answer.body == model.body and len(answer.headers) == len(model.headers)
    if not same:
        raise BenchError(f"nginx does not answer as the gateway does: {answer.headers} beside {model.headers}")
