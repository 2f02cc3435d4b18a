"""Starts nginx with HTTP/2, TLS and optional client certificates in the folder given, and prints `port N`.

nginx cannot choose a free port itself: it listens on a socket in the folder, and the bytes of a port bound here are
carried there and back.
"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time


def pump(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def connect():
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{folder}/nginx.sock")
    return server


def carry(peer):
    server = connect()
    threading.Thread(target=pump, args=(server, peer), daemon=True).start()
    pump(peer, server)


def accept(listener):
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=carry, args=(peer,), daemon=True).start()


folder, certificate, key, authority = sys.argv[1:5]
with open(f"{folder}/nginx.conf", "w") as file:
    file.write(f"""
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen unix:{folder}/nginx.sock ssl http2;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        ssl_client_certificate {authority};
        ssl_verify_client optional;
        location / {{ return 200 "$connection $server_protocol $ssl_client_verify $ssl_client_s_dn"; }}
        location /members {{
            if ($ssl_client_verify != SUCCESS) {{ return 403; }}
            return 200 "welcome";
        }}
        location /slow {{ alias {folder}/files/; limit_rate 100; }}
    }}
}}
""")
os.makedirs(f"{folder}/files", exist_ok=True)
with open(f"{folder}/files/file", "w") as file:
    file.write("x" * 100000)
program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
# It ends with this program, however that ends: PR_SET_PDEATHSIG is 1.
nginx = subprocess.Popen(
    [program, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"],
    preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
try:
    while nginx.poll() is None:
        try:
            connect().close()
            break
        except OSError:
            time.sleep(0.01)
    if nginx.returncode is not None:
        sys.exit(open(f"{folder}/error.log").read())
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    print("port", listener.getsockname()[1], flush=True)
    sys.stdin.read()
finally:
    nginx.kill()
    nginx.wait()
