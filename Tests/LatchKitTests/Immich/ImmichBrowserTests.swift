import Foundation
import HTTPClient
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import LatchKit

/// Sign-in with the browser at servers of every generation; the identity provider signs in at once.
@Suite(.timeLimit(.minutes(20))) struct ImmichBrowserTests {
    private func signIn(
        _ fixture: ImmichFixture, _ callback: CallbackMethod = .automatic, _ change: (String) -> String = { $0 }
    ) async throws -> Account {
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let person = BrowserPerson(home: fixture.home)
        async let signedIn = latch.signIn(person.signIn(callback), to: server)
        let address = await person.address()
        if !address.isEmpty { try person.open(change(try await person.link(from: address))) }
        return try await signedIn
    }

    @Test(
        "IM-7 the browser signs in with the client's state or with one that the server creates",
        arguments: ImmichGeneration.all)
    func generations(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let account = try await signIn(fixture)
        #expect(account.userEmail == "ada@example.org" && account.displayName == "Ada")

        let asked = try #require(fixture.asked("/api/oauth/authorize").first?.json)
        #expect(asked["redirectUri"]?.string == "app.immich:///oauth-callback")
        let own = try #require(asked["state"]?.string)
        #expect(own.utf8.count >= 32)
        let posted = try #require(fixture.asked("/api/oauth/callback").first?.json)
        let verifier = try #require(posted["codeVerifier"]?.string.flatMap(PKCE.Verifier.init))
        #expect((43...128).contains(verifier.secret.count))
        #expect(verifier.challenge.text == asked["codeChallenge"]?.string)
        #expect(posted["state"]?.string == (generation.takesState ? own : "made-by-the-server-1"))
        #expect(posted["url"]?.string?.hasPrefix("app.immich:///oauth-callback?code=") == true)
        #expect(try fixture.home.files(holding: verifier.secret.reveal()).isEmpty)
    }

    @Test("IM-7 IM-16 a sign-in page without encryption is refused at a server with encryption, before a browser opens")
    func unencryptedPage() async throws {
        let fixture = try ImmichFixture()
        let folder = try TemporaryDirectory()
        let front = try await TLSFront(to: UInt16(fixture.wire.port), in: folder)
        fixture.immich.intercept { request in
            guard request.path.hasPrefix("/api/oauth/authorize") else { return nil }
            let state = request.json?["state"]?.string ?? ""
            return .json(#"{"url":"http://idp.example/authorize?state=\#(state)"}"#, 201)
        }
        let latch = try await fixture.home.open()
        let address = try ServerAddress("https://127.0.0.1:\(front.port)")
        let shown = try #require(try await latch.probe(address).presentedCertificate)
        let connection = ConnectionOptions(pinnedCertificate: shown.fingerprint)
        let server = try await latch.probe(address, connection: connection).requireServer()
        let person = BrowserPerson(home: fixture.home)

        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(person.signIn(.automatic), to: server)
        }

        #expect(error?.code == .providerUntrusted)
        #expect(error?.message.hasPrefix("OAuth login failed: ") == true)
        #expect(
            error?.message.contains("http://idp.example") == true && error?.message.contains("https address") == true)
        #expect(try await latch.accounts.accounts().isEmpty)
    }

    @Test(
        "RFC 9700 §2.6 a sign-in page has encryption, or is on this machine, or belongs to a server without it",
        arguments: [
            ("https://photos.example", "https://idp.example/a?b#c", true),
            ("https://photos.example", "HTTPS://idp.example", true),
            ("https://photos.example", "http://idp.example/a", false),
            ("https://photos.example", "http://127.0.0.1:9000/a?x=http://idp.example", true),
            ("https://photos.example", "http://localhost.idp.example", false),
            ("https://photos.example", "http://127.0.0.1\\@idp.example/", false),
            ("https://photos.example", "http://localhost@idp.example/", false),
            ("http://photos.example", "http://idp.example/a", true),
        ])
    func encryption(server: String, page: String, isAccepted: Bool) throws {
        let server = try ServerAddress(server)
        let error = Result { () throws(LatchError) in try BrowserSignIn.requireEncryption(of: page, from: server) }
        #expect((try? error.get()) != nil || !isAccepted)
        #expect((try? error.get()) == nil || isAccepted)
    }

    @Test("IM-7 a link with one slash instead of three is accepted, and posted with three")
    func oneSlash() async throws {
        let fixture = try ImmichFixture()
        _ = try await signIn(fixture) { $0.replacing("app.immich:///", with: "app.immich:/") }
        let posted = try #require(fixture.asked("/api/oauth/callback").first?.json)
        #expect(posted["url"]?.string?.hasPrefix("app.immich:///oauth-callback?") == true)
    }

    @Test("IM-7 a pasted link with one slash is accepted")
    func pasted() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let person = BrowserPerson(home: fixture.home)
        let links = AsyncStream.makeStream(of: String.self)
        async let signedIn = latch.signIn(
            person.signIn(promptForCallback: {
                for await link in links.stream { return link }
                return nil
            }), to: server)
        let link = try await person.link(from: await person.address())
        links.continuation.yield(link.replacing("app.immich:///", with: "app.immich:/"))
        #expect(try await signedIn.isSignedIn)
    }

    @Test(
        "IM-7 IM-16 errors with a provider are reported clearly", arguments: [ImmichGeneration(1, 131, 3), .newest])
    func failures(_ generation: ImmichGeneration) async throws {
        for (path, response, code, says) in [
            (
                "/api/oauth/authorize", generation.error(400, "OAuth is not enabled"),
                LatchError.Code.browserLoginDisabled,
                "does not support sign-in with the browser"
            ),
            (
                "/api/oauth/authorize", generation.error(500, "Failed to start oauth"), .serverError,
                "cannot reach its identity provider"
            ),
            (
                "/api/oauth/authorize", generation.invalid("redirectUri", "is not allowed"), .serverRefused,
                "is not allowed"
            ),
            ("/api/oauth/authorize", .json(#"{"url":"file:///etc/passwd"}"#, 201), .interceptedResponse, "no address"),
            (
                "/api/oauth/authorize", .json(#"{"url":"https://idp.example.org/?x=1"}"#, 201), .interceptedResponse,
                "contains no state"
            ),
            ("/api/oauth/callback", generation.error(500, "Failed to finish oauth"), .codeRefused, "could not finish"),
            (
                "/api/oauth/callback", generation.error(400, "OAuth authentication failed"), .codeRefused,
                "could not finish"
            ),
            (
                "/api/oauth/callback", generation.error(400, "OAuth profile does not have an email address"),
                .serverRefused, "does not have an email address"
            ),
        ] {
            let fixture = try ImmichFixture(generation)
            let latch = try await fixture.home.open()
            let server = try await fixture.server(latch)
            fixture.immich.intercept { $0.path == path ? response : nil }
            let person = BrowserPerson(home: fixture.home)
            let signingIn = Task { try await latch.signIn(person.signIn(), to: server) }
            if path.hasSuffix("callback") { try person.open(try await person.link(from: await person.address())) }
            let error = try await #require(throws: LatchError.self) { try await signingIn.cancellableValue }
            #expect(error.code == code && error.message.contains(says), "\(error)")
            #expect(try await latch.accounts.accounts().isEmpty)
            await latch.close()
        }
    }

    @Test("IM-7 a server that replaces the client's state is refused")
    func otherState() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            request.path == "/api/oauth/authorize" ? .json(#"{"url":"http://127.0.0.1/idp?state=theirs"}"#, 201) : nil
        }
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let error = try await #require(throws: LatchError.self) {
            try await latch.signIn(BrowserPerson(home: fixture.home).signIn(), to: server)
        }
        #expect(error.code == .interceptedResponse && error.message.contains("replaced this sign-in's state"))
    }

    @Test("IM-7 the specification's GET is used only if there is no POST", arguments: [404, 405])
    func legacy(_ status: Int) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            guard request.path.hasPrefix("/api/oauth/authorize") else { return nil }
            if request.method == "POST" { return ImmichGeneration.newest.error(status, "no") }
            let query = FormURLEncoded.encode([
                ("state", request.query["state"] ?? ""), ("code_challenge", request.query["code_challenge"] ?? ""),
            ])
            return .json(#"{"url":"http://\#(request.headers["Host"] ?? "")/idp?\#(query)"}"#)
        }
        #expect(try await signIn(fixture).isSignedIn)
        let asked = try #require(fixture.asked("/api/oauth/authorize").last)
        #expect(asked.query["code_challenge_method"] == "S256")
    }

    @Test("IM-7 the redirect uses the custom scheme for a real server, and a port for a gateway that allows it")
    func loopback() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let dialect = try #require(server.dialect as? any BrowserDialect)
        let connection = UnauthenticatedConnection(
            to: server.address, client: try HTTPClient(), device: Device())
        #expect(try await !dialect.allowsLoopback(at: server, connection))
        let issuer = fixture.address.url + "/api"
        fixture.immich.intercept { request in
            request.path == "/.well-known/latchd/api"
                ? .json(#"{"issuer":"\#(issuer)","loopback_redirects_supported":true}"#) : nil
        }
        #expect(try await dialect.allowsLoopback(at: server, connection))
        #expect(BrowserSignIn.callbackSchemes.contains("app.immich"))
    }
}
