"""An HTTP proxy with CONNECT; every host name is taken for 127.0.0.1.

Lines: `port N`, `connect HOST:PORT`, `forward METHOD URL`, `authorization VALUE` before them if a request carried one.
With `--status N` every request is declined so.
"""
import argparse
import os
import socket
import sys
import threading
from urllib.parse import urlsplit


def say(*words):
    print(*words, flush=True)


def pump(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(peer, status):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = peer.recv(65536)
        if not piece:
            return peer.close()
        head += piece
    lines = head.decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split()
    for line in lines[1:]:
        if line.lower().startswith("proxy-authorization:"):
            say("authorization", line.split(":", 1)[1].strip())
    say("connect" if method == "CONNECT" else "forward " + method, target)
    if status:
        peer.sendall(f"HTTP/1.1 {status} Declined\r\nContent-Length: 0\r\n\r\n".encode())
        return peer.close()
    port = int(target.rsplit(":", 1)[1]) if method == "CONNECT" else urlsplit(target).port
    server = socket.create_connection(("127.0.0.1", port))
    if method == "CONNECT":
        peer.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
    else:
        parts = urlsplit(target)
        path = parts.path + ("?" + parts.query if parts.query else "")
        server.sendall(head.replace(target.encode(), path.encode(), 1))
    threading.Thread(target=pump, args=(server, peer), daemon=True).start()
    pump(peer, server)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--status", type=int)
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    say("port", listener.getsockname()[1])
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=serve, args=(peer, options.status), daemon=True).start()


main()
