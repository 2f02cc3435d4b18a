import Foundation

/// A port whose connections are forwarded to another one, with TLS on one of the two sides, in its own process.
package final class TLSRelay {
    /// The side with TLS.
    package enum Side: Sendable {
        /// Clients use TLS with this certificate, which they must also present if `asks` is true.
        case decrypting(certificate: String, key: String, asks: Bool)
        /// The server uses TLS. Its certificate is not checked.
        case encrypting
    }

    /// The port on 127.0.0.1.
    package let port: Int
    // The process ends when its standard input is closed, which also happens when the test crashes.
    private let process: ChildProcess

    /// Starts forwarding to a port on 127.0.0.1.
    package init(_ side: Side, to target: Int) throws {
        let arguments: [String] =
            switch side {
            case .decrypting(let certificate, let key, let asks): [certificate, key, asks ? "yes" : "no"]
            case .encrypting: []
            }
        process = try ChildProcess(
            "/usr/bin/python3", ["-c", Self.script, String(target)] + arguments, errors: .nowhere)
        let line = String(decoding: process.output.read(), as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            throw ChildProcess.Failure("The relay did not start.")
        }
        self.port = port
    }

    private static let script = """
        import socket, ssl, sys, threading
        target, tls = int(sys.argv[1]), sys.argv[2:]
        if tls:
            server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            server_side.load_cert_chain(tls[0], tls[1])
            if tls[2] == "yes":
                server_side.verify_mode = ssl.CERT_REQUIRED
                server_side.load_verify_locations(tls[0])
        else:
            client_side = ssl._create_unverified_context()
        def pump(a, b):
            try:
                while data := a.recv(65536): b.sendall(data)
            except OSError: pass
            for s in (a, b):
                try: s.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def serve(client):
            try:
                if tls: client = server_side.wrap_socket(client, server_side=True)
                server = socket.create_connection(("127.0.0.1", target))
                if not tls: server = client_side.wrap_socket(server)
            except OSError: return
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
