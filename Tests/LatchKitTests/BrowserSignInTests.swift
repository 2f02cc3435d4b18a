import Foundation
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import LatchKit

/// Sign-in with the browser against a server that follows docs/protocols/onyx.md.
@Suite(.timeLimit(.minutes(20))) struct BrowserSignInTests {
    static let authType =
        #"{"multi_tenant":false,"password_auth_enabled":false,"oauth_enabled":true,"sso_providers":[]}"#

    private let fixture: OnyxFixture
    private let person: BrowserPerson

    init() throws {
        fixture = try OnyxFixture()
        person = BrowserPerson(home: fixture.home)
        fixture.onyx.intercept(Self.answers())
    }

    /// The server's answers before the rules: how it signs in, and what a case adds.
    private static func answers(
        _ more: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response? = { _ in nil }
    ) -> @Sendable (ScriptedServer.Request) -> ScriptedServer.Response? {
        { request in
            if let response = more(request) { return response }
            if request.path == "/api/auth/type" { return .json(authType) }
            return request.path.hasPrefix("/.well-known/") ? .json(#"{"detail":"Not Found"}"#, 404) : nil
        }
    }

    private func server(_ latch: LatchClient) async throws -> Server {
        try await latch.probe(fixture.address).requireServer()
    }

    private var exchanges: [ScriptedServer.Request] {
        fixture.wire.requests.filter { $0.path == "/api/auth/mobile/sso/exchange" }
    }

    private var waitingSockets: [String] {
        fixture.home.folders.callbacks.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    }

    @Test("OX-9 OX-16 the browser signs in by the custom scheme; the verifier matches the challenge and is not stored")
    func scheme() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        #expect(!server.features.signsInWithPassword && server.features.signsInWithBrowser)

        async let signedIn = latch.signIn(person.signIn(), to: server)
        let address = await person.address()
        try person.open(await person.link(from: address))
        let account = try await signedIn

        #expect(account.userEmail == "ada@example.org" && account.displayName == "Ada" && account.isActive)
        #expect(try await latch.session(for: account).client.send(.get, "/api/me").status == .ok)
        let asked = try #require(fixture.wire.requests.first { $0.path.contains("/oauth/authorize?") })
        #expect(asked.path.hasPrefix("/api/auth/mobile/oauth/authorize?"))
        #expect(asked.query["mobile_redirect_uri"] == "onyx://auth/callback" && asked.query["provider"] == nil)
        #expect((asked.query["app_state"] ?? "").count >= 22)
        let body = try JSONValue(parsing: Array(try #require(exchanges.first).body.utf8))
        let verifier = try #require(body["code_verifier"]?.string.flatMap(PKCE.Verifier.init))
        #expect(verifier.challenge.text == asked.query["app_code_challenge"])
        #expect(!address.leaks(verifier.secret.reveal()))
        #expect(waitingSockets.isEmpty)
        for secret in [verifier.secret.reveal(), body["code"]?.string ?? ""] {
            #expect(try fixture.home.files(holding: secret).isEmpty)
        }
    }

    @Test("OX-2 OX-9 a server with the authorization path of the first design only is opened there")
    func firstDesign() async throws {
        let onyx = fixture.onyx
        fixture.onyx.intercept(
            Self.answers { request in
                if request.path.hasPrefix("/api/auth/mobile/oauth/") { return .json(#"{"detail":"Not Found"}"#, 404) }
                return request.path.hasPrefix("/api/auth/oauth/authorize?") ? onyx.authorize(request) : nil
            })
        let latch = try await fixture.home.open()
        let server = try await server(latch)

        async let signedIn = latch.signIn(person.signIn(), to: server)
        let address = await person.address()
        #expect(address.contains("/api/auth/oauth/authorize?redirect=true&mobile_redirect_uri="))
        try person.open(await person.link(from: address))
        #expect(try await signedIn.userEmail == "ada@example.org")
    }

    @Test("OX-9 if the server allows loopback, its redirect is received there; one request is accepted and gets a page")
    func loopback() async throws {
        fixture.onyx.intercept(Self.answers(metadata()))
        let latch = try await fixture.home.open()
        let server = try await server(latch)

        async let signedIn = latch.signIn(person.signIn(), to: server)
        let link = try await person.link(from: await person.address())
        let wrongState = try await person.visit(link.replacing("state=", with: "state=x"))
        let wrongPath = try await person.visit(link.replacing("/callback", with: "/favicon.ico"))
        let (status, page) = try await person.visit(link)
        let account = try await signedIn

        #expect(account.userEmail == "ada@example.org")
        #expect(link.firstMatch(of: #/^http://127\.0\.0\.1:\d+/callback\?code=/#) != nil)
        #expect(wrongState.status == "400" && wrongPath.status == "404" && exchanges.count == 1)
        #expect(status == "200" && page.contains("You signed in at ") && page.contains("no-store"))
        #expect(page.contains("default-src 'none'") && page.contains("Referrer-Policy: no-referrer"))
        #expect(try await person.visit(link).status == "")
    }

    @Test("OX-9 a page that the program shows ends at the custom scheme, even if the server allows loopback")
    func presenter() async throws {
        struct Person: BrowserPresenting {
            let person: BrowserPerson

            func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
                #expect(callback == "onyx://auth/callback" && !isEphemeral)
                return try await person.link(from: address)
            }
        }
        fixture.onyx.intercept(Self.answers(metadata()))
        let latch = try await fixture.home.open()
        let signIn = person.signIn(browser: .presenter(Person(person: person)))
        let account = try await latch.signIn(signIn, to: try await server(latch))
        #expect(account.userEmail == "ada@example.org")
    }

    private func metadata(
        issuer: String? = nil, allows: Bool = true, binds: Bool = false
    ) -> @Sendable (ScriptedServer.Request) -> ScriptedServer.Response? {
        let issuer = issuer ?? fixture.address.url + "/api"
        return { request in
            guard request.path == "/.well-known/latchd/api" else { return nil }
            let algorithms = binds ? #""ES256""# : ""
            return .json(
                #"""
                {"issuer":"\#(issuer)","loopback_redirects_supported":\#(allows),\#
                "dpop_signing_alg_values_supported":[\#(algorithms)]}
                """#)
        }
    }

    @Test("RFC 9449 the token of a gateway that supports it is bound to a key", arguments: [true, false])
    func bound(binds: Bool) async throws {
        fixture.onyx.intercept(Self.answers(metadata(binds: binds)))
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        async let signedIn = latch.signIn(person.signIn(), to: server)
        _ = try await person.visit(try await person.link(from: await person.address()))
        let account = try await signedIn
        let exchange = try #require(exchanges.first)
        #expect((exchange.headers["DPoP"] != nil) == binds)
        let entry = try #require(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        #expect((SessionTokens(stored: entry).proofKey != nil) == binds)
        await latch.close()
    }

    @Test("OX-9 if the server's metadata do not allow loopback or have another issuer, the custom scheme is used")
    func noLoopback() async throws {
        let latch = try await fixture.home.open()
        for metadata in [metadata(allows: false), metadata(issuer: "https://other.example.org/api")] {
            fixture.onyx.intercept(Self.answers(metadata))
            let server = try await server(latch)
            async let signedIn = latch.signIn(person.signIn(), to: server)
            let link = try await person.link(from: await person.address())
            #expect(link.hasPrefix("onyx://auth/callback?"))
            try person.open(link)
            _ = try await signedIn
        }
    }

    @Test("OX-9 an unexpected link changes nothing, and the correct one still signs in")
    func unsolicited() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        async let signedIn = latch.signIn(person.signIn(), to: server)
        let link = try await person.link(from: await person.address())
        let state = try #require(link.split(separator: "state=").last)

        let unexpectedLinks = [
            "onyx://auth/callback?code=stolen&state=other", "onyx://auth/callback?code=stolen", "onyx://auth/callback",
            "onyx://evil/callback?code=stolen&state=\(state)", "ONYX://auth/callback?code=stolen&state=\(state)",
            "onyx://auth/callback?code=stolen&state=\(state)&state=\(state)",
            "onyx://auth/callback?code=stolen&state=\(state)&pad=\(String(repeating: "x", count: 9_000))",
        ]
        for unexpected in unexpectedLinks {
            let error = #expect(throws: LatchError.self) { try person.open(unexpected) }
            #expect(error?.code == .noPendingSignIn && error?.message.contains("Nothing was changed") == true)
        }
        #expect(exchanges.isEmpty)

        try person.open(link)
        #expect(try await signedIn.userEmail == "ada@example.org")
        let late = #expect(throws: LatchError.self) { try person.open(link) }
        #expect(late?.code == .noPendingSignIn && exchanges.count == 1)
    }

    struct Refusal: Sendable {
        let link: String
        let code: LatchError.Code
        let words: String
    }

    static let refusals = [
        Refusal(
            link: "error=access_denied&error_description=Ada%20said%20no.&state=", code: .signInDenied,
            words: "denied in the browser (Ada said no)."),
        Refusal(link: "error=access_denied&state=", code: .signInDenied, words: "access_denied"),
        Refusal(link: "error=temporarily_unavailable&state=", code: .serverError, words: "Try again later"),
        Refusal(
            link: "error=invalid_scope&error_description=bad%1B%5B2J&state=", code: .serverRefused, words: "bad [2J"),
        Refusal(link: "code=a&code=b&state=", code: .callbackInvalid, words: "'code' twice"),
        Refusal(link: "code=a&error=access_denied&state=", code: .callbackInvalid, words: "neither"),
        Refusal(link: "code=&state=", code: .callbackInvalid, words: "neither"),
        Refusal(link: "code=invented&state=", code: .codeRefused, words: "Sign in again"),
    ]

    @Test(
        "OX-9 IM-16 an invalid callback is reported, and the sign-in fails",
        arguments: refusals
    )
    func refused(_ refusal: Refusal) async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        let signingIn = Task { try await latch.signIn(person.signIn(), to: server) }
        let link = try await person.link(from: await person.address())
        let state = try #require(link.split(separator: "state=").last)

        try person.open("onyx://auth/callback?" + refusal.link + state)

        let error = await #expect(throws: LatchError.self) { try await signingIn.cancellableValue }
        #expect(
            error?.code == refusal.code && error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasPrefix("OAuth login failed: ") == true, "\(error?.message ?? "")")
        #expect(try await latch.accounts.accounts().isEmpty && fixture.onyx.live.isEmpty)
    }

    @Test("OX-9 two concurrent sign-ins do not affect each other")
    func atOnce() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        let other = BrowserPerson(home: fixture.home)

        async let first = latch.signIn(person.signIn(), to: server)
        async let second = latch.signIn(other.signIn(), to: server)
        let links = (
            try await person.link(from: await person.address()), try await other.link(from: await other.address())
        )
        try other.open(links.1)
        try person.open(links.0)
        _ = try await (first, second)

        // Each code was redeemed with the verifier of its own sign-in: the server refuses any other.
        #expect(exchanges.count == 2 && links.0 != links.1)
        #expect(try await latch.accounts.accounts().count == 1)
    }

    @Test("OX-9 the sign-in waits for the person until its time-out")
    func waitsForPerson() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)

        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(person.signIn(timeout: .milliseconds(20)), to: server)
        }

        #expect(error?.code == .signInTimedOut && waitingSockets.isEmpty)
        #expect(error?.message.hasPrefix("OAuth login failed: ") == true)
    }

    @Test("OX-9 cancelling ends the wait and leaves nothing")
    func cancelled() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        let signingIn = Task {
            try await latch.signIn(
                person.signIn(browser: .command("sleep 100"), promptForCallback: Self.never), to: server)
        }
        _ = await person.address()
        signingIn.cancel()

        await #expect(throws: CancellationError.self) { try await signingIn.cancellableValue }
        #expect(waitingSockets.isEmpty && exchanges.isEmpty)
    }

    private static let never: @Sendable () async throws -> String? = {
        try await Task.sleep(for: .seconds(600))
        return nil
    }

    @Test("OX-9 the link can be pasted; a link of another sign-in is reported and requested again")
    func pasted() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        let lines = AsyncStream.makeStream(of: String.self)
        let signIn = person.signIn(promptForCallback: {
            for await line in lines.stream { return line }
            return nil
        })

        async let signedIn = latch.signIn(signIn, to: server)
        let link = try await person.link(from: await person.address())
        lines.continuation.yield("what?")
        lines.continuation.yield(link.replacing("state=", with: "state=x"))
        lines.continuation.yield(link)

        #expect(try await signedIn.userEmail == "ada@example.org")
        var events = person.otherEvents.stream.makeAsyncIterator()
        #expect(await events.next() == .unrecognizedLink)
        #expect(await events.next() == .unrecognizedLink)
    }

    @Test("OX-9 the complete address is passed to the configured browser command")
    func command() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        let folder = try TemporaryDirectory()
        let script = folder.file("a browser")
        // It stands for a browser: goes where it is sent, and shows what came in a file.
        try "#!/bin/sh\nprintf '%s %s' \"$1\" \"$2\" > '\(folder.file("seen"))'\n".write(
            toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)

        async let signedIn = latch.signIn(
            person.signIn(browser: .command("'\(script)' --new-window=%s 'last one'")), to: server)
        let address = await person.address()
        while (try? String(contentsOfFile: folder.file("seen"), encoding: .utf8)) != "--new-window=\(address) last one"
        {
            try Task.checkCancellation()
        }
        try person.open(await person.link(from: address))

        #expect(try await signedIn.isActive)
    }

    @Test("OX-9 a browser that cannot be opened is reported; a closed one ends the sign-in")
    func browsers() async throws {
        let latch = try await fixture.home.open()
        let server = try await server(latch)

        for command in ["false", "/nowhere/browser"] {
            async let signedIn = latch.signIn(person.signIn(browser: .command(command)), to: server)
            let link = try await person.link(from: await person.address())
            var events = person.otherEvents.stream.makeAsyncIterator()
            guard case .browserFailed(let reason) = await events.next() else { throw CancellationError() }
            #expect(reason.contains("'\(command)'"))
            try person.open(link)
            _ = try await signedIn
        }
        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(person.signIn(browser: .command("true", handOver: .zero)), to: server)
        }
        #expect(error?.code == .browserClosed)
    }

    @Test("OX-9 OX-8 a provider is requested by its id, and an unknown one is refused before the sign-in")
    func providers() async throws {
        fixture.onyx.intercept(
            Self.answers { request in
                guard request.path == "/api/auth/type" else { return nil }
                return .json(
                    """
                    {"multi_tenant":false,"password_auth_enabled":true,"oauth_enabled":false,"sso_providers":[
                    {"name":"keycloak","display_name":"The\\u001b house","provider_type":"oidc","authorize_url":"/x"}]}
                    """)
            })
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        #expect(server.features.signsInWithBrowser && server.features.providers.map(\.title) == ["The  house"])

        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(person.signIn(provider: "google"), to: server)
        }
        #expect(error?.code == .unknownProvider && error?.message.contains("keycloak") == true)
        async let signedIn = latch.signIn(person.signIn(provider: "keycloak"), to: server)
        try person.open(await person.link(from: await person.address()))
        _ = try await signedIn

        #expect(fixture.wire.requests.first { $0.path.contains("/oauth/authorize?") }?.query["provider"] == "keycloak")
    }

    @Test("OX-9 if the server does not identify the person, the token is revoked")
    func unidentifiedPerson() async throws {
        fixture.onyx.intercept(Self.answers { $0.path == "/api/me" ? .json("{}", 500) : nil })
        let latch = try await fixture.home.open()
        let server = try await server(latch)
        let signingIn = Task { try await latch.signIn(person.signIn(), to: server) }
        try person.open(await person.link(from: await person.address()))

        let error = await #expect(throws: LatchError.self) { try await signingIn.cancellableValue }

        #expect(error?.code == .identityUnknown && fixture.wire.count(OnyxFixture.logout) == 1)
        #expect(fixture.onyx.live.isEmpty)
    }

    @Test("OX-9 a server without browser sign-in is not opened in a browser")
    func withoutBrowserSignIn() async throws {
        fixture.onyx.intercept(nil)
        let latch = try await fixture.home.open()
        let server = try await server(latch)

        let error = await #expect(throws: LatchError.self) { try await latch.signIn(person.signIn(), to: server) }

        #expect(error?.code == .browserLoginDisabled)
    }
}
