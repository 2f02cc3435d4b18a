import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@Suite("HTTP/2 with nginx", .serialized, .timeLimit(.minutes(20)))
struct HTTP2Tests {
    private func nginx(_ authority: Authority) async throws -> Fixture {
        let pair = try await authority.issue()
        return try await Fixture.start(
            "nginx.py", [authority.folder.path, pair.certificate, pair.key, authority.own.certificate])
    }

    @Test("HTTP/2 is negotiated, and one connection carries concurrent requests")
    func negotiated() async throws {
        let authority = try await Authority.make()
        let server = try await nginx(authority)

        try await withClient(.init(authorities: .only(pemFile: authority.own.certificate))) { client in
            let request = ClientRequest(url: server.url("/", scheme: "https"))
            let first = try await client.send(request)
            #expect(first.httpVersion == .http2 && first.status == .ok)
            let connections = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask { String(decoding: try await client.send(request).body, as: UTF8.self) }
                }
                return try await group.reduce(into: Set([String(decoding: first.body, as: UTF8.self)])) {
                    $0.insert($1)
                }
            }
            #expect(connections.count == 1)
        }
    }

    @Test("Cancelling resets the stream and keeps the connection for others")
    func cancelled() async throws {
        let authority = try await Authority.make()
        let server = try await nginx(authority)
        let folder = try TemporaryDirectory()
        let (pieces, piece) = AsyncStream.makeStream(of: Int.self)

        try await withClient(.init(authorities: .only(pemFile: authority.own.certificate))) { client in
            let before = try await client.send(ClientRequest(url: server.url("/", scheme: "https")))
            let slow = ClientRequest(url: server.url("/slow/file", scheme: "https"), timeout: nil)
            let task = Task {
                try await client.download(slow, to: folder.file("file")) { piece.yield($0.received) }
            }
            for await _ in pieces { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.cancellableValue }
            let after = try await client.send(ClientRequest(url: server.url("/", scheme: "https")))
            #expect(before.httpVersion == .http2 && before.body == after.body)
        }
    }

    @Test("A protected page can be loaded only with the client certificate")
    func clientCertificateRequired() async throws {
        let authority = try await Authority.make()
        let server = try await nginx(authority)
        let member = try await authority.issue("member", for: "email:m@example.com")
        let request = ClientRequest(url: server.url("/members", scheme: "https"))
        var configuration = HTTPClient.Configuration(authorities: .only(pemFile: authority.own.certificate))

        #expect(try await withClient(configuration) { try await $0.send(request) }.status == .forbidden)
        configuration.clientCertificate = .pem(certificate: member.certificate, key: member.key, passphrase: nil)
        #expect(try await withClient(configuration) { try await $0.send(request) }.body == Array("welcome".utf8))
    }

    @Test("http to a TLS port gets nginx's error response, and https works")
    func plainToSecure() async throws {
        let authority = try await Authority.make()
        let server = try await nginx(authority)

        #expect(try await withClient { try await $0.send(ClientRequest(url: server.url("/"))) }.status == .badRequest)
    }
}
