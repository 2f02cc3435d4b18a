"""A backend that knows nothing of sign-in: it answers every request with what it got, as JSON.

It changes to any protocol that a request names in Upgrade except WebSocket, as servers that accept h2c do. It prints its port, then a line
for each request.
"""

import http.server
import json


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        print("request", self.command, self.path, flush=True)
        protocol = self.headers.get("Upgrade", "")
        if protocol.strip().lower() not in ("", "websocket"):
            return self.change(protocol)
        trailers = self.read_body()
        seen = {
            "method": self.command,
            "path": self.path,
            "fields": [f"{n}: {v}" for n, v in self.headers.items()],
            "trailers": trailers,
        }
        body = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def read_body(self):
        """Reads the body, and returns the lines of its trailer."""
        if self.headers.get("Transfer-Encoding", "").split(",")[-1].strip().lower() != "chunked":
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            self.rfile.read(size + 2)
        trailers = []
        while (line := self.rfile.readline().strip()):
            trailers.append(line.decode("latin-1"))
        return trailers

    def change(self, protocol):
        """Leaves HTTP/1.1: what follows on the connection is printed."""
        self.close_connection = True
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", protocol)
        self.end_headers()
        print("tunnel", self.rfile.readline(), flush=True)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PROPFIND = answer
    do_COPY = do_MOVE = do_CONNECT = do_TRACE = answer

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
print("backend on", server.server_address[1], flush=True)
server.serve_forever()
