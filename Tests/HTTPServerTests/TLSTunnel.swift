import Foundation
import TestSupport

/// A port whose connections are encrypted and passed on to a TLS server, whose certificate is not checked.
final class TLSTunnel {
    /// The port on 127.0.0.1.
    let port: Int
    // The process ends when its standard input is closed, which also happens when the test crashes.
    private let process: ChildProcess

    init(to target: Int) throws {
        process = try ChildProcess("/usr/bin/python3", ["-c", Self.script, String(target)], errors: .nowhere)
        let line = String(decoding: process.output.read(), as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            throw ChildProcess.Failure("The tunnel did not start.")
        }
        self.port = port
    }

    private static let script = """
        import socket, ssl, sys, threading
        context = ssl._create_unverified_context()
        def pump(a, b):
            try:
                while data := a.recv(65536): b.sendall(data)
            except OSError: pass
            for s in (a, b):
                try: s.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def serve(client):
            server = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
            threading.Thread(target=pump, args=(client, server), daemon=True).start()
            pump(server, client)
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        def accept():
            while True:
                raw, _ = listener.accept()
                threading.Thread(target=serve, args=(raw,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()
        """
}
