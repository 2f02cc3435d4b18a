"""Starts an OpenID provider that others wrote, with one person and one client, and says where it listens.

Use: identity_provider.py canaille|allauth FOLDER REDIRECT
"""

import json
import os
import subprocess
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

EMAIL = "ada@example.org"
PASSWORD = "ada-plays-elsewhere-7391"
CLIENT = "latch"
NATIVE = "latch-native"
SECRET = "secret-of-latch-0123456789abcdef"


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def key(folder):
    path = os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path], check=True
    )
    return path


def allauth(folder, redirect):
    key(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "allauth_settings"
    os.environ["PROVIDER_FOLDER"] = folder
    import django

    django.setup()
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    user = get_user_model().objects.create_user("ada", EMAIL, PASSWORD, first_name="Ada")
    EmailAddress.objects.create(user=user, email=EMAIL, verified=True, primary=True)
    client = Client(id=CLIENT, name="Latch", redirect_uris=redirect, scopes="openid\nprofile\nemail")
    client.set_secret(SECRET)
    client.save()
    Client.objects.create(
        id=NATIVE, name="latch", type="public", grant_types="authorization_code\nrefresh_token",
        redirect_uris="http://127.0.0.1/callback", scopes="openid\nprofile\nemail",
    )  # fmt: skip
    return get_wsgi_application()


def canaille(folder, redirect):
    config = os.path.join(folder, "canaille.toml")
    program = os.path.join(os.path.dirname(sys.executable), "canaille")
    os.environ["CANAILLE_CONFIG"] = config

    def run(*words):
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"canaille {' '.join(words[:2])}: {done.stderr[-2000:]}")
        return done.stdout

    with open(config, "w") as file:
        file.write(
            'SECRET_KEY = "of a test"\nPREFERRED_URL_SCHEME = "http"\n'
            '[CANAILLE]\nDATABASE = "sql"\n'
            f'[CANAILLE_SQL]\nDATABASE_URI = "sqlite:///{folder}/canaille.sqlite"\nPASSWORD_SCHEMES = "pbkdf2_sha512"\n'
            "[CANAILLE_OIDC]\n"
        )
    made = json.loads(run("jwk", "create", "rsa"))
    with open(config, "a") as file:
        members = ", ".join(f"{name} = {json.dumps(value)}" for name, value in made.items())
        file.write(f"ACTIVE_JWKS = [{{{members}}}]\n")
    run("db", "upgrade")
    run("create", "user", "--quiet", "--user-name", "ada", "--password", PASSWORD, "--family-name", "Lovelace",
        "--formatted-name", "Ada Lovelace", "--emails", EMAIL)  # fmt: skip
    run("create", "client", "--quiet", "--client-id", CLIENT, "--client-secret", SECRET, "--client-name", "Latch",
        "--redirect-uris", redirect, "--token-endpoint-auth-method", "client_secret_basic",
        "--grant-types", "authorization_code", "--response-types", "code",
        "--id-token-signed-response-alg", "RS256", "--scope", "openid", "--scope", "email", "--scope", "profile")  # fmt: skip
    # Its ID tokens name it only when it is an audience of itself, which it can be once it is there.
    run("set", "client", CLIENT, "--audience", CLIENT)
    from canaille import create_app

    return create_app()


if __name__ == "__main__":
    name, folder, redirect = sys.argv[1:]
    app = {"allauth": allauth, "canaille": canaille}[name](folder, redirect)
    with make_server("127.0.0.1", 0, app, server_class=Server, handler_class=Handler) as server:
        print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
