"""An HTTP/1.1 server that answers by path and tells on standard output what it sees.

Lines: `port N`, `open C`, `request C METHOD PATH`, `closed C`, where C counts connections from 1.
"""
import argparse
import contextlib
import gzip
import itertools
import json
import os
import socket
import ssl
import sys
import threading
from urllib.parse import parse_qs, urlsplit

printing = threading.Lock()
connections = itertools.count(1)


def say(*words):
    with printing:
        print(*words, flush=True)


def read_request(stream):
    line = stream.readline()
    if not line.strip():
        return None
    method, target, _ = line.decode().split()
    headers = []
    while (line := stream.readline()).strip():
        name, value = line.decode().split(":", 1)
        headers.append((name, value.strip()))
    count = int(dict((n.lower(), v) for n, v in headers).get("content-length", 0))
    return method, target, headers, stream.read(count)


def answer(peer, method, target, headers, body, number):
    """Answers one request; returns whether the connection goes on."""
    parts = urlsplit(target)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    count = int(query.get("bytes", 0))

    def send(status="200 OK", fields=(), content=b""):
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}"] + [f"{n}: {v}" for n, v in fields]
        peer.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == "HEAD" else content))
        return True

    match parts.path:
        case "/echo":
            certificate = peer.getpeercert() if isinstance(peer, ssl.SSLSocket) else None
            subject = dict(pair[0] for pair in certificate["subject"]) if certificate else {}
            seen = {
                "method": method, "target": target, "headers": headers, "body": body.decode("latin-1"),
                "connection": number, "client": subject.get("commonName", ""),
            }
            return send(content=json.dumps(seen).encode())
        case "/status":
            return send(query["code"] + " Status", content=b"as asked")
        case "/redirect":
            return send(query["status"] + " Elsewhere", [("Location", query["to"])], b"moved")
        case "/bytes":
            return send(content=b"x" * count)
        case "/gzip":
            return send(fields=[("Content-Encoding", "gzip")], content=gzip.compress(b"\0" * count))
        case "/never":
            peer.recv(1)
        case "/half":
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 50)
            say("half", number)
            peer.recv(1)
        case "/early":
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 50)
        case "/early-chunk":
            peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        case "/nothing":
            pass
        case "/endless":
            peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                peer.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        case "/wide":
            peer.sendall(b"HTTP/1.1 200 OK\r\n" + (b"X-Wide: " + b"x" * 8000 + b"\r\n") * 40 + b"\r\n")
        case "/other-protocol":
            peer.sendall(b"220 mail.example ESMTP\r\n")
        case "/odd":
            peer.sendall(b"HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\n")
            peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Empty:\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n")
            peer.sendall(b"2\r\nok\r\n0\r\nX-Trailer: late\r\n\r\n")
            return True
        case _:
            return send("404 Not Found", content=b"no such path")
    return False


def shake_hands(peer, context):
    """Starts TLS; after a failure it reads on, for closing with unread bytes would take the alert away from the client."""
    peer = context.wrap_socket(peer, server_side=True, do_handshake_on_connect=False)
    try:
        peer.do_handshake()
    except OSError:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(peer, socket.SHUT_WR)
            while socket.socket.recv(peer, 65536):
                pass
        peer.close()
        raise
    return peer


def serve(peer, number, context, options):
    try:
        peer.sendall(options.greeting.encode())
        while options.silent and peer.recv(65536):
            pass
        if context:
            peer = shake_hands(peer, context)
        stream = peer.makefile("rb")
        while request := read_request(stream):
            say("request", number, request[0], request[1])
            if not answer(peer, *request, number):
                break
        # Both the file and the socket hold the connection open.
        stream.close()
    except (OSError, ValueError):
        pass
    peer.close()
    say("closed", number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--client-authority")
    parser.add_argument("--newest-tls", choices=["1.2", "1.3"], default="1.3")
    parser.add_argument("--greeting", default="", help="sent to every connection before anything is read")
    parser.add_argument("--silent", action="store_true", help="reads, and never says anything")
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        context.maximum_version = ssl.TLSVersion.TLSv1_2 if options.newest_tls == "1.2" else ssl.TLSVersion.TLSv1_3
        if options.client_authority:
            context.load_verify_locations(options.client_authority)
            context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    say("port", listener.getsockname()[1])
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        peer, _ = listener.accept()
        number = next(connections)
        say("open", number)
        threading.Thread(target=serve, args=(peer, number, context, options), daemon=True).start()


main()
