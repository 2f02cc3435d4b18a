import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@Suite("Redirects", .serialized, .timeLimit(.minutes(20)))
struct RedirectTests {
    private let secrets: HTTPHeaders = [
        "Authorization": "Bearer t", "Cookie": "c=1", "X-Api-Key": "k", "Accept": "application/json",
    ]

    private func redirect(_ status: Int, _ target: String) -> String {
        let escaped = target.map { "?&#%+".contains($0) ? "%" + String($0.asciiValue ?? 0, radix: 16) : String($0) }
        return "/redirect?status=\(status)&to=\(escaped.joined())"
    }

    @Test("A redirect is returned by default", arguments: [301, 302, 303, 307, 308])
    func notFollowed(_ status: Int) async throws {
        let server = try await Fixture.server()

        let response = try await withClient {
            try await $0.send(ClientRequest(url: server.url(redirect(status, "/echo"))))
        }

        #expect(response.status.rawValue == status && response.headers["Location"] == "/echo")
        #expect(response.body == Array("moved".utf8))
    }

    @Test("Within one origin credentials are sent, and the response has the final URL")
    func sameOrigin() async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(
            url: server.url(redirect(302, "echo?x=1#part")), headers: secrets, redirects: .follow(maximum: 3))

        let response = try await withClient(.init(extraHeaders: ["X-Extra": "e"])) { try await $0.send(request) }

        let seen = try Echo(response)
        #expect(response.url == server.url("/echo?x=1") && seen.target == "/echo?x=1")
        #expect(seen.header("authorization") == "Bearer t" && seen.header("cookie") == "c=1")
        #expect(seen.header("x-extra") == "e")
    }

    @Test("Another origin gets no credentials, and neither does a redirect back")
    func otherOrigin() async throws {
        let (first, second) = (try await Fixture.server(), try await Fixture.server())
        let back = second.url(redirect(302, first.url("/echo?back")))
        let configuration = HTTPClient.Configuration(extraHeaders: ["X-Extra": "e"])

        for target in [second.url("/echo"), back] {
            let request = ClientRequest(
                url: first.url(redirect(307, target)), headers: secrets, redirects: .follow(maximum: 3))
            let seen = try Echo(try await withClient(configuration) { try await $0.send(request) })
            for name in ["authorization", "cookie", "x-api-key", "x-extra"] { #expect(seen.header(name) == nil) }
            #expect(seen.header("accept") == "application/json")
        }
    }

    @Test(
        "The method follows RFC 9110 §15.4",
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
            (308, "POST", "POST"),
            (301, "PUT", "PUT"), (302, "PUT", "PUT"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (302, "GET", "GET"),
        ])
    func methods(_ status: Int, _ method: String, _ expected: String) async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(
            method: HTTPMethod(rawValue: method), url: server.url(redirect(status, "/echo")),
            headers: ["Content-Type": "text/plain"], body: Array("b".utf8), redirects: .follow(maximum: 1))

        let seen = try Echo(try await withClient { try await $0.send(request) })

        #expect(seen.method == expected && seen.body == (expected == "GET" ? (method == "GET" ? "b" : "") : "b"))
        #expect(seen.header("content-type") == (seen.body == "" ? nil : "text/plain"))
    }

    @Test("HEAD stays HEAD after 303")
    func head() async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(
            method: .head, url: server.url(redirect(303, "/bytes?bytes=3")), redirects: .follow(maximum: 1))

        _ = try await withClient { try await $0.send(request) }

        #expect(await server.line("request 1 HEAD /bytes") != nil)
    }

    @Test("A body is never sent to another origin", arguments: [307, 308])
    func bodyToOtherOrigin(_ status: Int) async throws {
        let (first, second) = (try await Fixture.server(), try await Fixture.server())
        let request = ClientRequest(
            method: .post, url: first.url(redirect(status, second.url("/echo"))), body: Array("password".utf8),
            redirects: .follow(maximum: 3))

        #expect(try await failure(request).code == .redirectRefused)
    }

    @Test("A redirect loop ends after the allowed number")
    func redirectLoop() async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(
            url: server.url(redirect(302, "/redirect?status=302&to=/echo")), redirects: .follow(maximum: 1))

        #expect(try await failure(request).code == .tooManyRedirects)
    }

    @Test(
        "Redirects to other schemes than http and https are not followed",
        arguments: ["onyx://callback?code=hunter2-hunter2", "file:///etc/passwd"])
    func otherScheme(_ target: String) async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(url: server.url(redirect(302, target)), redirects: .follow(maximum: 3))

        let error = try await failure(request)

        #expect(error.code == .redirectRefused && !error.message.leaks("hunter2-hunter2"))
    }

    @Test("Redirects from https to http are not followed")
    func downgrade() async throws {
        let authority = try await Authority.make()
        let server = try await authority.server(try await authority.issue())
        let plain = try await Fixture.server()
        let request = ClientRequest(
            url: server.url(redirect(302, plain.url("/echo")), scheme: "https"), redirects: .follow(maximum: 3))

        let error = try await failure(request, .init(authorities: .only(pemFile: authority.own.certificate)))

        #expect(error.code == .redirectRefused && error.message.contains("https to http"))
    }

    @Test("The client certificate is not sent to another origin, and the pin does not apply to it")
    func identity() async throws {
        let authority = try await Authority.make()
        let pair = try await authority.issue()
        let member = try await authority.issue("member", for: "email:m@example.com")
        let trusting = ["--client-authority", authority.own.certificate]
        let second = try await authority.server(pair, trusting)
        let first = try await authority.server(pair, trusting)
        let configuration = HTTPClient.Configuration(
            authorities: .only(pemFile: authority.own.certificate),
            clientCertificate: .pem(certificate: member.certificate, key: member.key, passphrase: nil))
        let away = ClientRequest(
            url: first.url(redirect(302, second.url("/echo", scheme: "https")), scheme: "https"),
            redirects: .follow(maximum: 1))
        let home = ClientRequest(
            url: first.url(redirect(302, "/echo"), scheme: "https"), redirects: .follow(maximum: 1))

        #expect(try Echo(try await withClient(configuration) { try await $0.send(home) }).client == "member")
        #expect(try await failure(away, configuration).code == .clientCertificate)

        let lone = try await authority.selfSigned()
        let (one, other) = (try await authority.server(lone), try await authority.server(lone))
        let pin = try #require(CertificateFingerprint(try await authority.fingerprint(lone.certificate)))
        let toOther = ClientRequest(
            url: one.url(redirect(302, other.url("/echo", scheme: "https")), scheme: "https"),
            redirects: .follow(maximum: 1))
        #expect(try await failure(toOther, .init(pinnedCertificate: pin)).code == .certificate(.selfSigned))
    }
}
