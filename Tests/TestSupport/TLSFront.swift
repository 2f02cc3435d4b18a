import Foundation

/// A door with TLS before a server without: what a reverse proxy does, in a process of its own.
///
/// Its certificate is self-signed, made anew each time.
package final class TLSFront {
    /// Why there is none.
    package struct Failure: Error {}

    /// The port on 127.0.0.1.
    package let port: Int
    /// The SHA-256 of the certificate as OpenSSL prints it.
    package let fingerprint: String
    /// The certificate's file.
    package let certificate: String
    /// The key's file.
    package let key: String
    // It ends when its standard input does, so also when the test ends in a crash.
    private let process: ChildProcess

    /// Opens the door.
    ///
    /// - Parameters:
    ///   - target: The port on 127.0.0.1 that it leads to.
    ///   - folder: Where certificate and key go.
    ///   - asksForCertificate: Whether only a client that shows this very certificate is let in.
    /// - Throws: ``Failure`` when the certificate or the port did not come about.
    package init(to target: UInt16, in folder: TemporaryDirectory, asksForCertificate: Bool = false) async throws {
        (certificate, key) = (folder.file("tls.crt"), folder.file("tls.key"))
        let made = try await Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=Home \u{1B}[31mred", "-addext", "subjectAltName=IP:127.0.0.1,DNS:home.test", "-keyout",
                key, "-out",
                certificate,
            ])
        let shown = try await Program.run("openssl", ["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        guard made.status == 0, let equals = shown.output.firstIndex(of: "=") else { throw Failure() }
        fingerprint = shown.output[shown.output.index(after: equals)...].trimmingCharacters(in: .newlines)
        process = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.script, certificate, key, String(target), asksForCertificate ? "yes" : "no"],
            errors: .nowhere)
        let line = String(decoding: process.output.read(), as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw Failure() }
        self.port = port
    }

    private static let script = """
        import socket, ssl, sys, threading
        certificate, key, target, asks = sys.argv[1:5]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        if asks == "yes":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificate)
        def pump(a, b):
            try:
                while data := a.recv(65536): b.sendall(data)
            except OSError: pass
            for s in (a, b):
                try: s.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def serve(raw):
            try: client = context.wrap_socket(raw, server_side=True)
            except OSError: return
            server = socket.create_connection(("127.0.0.1", int(target)))
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
