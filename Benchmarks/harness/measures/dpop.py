"""/auth/verify with a token that is bound to a key, each request with a proof of its own, beside the same with a bearer token."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request as Question, urlopen

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from ..bench import BenchmarkRun
from ..load import Request
from ..process import BenchError, Server
from ..rounds import Contestant
from ..servers.gateway import EMAIL, LOGIN_PATH, PASSWORD
from ..table import Figure, Row

PUBLIC = "http://127.0.0.1"
FIELDS = {"X-Forwarded-Host": "app.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-Method": "GET",
          "X-Forwarded-Uri": "/page"}
ADDRESS = "https://app.example.org/page"
# More than are asked for in a second. A proof is good once, and for a minute.
PROOFS_PER_SECOND = 15_000


def measure(bench: BenchmarkRun) -> list[Row]:
    """Answers per second and what one costs, with the database in a file and used proofs in memory, as by default."""
    gateway = bench.gateway("dpop")
    gateway.add_person()
    key = Key()
    with ExitStack() as stack:
        ours = stack.enter_context(gateway.start(
            LATCHD_VERIFY_ENABLED="true", LATCHD_PUBLIC_URL=PUBLIC, LATCHD_TRUSTED_PROXIES="127.0.0.1",
            LATCHD_PAGES_ENABLED="true", LATCHD_OAUTH_ENABLED="true"))
        bearer = gateway.sign_in(ours.port).token()
        bound = sign_in(ours, key)
        url = ours.url("/auth/verify")
        contestants = {
            "bearer": Contestant(ours, Request(url, token=bearer, fields=FIELDS)),
            "DPoP": Proving(ours, Request(url, fields=FIELDS), key=key, token=bound,
                            file=bench.folder / "dpop-proofs"),
        }
        bench.say(f"Checks of bound tokens: {bench.rounds} rounds of {bench.seconds:g} s each for "
                  + ", ".join(contestants))
        for _ in range(bench.rounds):
            for contestant in contestants.values():
                contestant.measure(bench.seconds)
    return rows(contestants)


class Proving(Contestant):
    """A contestant whose requests have proofs, which are made before each round."""

    def __init__(self, server: Server, request: Request, key: Key, token: str, file: Path):
        super().__init__(server, Request(request.url, fields=request.fields, tokens=file))
        self.key, self.token, self.file = key, token, file

    def measure(self, seconds: int) -> None:
        """One round."""
        count = PROOFS_PER_SECOND * (seconds + 1)
        with self.file.open("w") as file:
            for _ in range(count):
                file.write(f"{self.token} {self.key.proof('GET', ADDRESS, self.token)}\n")
        super().measure(seconds)


class Key:
    """A key on P-256, and the proofs that it signs."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        jwk = {"kty": "EC", "crv": "P-256", "x": encode(numbers.x.to_bytes(32)), "y": encode(numbers.y.to_bytes(32))}
        self.header = encode(json.dumps({"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk}).encode())

    def proof(self, method: str, address: str, token: str | None = None) -> str:
        """A proof for one request."""
        claims = {"jti": encode(os.urandom(12)), "htm": method, "htu": address, "iat": int(time.time())}
        if token:
            claims["ath"] = encode(hashlib.sha256(token.encode()).digest())
        text = f"{self.header}.{encode(json.dumps(claims).encode())}"
        r, s = utils.decode_dss_signature(self.private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{encode(r.to_bytes(32) + s.to_bytes(32))}"


def encode(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign_in(server: Server, key: Key) -> str:
    """The token of a session that is bound to the key. A server that accepts it without a proof has checked nothing."""
    form = urlencode({"username": EMAIL, "password": PASSWORD}).encode()
    question = Question(server.url(LOGIN_PATH), form, {"DPoP": key.proof("POST", PUBLIC + LOGIN_PATH)})
    with urlopen(question, timeout=60) as answer:
        response = json.load(answer)
    if response["token_type"] != "DPoP":
        raise BenchError(f"{server.name} did not bind the token.")
    return response["access_token"]


def rows(contestants: dict[str, Contestant]) -> list[Row]:
    """What was measured, and the ratio."""
    rates = {name: one.figure("rate") for name, one in contestants.items()}

    def figure(measure: str, attribute: str) -> Row:
        return Row(measure, {name: one.figure(attribute) for name, one in contestants.items()})

    return [
        Row("checks at /auth/verify/s, 64 connections", rates),
        Row("with a proof over a bearer token", {"DPoP": Figure.of([rates["DPoP"].value / rates["bearer"].value])}),
        figure("check p50, ms", "p50"), figure("check p99, ms", "p99"),
        Row("CPU µs per check", {name: Figure.of(one.cpu) for name, one in contestants.items()}),
    ]
