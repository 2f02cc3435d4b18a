"""What is around a gateway when people sign in with a browser: a protected backend, a web application that is an OAuth client,
an identity provider, and the proxy that brings a browser to each by its name.

Usage: surroundings.py CERTIFICATE KEY NAME=ADDRESS:PORT...

Host names that equal NAME, or end in a dot and NAME, are led to that address, and those of `other.test` to the web application.
Any other is refused. Prints the ports as one line of JSON.
"""

import base64
import hashlib
import html
import http.server
import json
import secrets
import select
import socket
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec


class Pages(http.server.BaseHTTPRequestHandler):
    """Answers with small pages that ask for nothing else, not even an icon."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, body, kind="text/html; charset=utf-8", status=200, location=None):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(data)

    def page(self, title, content):
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><link rel="icon" href="data:,">'
        self.send(f"{head}<h1>{title}</h1>{content}</html>")

    def json(self, value, status=200):
        self.send(json.dumps(value), "application/json", status)

    @property
    def fields(self):
        text = urllib.parse.urlsplit(self.path).query
        if self.command == "POST":
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        return dict(urllib.parse.parse_qsl(text))

    @property
    def place(self):
        return urllib.parse.urlsplit(self.path).path

    def do_GET(self):
        self.answer()

    do_POST = do_GET


class Backend(Pages):
    """A protected application: says who was named to it, redirects /moved to another site, and has at /form a form for the
    address in the query."""

    def answer(self):
        fields = self.fields
        if self.place == "/form":
            to = html.escape(fields["to"])
            return self.page("Form", f'<form method="post" action="{to}"><button>Send</button></form>')
        if self.place == "/moved":
            return self.send("", status=302, location="https://moved.other.test/arrived")
        cookies = html.escape(self.headers.get("Cookie") or "none")
        who = self.headers.get("X-Auth-Email") or "nobody"
        self.page("Protected", f"<p>{html.escape(who)} at {html.escape(self.headers['Host'])}</p><p>Cookies: {cookies}</p>")


class Application(Pages):
    """The site of an OAuth client, which shows the parameters that a browser brings."""

    def answer(self):
        address = f"https://{self.headers['Host']}{self.place}"
        shown = html.escape(json.dumps({**self.fields, "method": self.command, "address": address}))
        self.page("Application", f"<pre>{shown}</pre>")


class Provider(Pages):
    """An OpenID provider at which a person says who they are, and with how many factors. People whose address begins with
    `old` have signed in there an hour ago."""

    key = ec.generate_private_key(ec.SECP256R1())
    codes = {}
    kept = ("redirect_uri", "state", "nonce", "client_id", "code_challenge", "response_mode", "prompt")

    @property
    def issuer(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self):
        if self.place == "/.well-known/openid-configuration":
            return self.json({
                "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorize",
                "token_endpoint": self.issuer + "/token", "jwks_uri": self.issuer + "/keys",
                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"],
            })
        if self.place == "/keys":
            key = jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
            return self.json({"keys": [key | {"kid": "one", "alg": "ES256", "use": "sig"}]})
        if self.place == "/token":
            return self.token(self.fields)
        fields = self.fields
        if self.place == "/decide":
            return self.decide(fields)
        hidden = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in fields.items() if name in self.kept)
        buttons = "".join(f'<button name="answer" value="{answer}">{answer}</button>' for answer in ("one", "two", "deny"))
        self.page("Provider", f'<form action="/decide">{hidden}<input name="email" id="email">{buttons}</form>')

    def decide(self, fields):
        if fields["answer"] == "deny":
            answer = {"error": "access_denied"}
        else:
            answer = {"code": secrets.token_urlsafe()}
            self.codes[answer["code"]] = fields
        answer["state"] = fields["state"]
        if fields.get("response_mode") == "form_post":
            hidden = "".join(
                f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in answer.items())
            form = f'<form method="post" action="{html.escape(fields["redirect_uri"])}">{hidden}</form>'
            script = "addEventListener('DOMContentLoaded', () => document.forms[0].submit())"
            return self.page("Provider", f"{form}<script>{script}</script>")
        self.send("", status=303, location=fields["redirect_uri"] + "?" + urllib.parse.urlencode(answer))

    def token(self, fields):
        asked = self.codes.pop(fields.get("code"), None)
        if not asked:
            return self.json({"error": "invalid_grant"}, 400)
        verifier = hashlib.sha256(fields.get("code_verifier", "").encode()).digest()
        if asked.get("code_challenge") not in (None, base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()):
            return self.json({"error": "invalid_grant"}, 400)
        now = int(time.time())
        age = 3_600 if asked["email"].startswith("old") and asked.get("prompt") != "login" else 0
        claims = {
            "iss": self.issuer, "sub": asked["email"], "aud": asked["client_id"], "iat": now, "exp": now + 300,
            "auth_time": now - age, "nonce": asked.get("nonce"), "email": asked["email"], "email_verified": True,
            "amr": ["pwd", "otp", "mfa"] if asked["answer"] == "two" else ["pwd"],
        }
        token = jwt.encode(claims, self.key, algorithm="ES256", headers={"kid": "one"})
        self.json({"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "expires_in": 300, "id_token": token})


class Tunnel(socketserver.StreamRequestHandler):
    """One CONNECT request of a browser."""

    def handle(self):
        line = self.rfile.readline().decode("latin1").split()
        while self.rfile.readline().strip():
            pass
        host = line[1].rsplit(":", 1)[0] if len(line) > 1 else ""
        target = next((to for name, to in self.server.targets.items() if host == name or host.endswith("." + name)), None)
        if line[:1] != ["CONNECT"] or not target:
            return self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        with socket.create_connection(target) as other:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            ends = {self.connection: other, other: self.connection}
            while True:
                for end in select.select(list(ends), [], [])[0]:
                    if not (data := end.recv(65_536)):
                        return
                    ends[end].sendall(data)


class Tunnels(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # A browser that closes a connection early is no error.


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    certificate, key, *places = sys.argv[1:]
    application = Server(("127.0.0.1", 0), Application)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    application.socket = context.wrap_socket(application.socket, server_side=True, do_handshake_on_connect=False)
    tunnels = Tunnels(("127.0.0.1", 0), Tunnel)
    tunnels.targets = {"other.test": ("127.0.0.1", application.server_port)}
    for place in places:
        name, address = place.split("=")
        host, port = address.split(":")
        tunnels.targets[name] = (host, int(port))
    serve(application)
    ports = {
        "backend": serve(Server(("127.0.0.1", 0), Backend)), "provider": serve(Server(("127.0.0.1", 0), Provider)),
        "form_provider": serve(Server(("127.0.0.1", 0), Provider)), "tunnels": serve(tunnels),
    }
    print(json.dumps(ports), flush=True)
    threading.Event().wait()


main()
