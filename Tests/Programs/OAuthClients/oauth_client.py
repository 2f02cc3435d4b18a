"""Signs in with a client library that knows nothing of the server, and prints what it got as one line of JSON.

oauth_client.py authlib|requests-oauthlib ISSUER CLIENT [SECRET]
oauth_client.py authlib-protected GATEWAY ADDRESS CLIENT
oauth_client.py mcp ADDRESS [CLIENT]

Without a client, it registers itself. Each prints `open URL` and waits until a browser opens the redirect address on 127.0.0.1.
"""

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import requests


class Callback:
    """A server on a free port of 127.0.0.1 that receives one response of the authorization endpoint."""

    def __init__(self):
        callback = self
        self.received = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                callback.path = self.path
                self.send_response(200)
                self.end_headers()
                callback.received.set()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/callback"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, url):
        print("open", url, flush=True)
        self.received.wait()
        self.received.clear()
        return self.address + self.path[len("/callback"):]


def metadata(issuer):
    found = requests.get(issuer + "/.well-known/openid-configuration").json()
    assert found["issuer"] == issuer
    return found


def authlib(issuer, client, secret=None):
    from authlib.integrations.requests_client import OAuth2Session
    from joserfc import jwt
    from joserfc.jwk import KeySet

    server, callback = metadata(issuer), Callback()
    session = OAuth2Session(
        client, secret, redirect_uri=callback.address, scope="openid profile email", code_challenge_method="S256",
        token_endpoint_auth_method="client_secret_basic" if secret else "none",
        revocation_endpoint_auth_method="client_secret_basic" if secret else "none")
    verifier = "a-verifier-of-at-least-43-characters-for-this-test"
    url, state = session.create_authorization_url(
        server["authorization_endpoint"], code_verifier=verifier, nonce="a-nonce")
    token = session.fetch_token(
        server["token_endpoint"], authorization_response=callback.wait(url), code_verifier=verifier, state=state)
    keys = KeySet.import_key_set(requests.get(server["jwks_uri"]).json())
    claims = jwt.decode(token["id_token"], keys, algorithms=server["id_token_signing_alg_values_supported"]).claims
    assert claims["nonce"] == "a-nonce" and claims["aud"] == client and claims["iss"] == issuer
    person = session.get(server["userinfo_endpoint"]).json()
    assert person["sub"] == claims["sub"]
    refreshed = session.refresh_token(server["token_endpoint"], refresh_token=token["refresh_token"])
    assert refreshed["access_token"] != token["access_token"]
    assert session.get(server["userinfo_endpoint"]).status_code == 200
    session.revoke_token(server["revocation_endpoint"], token=refreshed["refresh_token"])
    return {"email": person["email"], "after_revocation": session.get(server["userinfo_endpoint"]).status_code}


def requests_oauthlib(issuer, client, secret=None):
    import os

    from requests_oauthlib import OAuth2Session

    # The test has no TLS, and the server grants no scope that it does not know.
    os.environ.update(OAUTHLIB_INSECURE_TRANSPORT="1", OAUTHLIB_RELAX_TOKEN_SCOPE="1")
    server, callback = metadata(issuer), Callback()
    session = OAuth2Session(client, redirect_uri=callback.address, scope=["openid", "email"], pkce="S256")
    url, _ = session.authorization_url(server["authorization_endpoint"])
    session.fetch_token(
        server["token_endpoint"], authorization_response=callback.wait(url), client_secret=secret,
        include_client_id=True)
    return {"email": session.get(server["userinfo_endpoint"]).json()["email"]}


def authlib_protected(gateway, address, client):
    """Gets a token for a protected address, whose proxy this function stands for."""
    from urllib.parse import urlsplit

    from authlib.integrations.requests_client import OAuth2Session

    parts, callback = urlsplit(address), Callback()
    proxy = {
        "X-Forwarded-Host": parts.netloc, "X-Forwarded-Proto": parts.scheme, "X-Forwarded-Method": "GET",
        "X-Forwarded-Uri": parts.path or "/"}
    refused = requests.get(gateway + "/auth/verify", headers=proxy)
    assert refused.status_code == 401
    resource = requests.get(
        gateway + "/.well-known/oauth-protected-resource", headers=proxy).json()
    server = metadata(resource["authorization_servers"][0])
    session = OAuth2Session(
        client, redirect_uri=callback.address, scope="openid email", code_challenge_method="S256",
        token_endpoint_auth_method="none")
    verifier = "a-verifier-of-at-least-43-characters-for-this-test"
    url, state = session.create_authorization_url(
        server["authorization_endpoint"], code_verifier=verifier, resource=resource["resource"])
    token = session.fetch_token(
        server["token_endpoint"], authorization_response=callback.wait(url), code_verifier=verifier, state=state)
    bearer = {"Authorization": "Bearer " + token["access_token"]}
    allowed = requests.get(gateway + "/auth/verify", headers=proxy | bearer)
    return {"status": allowed.status_code, "user": allowed.headers.get("X-Auth-User")}


def mcp(address, client=None):
    import httpx2
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata
    from urllib.parse import parse_qs, urljoin, urlsplit

    callback = Callback()
    known = {"redirect_uris": [callback.address], "token_endpoint_auth_method": "none", "client_name": "mcp"}
    answers = {}

    class Storage:
        tokens = None

        async def get_tokens(self):
            return self.tokens

        async def set_tokens(self, tokens):
            self.tokens = tokens

        async def get_client_info(self):
            return OAuthClientInformationFull(client_id=client, **known) if client else None

        async def set_client_info(self, info):
            assert client is None, "The client has an id already."

    async def open_browser(url):
        answers["response"] = await asyncio.to_thread(callback.wait, url)

    async def response():
        from mcp.client.auth import oauth2

        fields = {name: values[0] for name, values in parse_qs(urlsplit(answers["response"]).query).items()}
        result = getattr(oauth2, "AuthorizationCodeResult", None)
        if result is None:
            return fields["code"], fields.get("state")
        return result(code=fields["code"], state=fields.get("state"), iss=fields.get("iss"))

    storage = Storage()

    async def run():
        provider = OAuthClientProvider(address, OAuthClientMetadata(**known), storage, open_browser, response)
        async with httpx2.AsyncClient(auth=provider) as session:
            return (await session.get(address)).status_code

    result = {"status": asyncio.run(run())}
    if client:
        # Another sign-in with other scopes than an address below the resource requires.
        from authlib.integrations.requests_client import OAuth2Session

        resource = requests.get(urljoin(address, "/.well-known/oauth-protected-resource")).json()
        server = metadata(resource["authorization_servers"][0])
        session = OAuth2Session(
            client, redirect_uri=callback.address, scope="openid", code_challenge_method="S256",
            token_endpoint_auth_method="none")
        verifier = "a-verifier-of-at-least-43-characters-for-this-test"
        url, state = session.create_authorization_url(
            server["authorization_endpoint"], code_verifier=verifier, resource=address)
        narrow = session.fetch_token(
            server["token_endpoint"], authorization_response=callback.wait(url), code_verifier=verifier, state=state)
        refused = requests.get(address + "/notes/1", headers={"Authorization": "Bearer " + narrow["access_token"]})
        result |= {"narrow_status": refused.status_code, "challenge": refused.headers.get("WWW-Authenticate")}
    return result


KINDS = {
    "authlib": authlib, "authlib-protected": authlib_protected, "requests-oauthlib": requests_oauthlib, "mcp": mcp,
}
print(json.dumps(KINDS[sys.argv[1]](*sys.argv[2:])), flush=True)
