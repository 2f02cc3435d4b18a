import Foundation

/// A TLS proxy in front of a server without TLS, similar to a reverse proxy, in its own process.
///
/// It uses a new self-signed certificate for each instance.
package final class TLSFront {
    /// The certificate or the port could not be set up.
    package struct Failure: Error {}

    /// The port on 127.0.0.1.
    package let port: Int
    /// The SHA-256 fingerprint of the certificate, as OpenSSL prints it.
    package let fingerprint: String
    /// The path of the certificate.
    package let certificate: String
    /// The path of the key.
    package let key: String
    // The process ends when its standard input is closed, which also happens when the test crashes.
    private let process: ChildProcess

    /// Starts the proxy.
    ///
    /// - Parameters:
    ///   - target: The port of the server on 127.0.0.1.
    ///   - folder: The folder for the certificate and key.
    ///   - asksForCertificate: Whether clients must present this same certificate.
    /// - Throws: ``Failure`` when the certificate or the port could not be set up.
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
