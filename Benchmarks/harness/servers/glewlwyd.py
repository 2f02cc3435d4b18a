"""glewlwyd, Debian's single-sign-on server, with SQLite."""

from __future__ import annotations

import http.client
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ..process import BenchError, Server, free_port

PASSWORD = "correct horse battery"
PROGRAM = Path("/usr/bin/glewlwyd")
TABLES = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
# The tables come with this person.
ADMINISTRATOR, ADMINISTRATOR_PASSWORD = "admin", "password"

CONFIGURATION = """\
port = {port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:{port}/"
login_url = "login.html"
api_prefix = "api"
log_mode = "console"
log_level = "ERROR"
cookie_secure = 0
session_expiration = 2419200
session_key = "GLEWLWYD2_SESSION_ID"
admin_session_authentication = "cookie"
profile_session_authentication = "cookie"
login_api_enabled = true
add_x_frame_option_header_deny = true
max_post_size = 16777216
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
use_secure_connection = false
secure_connection_key_file = "/nonexistent"
secure_connection_pem_file = "/nonexistent"
secure_connection_ca_file = "/nonexistent"
hash_algorithm = "SHA512"
database = {{ type = "sqlite3"; path = "{database}"; }};
static_files_mime_types = ( {{ extension = ".html"; mime_type = "text/html"; }} )
"""


def make(folder: Path, port: int) -> None:
    """Makes the database and the configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / "glewlwyd.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(TABLES.read_text())
    (folder / "glewlwyd.conf").write_text(CONFIGURATION.format(port=port, database=database))


def launch(folder: Path, port: int) -> Server:
    """Starts the server on the database of a folder."""
    command = [str(PROGRAM), f"--config-file={folder / 'glewlwyd.conf'}"]
    server = Server("glewlwyd", command, port, folder / "glewlwyd.log")
    try:
        server.wait_until_it_listens()
    except BaseException:
        server.stop()
        raise
    return server


def administration(port: int) -> Callable[[str, dict[str, object]], None]:
    """Signs the administrator in, and returns what posts a value to a path of the interface."""
    answer = _exchange(port, "/api/auth/", json.dumps({"username": ADMINISTRATOR, "password": ADMINISTRATOR_PASSWORD}),
                       {"Content-Type": "application/json"})
    cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]

    def add(path: str, value: dict[str, object]) -> None:
        _post(port, path, json.dumps(value), {"Content-Type": "application/json", "Cookie": cookie})

    return add


def _post(port: int, path: str, body: str, headers: dict[str, str]) -> bytes:
    answer = _exchange(port, path, body, headers)
    text = answer.read()
    if answer.status != 200:
        raise BenchError(f"glewlwyd answered {path} with {answer.status}: {text[:200]!r}")
    return text


def _exchange(port: int, path: str, body: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, body, headers)
    return connection.getresponse()
