import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@Suite("Trust in a server's certificate", .serialized, .timeLimit(.minutes(20)))
struct TrustTests {
    private func send(_ server: Fixture, _ configuration: HTTPClient.Configuration) async throws -> ClientResponse {
        try await withClient(configuration) {
            try await $0.send(ClientRequest(url: server.url("/echo", scheme: "https")))
        }
    }

    private func problem(_ server: Fixture, _ configuration: HTTPClient.Configuration = .init()) async throws
        -> TransportError
    {
        try await failure(ClientRequest(url: server.url("/echo", scheme: "https")), configuration)
    }

    @Test("A configured authority is trusted, exclusively or in addition to the system's")
    func ownAuthority() async throws {
        let authority = try await Authority.make()
        let server = try await authority.server(try await authority.issue())

        #expect(try await send(server, .init(authorities: .only(pemFile: authority.own.certificate))).status == .ok)
        #expect(
            try await send(server, .init(authorities: .systemAnd(pemFile: authority.own.certificate))).status == .ok)
    }

    @Test("The system's authorities are trusted only if that is configured")
    func systemAuthorities() async throws {
        let (authority, other) = (try await Authority.make(), try await Authority.make("Other"))
        let server = try await authority.server(try await authority.issue())
        let url = server.url("/echo", scheme: "https")
        let (systems, own) = (authority.own.certificate, other.own.certificate)

        // The variable stands for the system's list; it is set in a process of its own.
        await #expect(processExitsWith: .success) {
            [url = url as String, systems = systems as String, own = own as String] in
            setenv("SSL_CERT_FILE", systems, 1)
            for authorities in [CertificateAuthorities.system, .systemAnd(pemFile: own)] {
                let response = try await withClient(.init(authorities: authorities)) {
                    try await $0.send(.init(url: url))
                }
                #expect(response.status == .ok)
            }
            let error = try await failure(ClientRequest(url: url), .init(authorities: .only(pemFile: own)))
            #expect(error.code == .certificate(.unknownIssuer))
        }
    }

    @Test("An authority that is not configured is an unknown issuer")
    func unknownIssuer() async throws {
        let (authority, other) = (try await Authority.make(), try await Authority.make("Other"))
        let server = try await authority.server(try await authority.issue())

        for configuration in [HTTPClient.Configuration(), .init(authorities: .only(pemFile: other.own.certificate))] {
            let error = try await problem(server, configuration)
            #expect(error.code == .certificate(.unknownIssuer))
            #expect(error.message.contains("https://127.0.0.1:\(server.port)"))
        }
    }

    @Test("Expired, not yet valid, another name and self-signed are different errors")
    func reasons() async throws {
        let authority = try await Authority.make()
        let trusting = HTTPClient.Configuration(authorities: .only(pemFile: authority.own.certificate))
        let cases: [(Authority.Pair, CertificateProblem)] = [
            (try await authority.issue(from: "20200101000000Z", to: "20200201000000Z"), .expired),
            (try await authority.issue(from: "20900101000000Z", to: "20910101000000Z"), .notYetValid),
            (try await authority.issue(for: "DNS:other.example"), .wrongName),
            (try await authority.selfSigned(), .selfSigned),
        ]

        for (pair, expected) in cases {
            let error = try await problem(try await authority.server(pair), trusting)
            #expect(error.code == .certificate(expected))
            #expect(error.code.certificateProblem == expected)
        }
    }

    @Test("A pin accepts its certificate, even if that is otherwise invalid")
    func pinned() async throws {
        let authority = try await Authority.make()
        let pairs = [
            try await authority.selfSigned("other.example"),
            try await authority.issue(for: "DNS:other.example", from: "20200101000000Z", to: "20200201000000Z"),
        ]

        for pair in pairs {
            let server = try await authority.server(pair)
            let pin = try #require(CertificateFingerprint(try await authority.fingerprint(pair.certificate)))
            #expect(try await send(server, .init(pinnedCertificate: pin)).status == .ok)
        }
    }

    @Test("A pin refuses every other certificate, even a trusted one", arguments: ["1.2", "1.3"])
    func pinMismatch(_ version: String) async throws {
        let authority = try await Authority.make()
        let (pair, other) = (try await authority.issue(), try await authority.issue())
        let server = try await authority.server(pair, ["--newest-tls", version])
        let pin = try #require(CertificateFingerprint(try await authority.fingerprint(other.certificate)))

        let error = try await problem(
            server, .init(authorities: .only(pemFile: authority.own.certificate), pinnedCertificate: pin))

        #expect(error.code == .certificate(.pinMismatch))
    }

    @Test("The presented certificate is returned without trusting it, and no request is sent")
    func presented() async throws {
        let authority = try await Authority.make()
        let pair = try await authority.issue(
            "photos", for: "DNS:photos.example,DNS:*.photos.example,IP:127.0.0.1,IP:::1", from: "20200101000000Z",
            to: "20200201000000Z")
        let server = try await authority.server(pair)

        let shown = try await withClient(.init(extraHeaders: ["X-Extra": "e"])) {
            try await $0.presentedCertificate(at: server.url("/", scheme: "https"))
        }

        #expect(shown.subject == "CN=photos" && shown.issuer == "CN=Test Authority" && !shown.isSelfSigned)
        #expect(shown.dnsNames == ["photos.example", "*.photos.example"] && shown.ipAddresses == ["127.0.0.1", "::1"])
        #expect(shown.notBefore == Date(timeIntervalSince1970: 1_577_836_800))
        #expect(shown.notAfter == Date(timeIntervalSince1970: 1_580_515_200))
        let expected = try await authority.fingerprint(pair.certificate)
        #expect("\(shown.fingerprint)" == expected)
        #expect(await server.line("") == "open 1")
        #expect(await server.line("") == "closed 1")
    }

    @Test(
        "The presented certificate can be pinned, also if a client certificate is required",
        arguments: ["1.2", "1.3"])
    func presentedThenPinned(_ version: String) async throws {
        let authority = try await Authority.make()
        let member = try await authority.issue("member", for: "email:m@example.com")
        let server = try await authority.server(
            try await authority.selfSigned(),
            ["--client-authority", authority.own.certificate, "--newest-tls", version])

        let shown = try await withClient { try await $0.presentedCertificate(at: server.url(scheme: "https")) }
        let response = try await send(
            server,
            .init(
                pinnedCertificate: shown.fingerprint,
                clientCertificate: .pem(certificate: member.certificate, key: member.key, passphrase: nil)))

        #expect(shown.isSelfSigned && response.status == .ok)
    }

    @Test("Fetching a certificate has the same errors as sending")
    func presentedFailures() async throws {
        let plain = try await Fixture.server(["--silent"])

        try await withClient { client in
            for (url, code) in [
                ("http://127.0.0.1:1/", TransportError.Code.invalidAddress), ("https://127.0.0.1:1/", .refused),
                ("https://nowhere.invalid/", .nameNotFound), (plain.url("/", scheme: "https"), .timedOut),
            ] {
                let error = await #expect(throws: TransportError.self) {
                    try await client.presentedCertificate(
                        at: url, timeout: code == .timedOut ? .milliseconds(200) : SuccessTimeout.duration)
                }
                #expect(error?.code == code)
            }
        }
    }

    @Test("https to a plain HTTP server is reported as such")
    func plainServer() async throws {
        let server = try await Fixture.server(["--greeting", "HTTP/1.1 400 Bad Request\r\n\r\n"])

        let error = try await problem(server)

        #expect(error.code == .tls && error.message.contains("'http://'"))
    }

    @Test("A missing or empty file of authorities is reported before anything is sent")
    func badFiles() async throws {
        let folder = try TemporaryDirectory()
        let empty = try folder.write("nothing", to: "empty.pem")

        for path in [folder.file("missing.pem"), empty] {
            let error = #expect(throws: TransportError.self) {
                try HTTPClient(.init(authorities: .only(pemFile: path)))
            }
            #expect(error?.code == .file && error?.message.contains(path) == true)
        }
    }
}
