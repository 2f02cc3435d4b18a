"""Signs a person in at a gateway of the sandbox, as an app of the family does, and prints the token.

usage: sandbox_token.py FAMILY URL EMAIL PASSWORD
"""

import base64
import hashlib
import secrets
import sys
from urllib.parse import parse_qs, urlsplit

import requests


def ok(response, *statuses):
    if response.status_code not in statuses:
        place = response.url.split("?")[0]
        sys.exit(f"{response.request.method} {place}: {response.status_code} {response.text[:200]}")
    return response


class App:
    """An app and the person's browser. They share one cookie jar."""

    def __init__(self, url, email, password):
        self.url, self.email, self.password = url, email, password
        self.http = requests.Session()

    def send(self, method, url, **arguments):
        return self.http.request(method, url, timeout=30, allow_redirects=False, **arguments)

    def consent(self, page):
        """Fills in the provider's page; the address that it redirects to."""
        fields = {"email": self.email, "password": self.password, "action": "allow"}
        return ok(self.send("POST", page, data=fields), 303).headers["Location"]

    def onyx(self):
        fields = {"username": self.email, "password": self.password}
        return ok(self.send("POST", self.url + "/api/auth/mobile/login", data=fields), 200).json()["access_token"]

    def immich(self):
        fields = {"email": self.email, "password": self.password}
        return ok(self.send("POST", self.url + "/api/auth/login", json=fields), 201).json()["accessToken"]

    def timetracker(self):
        redirect = "timetracker://oauth/callback"
        start = self.send("GET", self.url + "/auth/login", params={"redirect_uri": redirect})
        callback = self.consent(ok(start, 302).headers["Location"])
        link = ok(self.send("GET", callback), 302).headers["Location"]
        query = parse_qs(urlsplit(link).query)
        body = {"code": query["code"][0], "state": query["state"][0], "redirect_uri": redirect}
        return ok(self.send("POST", self.url + "/auth/token", json=body), 200).json()["access_token"]

    def relate_mail(self):
        redirect = "relate-mail://auth/callback"
        server = ok(self.send("GET", self.url + "/config/config.json"), 200).json()
        metadata = server["oidcAuthority"] + "/.well-known/openid-configuration"
        provider = ok(self.send("GET", metadata), 200).json()
        verifier = secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        page = requests.Request("GET", provider["authorization_endpoint"], params={
            "response_type": "code", "client_id": server["oidcClientId"], "redirect_uri": redirect,
            "scope": server["oidcScope"], "state": secrets.token_urlsafe(16), "code_challenge_method": "S256",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        }).prepare().url
        code = parse_qs(urlsplit(self.consent(page)).query)["code"][0]
        return ok(self.send("POST", provider["token_endpoint"], data={
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirect,
            "client_id": server["oidcClientId"], "code_verifier": verifier,
        }), 200).json()["access_token"]


family, url, email, password = sys.argv[1:]
print(getattr(App(url, email, password), family.replace("-", "_"))())
