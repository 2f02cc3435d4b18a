import Foundation

/// A TLS proxy in front of a server without TLS, similar to a reverse proxy, in its own process.
///
/// It uses a new self-signed certificate for each instance.
package final class TLSFront {
    /// The certificate could not be created.
    package struct Failure: Error {}

    /// The port on 127.0.0.1.
    package var port: Int { relay.port }
    /// The SHA-256 fingerprint of the certificate, as OpenSSL prints it.
    package let fingerprint: String
    /// The path of the certificate.
    package let certificate: String
    /// The path of the key.
    package let key: String
    private let relay: TLSRelay

    /// Starts the proxy.
    ///
    /// - Parameters:
    ///   - target: The port of the server on 127.0.0.1.
    ///   - folder: The folder for the certificate and key.
    ///   - asksForCertificate: Whether clients must present this same certificate.
    /// - Throws: ``Failure`` when the certificate could not be created.
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
        relay = try TLSRelay(.decrypting(certificate: certificate, key: key, asks: asksForCertificate), to: Int(target))
    }
}
