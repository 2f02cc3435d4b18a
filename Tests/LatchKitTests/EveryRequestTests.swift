import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// Requests that only some servers and moments bring, to a server behind a door that lets in nobody without its client certificate, and whose
/// certificate only its own authority vouches for.
@Suite(.timeLimit(.minutes(20))) struct EveryRequestTests {
    private let fixture: OnyxFixture
    private let folder: TemporaryDirectory
    private let front: TLSFront
    private let address: ServerAddress
    private let options: ConnectionOptions

    init() async throws {
        fixture = try OnyxFixture()
        folder = try TemporaryDirectory()
        front = try await TLSFront(to: UInt16(fixture.wire.port), in: folder, asksForCertificate: true)
        address = try ServerAddress("https://127.0.0.1:\(front.port)")
        options = ConnectionOptions(
            authorities: .only(pemFile: front.certificate),
            clientCertificate: .pem(certificate: front.certificate, key: front.key, passphrase: nil),
            extraHeaders: ["X-Key": "open sesame"])
    }

    @Test("own authority, client certificate and extra headers are used by the request for metadata")
    func metadata() async throws {
        let latch = try await fixture.home.open()
        let person = BrowserPerson(home: fixture.home)
        fixture.onyx.intercept { request in
            guard request.path == "/api/auth/type" else { return nil }
            return .json(#"{"multi_tenant":false,"password_auth_enabled":true,"oauth_enabled":true}"#)
        }
        let server = try await latch.probe(address, connection: options).requireServer()

        async let signedIn = latch.signIn(person.signIn(), to: server)
        let shown = await person.address()
        let query = try #require(shown.firstIndex(of: "?"))
        // The browser has a certificate of its own; it comes by the door behind the door.
        try person.open(
            await person.link(
                from: "http://127.0.0.1:\(fixture.wire.port)/api/auth/mobile/oauth/authorize\(shown[query...])"))
        _ = try await signedIn

        let asked = fixture.wire.requests.filter { $0.path.hasPrefix("/.well-known/latchd") }
        #expect(!asked.isEmpty)
        for request in asked { #expect(request.headers["X-Key"] == "open sesame") }
    }

    @Test("a sign-out after a crash uses the same connection options")
    func signOutAfterCrash() async throws {
        let latch = try await fixture.home.open(stoppingAfter: .tokenWritten)
        let server = try await latch.probe(address, connection: options).requireServer()
        await #expect(throws: (any Error).self) {
            try await latch.signIn(
                PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server)
        }
        let before = fixture.wire.count(OnyxFixture.logout)
        await latch.close()

        _ = try await fixture.home.open()

        let signOuts = fixture.wire.requests.filter { $0.path == OnyxFixture.logout }
        #expect(signOuts.count > before)
        for request in signOuts { #expect(request.headers["X-Key"] == "open sesame") }
    }

    @Test("another host gets neither the header nor the certificate, and must have a publicly trusted certificate")
    func otherHosts() async throws {
        let client = try options.client(userAgent: "test", home: address)
        let line = UnauthenticatedConnection(to: address, client: client, device: Device())
        let bare = try ScriptedServer { _ in .json("{}") }

        let otherHost = DialectRequest(.get, "/x", base: try ServerAddress("http://localhost:\(bare.port)"))
        _ = try await line.send(otherHost)
        #expect(bare.requests.last?.headers["X-Key"] == nil)
        // The same host without encryption would show the header to everybody on the way.
        _ = try await line.send(DialectRequest(.get, "/y", base: try ServerAddress("http://127.0.0.1:\(bare.port)")))
        #expect(bare.requests.last?.headers["X-Key"] == nil)
        await client.close()

        let plain = try options.client(userAgent: "test", home: ServerAddress("http://127.0.0.1:\(bare.port)"))
        let other = UnauthenticatedConnection(
            to: try ServerAddress("http://127.0.0.1:\(bare.port)"), client: plain, device: Device())
        _ = try await other.send(DialectRequest(.get, "/z"))
        #expect(bare.requests.last?.headers["X-Key"] == "open sesame")
        await plain.close()
    }
}
