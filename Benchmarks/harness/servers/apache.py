"""Apache with mod_auth_openidc and its session cache in shared memory, before the same backend as the others."""

from __future__ import annotations

import os
from pathlib import Path

from ..process import Server, free_port
from .sandbox import CLIENT

MODULES = Path("/usr/lib/apache2/modules")

# A thread for each connection of the load and to spare: with fewer the event worker closes connections that it was to keep.
# Those to the backend are kept too.
CONFIGURATION = """\
ServerName 127.0.0.1
ServerRoot {folder}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
{user}
Listen 127.0.0.1:{port}
ErrorLog {folder}/error.log
LogLevel error
{modules}
<IfModule mpm_event_module>
    StartServers 2
    ServerLimit 2
    ThreadLimit 80
    ThreadsPerChild 80
    MinSpareThreads 80
    MaxSpareThreads 160
    MaxRequestWorkers 160
    MaxConnectionsPerChild 0
</IfModule>
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client}
OIDCProviderTokenEndpointAuth none
OIDCPKCEMethod S256
OIDCRedirectURI http://127.0.0.1:{port}/callback
OIDCScope "openid email profile"
OIDCCryptoPassphrase 0123456789abcdef0123456789abcdef
OIDCSessionType server-cache
OIDCCacheType shm
OIDCSessionInactivityTimeout 3600
OIDCRemoteUserClaim email
<Location />
    AuthType openid-connect
    Require valid-user
</Location>
ProxyPass /callback !
ProxyPass / http://127.0.0.1:{backend}/ keepalive=On
"""

LOADED = [
    "mpm_event", "authn_core", "authz_core", "authz_user", "auth_openidc", "proxy", "proxy_http",
]


def start(folder: Path, port: int, backend_port: int, issuer: str) -> Server:
    """Starts Apache at a port that the provider knows."""
    folder.mkdir(parents=True, exist_ok=True)
    modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED)
    configuration = folder / "apache.conf"
    configuration.write_text(CONFIGURATION.format(
        folder=folder, port=port, backend=backend_port, issuer=issuer.rstrip("/"), client=CLIENT, modules=modules,
        user="User www-data\nGroup www-data" if os.getuid() == 0 else ""))
    command = ["/usr/sbin/apache2", "-d", str(folder), "-f", str(configuration), "-DFOREGROUND"]
    server = Server("mod_auth_openidc", command, port, folder / "apache.log")
    try:
        server.wait_until_it_listens()
    except BaseException:
        server.stop()
        raise
    return server


def address() -> tuple[int, str]:
    """A free port, and the address that the provider sends browsers back to."""
    port = free_port()
    return port, f"http://127.0.0.1:{port}/callback"
