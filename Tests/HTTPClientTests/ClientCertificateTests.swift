import Crypto
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@Suite("Client certificates", .serialized, .timeLimit(.minutes(20)))
struct ClientCertificateTests {
    private func configuration(_ authority: Authority, _ certificate: ClientCertificate?) -> HTTPClient.Configuration {
        .init(authorities: .only(pemFile: authority.own.certificate), clientCertificate: certificate)
    }

    @Test(
        "PEM, PEM with passphrase and PKCS#12 are sent to a server that requests a certificate",
        arguments: ["1.2", "1.3"])
    func sendsCertificate(_ version: String) async throws {
        let authority = try await Authority.make()
        let server = try await authority.server(
            try await authority.issue(), ["--client-authority", authority.own.certificate, "--newest-tls", version])
        let open = try await authority.issue("open", for: "email:o@example.com")
        let locked = try await authority.issue("locked", for: "email:l@example.com", passphrase: "hunter2-hunter2")
        let box = try await authority.pkcs12(open, passphrase: "hunter3")
        let cases: [(ClientCertificate, String)] = [
            (.pem(certificate: open.certificate, key: open.key, passphrase: nil), "open"),
            (.pem(certificate: locked.certificate, key: locked.key, passphrase: Secret("hunter2-hunter2")), "locked"),
            (.pkcs12(path: box, passphrase: Secret("hunter3")), "open"),
        ]

        for (certificate, name) in cases {
            let request = ClientRequest(url: server.url("/echo", scheme: "https"))
            let response = try await withClient(configuration(authority, certificate)) { try await $0.send(request) }
            #expect(try Echo(response).client == name)
        }
    }

    @Test(
        "A server that requires a certificate and gets none, or a foreign one, is reported",
        arguments: ["1.2", "1.3"])
    func certificateRequired(_ version: String) async throws {
        let (authority, other) = (try await Authority.make(), try await Authority.make("Other"))
        let server = try await authority.server(
            try await authority.issue(), ["--client-authority", authority.own.certificate, "--newest-tls", version])
        let untrusted = try await other.issue("foreign", for: "email:f@example.com")

        for certificate in [
            nil, ClientCertificate.pem(certificate: untrusted.certificate, key: untrusted.key, passphrase: nil),
        ] {
            let request = ClientRequest(url: server.url("/echo", scheme: "https"))
            let error = try await failure(request, configuration(authority, certificate))
            #expect(error.code == .clientCertificate)
        }
    }

    @Test("Unusable files are reported before anything is sent")
    func unusable() async throws {
        let authority = try await Authority.make()
        let (open, other) = (try await authority.issue("open"), try await authority.issue("other"))
        let locked = try await authority.issue("locked", passphrase: "hunter2-hunter2")
        let box = try await authority.pkcs12(open, passphrase: "hunter3")
        let missing = authority.folder.file("missing")
        let cases: [(ClientCertificate, file: String, reason: String)] = [
            (.pem(certificate: missing, key: open.key, passphrase: nil), missing, "No such file"),
            (.pem(certificate: open.certificate, key: missing, passphrase: nil), missing, "No such file"),
            (.pem(certificate: open.key, key: open.key, passphrase: nil), open.key, "no PEM certificate"),
            (
                .pem(certificate: open.certificate, key: open.certificate, passphrase: nil), open.certificate,
                "no PEM private key"
            ),
            (.pem(certificate: open.certificate, key: other.key, passphrase: nil), other.key, "another certificate"),
            (
                .pem(certificate: locked.certificate, key: locked.key, passphrase: nil), locked.key,
                "specify its passphrase"
            ),
            (
                .pem(certificate: locked.certificate, key: locked.key, passphrase: Secret("wrong")), locked.key,
                "check the passphrase"
            ),
            (.pkcs12(path: missing, passphrase: nil), missing, "No such file"),
            (.pkcs12(path: open.key, passphrase: nil), open.key, "not a PKCS#12 file"),
            (.pkcs12(path: box, passphrase: Secret("wrong")), box, "the passphrase is wrong"),
            (.pkcs12(path: box, passphrase: nil), box, "the passphrase is wrong"),
        ]

        for (certificate, file, reason) in cases {
            let error = #expect(throws: TransportError.self) { try HTTPClient(configuration(authority, certificate)) }
            #expect(error?.code == .clientCertificate)
            #expect(
                error?.message.contains(file) == true && error?.message.contains(reason) == true,
                "\(String(describing: error))")
            #expect(error?.message.contains("hunter") == false)
        }
    }
}
