import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct TimeTrackerSignInTests {
    private func fixture(_ change: (inout TimeTrackerScript.Settings) -> Void = { _ in }) throws -> TimeTrackerFixture {
        var settings = TimeTrackerScript.Settings()
        change(&settings)
        return try TimeTrackerFixture(settings)
    }

    @Test(
        "TT-3 TT-4 TT-10 TT-13 a person signs in, at the root of a host and below /api",
        arguments: ["", "/api"])
    func completeSignIn(_ prefix: String) async throws {
        let fixture = try fixture { $0.prefix = prefix }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)

        #expect(account.userEmail == "ada@example.org" && account.displayName == "Ada Lovelace")
        #expect(account.dialect.rawValue == "timetracker" && account.details == ["prefix": prefix])
        let starts = fixture.wire.requests.filter { $0.path.contains("/auth/login") }.map(\.path)
        #expect(starts == [prefix + "/auth/login?redirect_uri=timetracker://oauth/callback"])
        let body = try #require(fixture.exchanges.first)
        #expect(body.members?.map(\.name).sorted() == ["code", "redirect_uri", "state"])
        #expect(body["redirect_uri"] == "timetracker://oauth/callback")
        #expect(body["state"]?.string?.hasSuffix("-of-the-server") == true)

        let again = try await fixture.home.open()
        let session = try again.session(for: try #require(try await again.accounts.activeAccount()))
        #expect(try await session.identity().id == "sub-7")
        #expect(try await session.client.send(.get, prefix + "/clients").status == .ok)
    }

    @Test("TT-3 the server's state is compared, and a link with another state changes nothing")
    func state() async throws {
        let fixture = try fixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        async let signedIn = latch.signIn(fixture.person.signIn(), to: server)
        let address = await fixture.person.address()
        let link = try await fixture.person.link(from: address)
        #expect(address.contains("/idp/authorize?") && address.contains("state=state-1-of-the-server"))

        let unexpectedLinks = [
            "timetracker://oauth/callback?code=stolen&state=state-2-of-the-server",
            "timetracker://oauth/callback?code=stolen",
            "timetracker://evil/callback?code=x&state=state-1-of-the-server",
            "timetracker://oauth/callback?code=x&state=state-1-of-the-server&state=state-1-of-the-server",
            "timetracker://oauth/callback?code=x&pad=\(String(repeating: "x", count: 8_192))&state=state-1-of-the-server",
            "timetracker://oauth/callback#code=x&state=state-1-of-the-server",
        ]
        for unexpected in unexpectedLinks {
            let error = #expect(throws: LatchError.self) { try fixture.person.open(unexpected) }
            #expect(error?.code == .noPendingSignIn)
        }
        #expect(fixture.exchanges.isEmpty)
        try fixture.person.open(link)
        #expect(try await signedIn.isActive)
    }

    @Test("TT-3 two concurrent sign-ins are distinguished by their states")
    func atOnce() async throws {
        let fixture = try fixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let other = BrowserPerson(home: fixture.home)
        async let first = latch.signIn(fixture.person.signIn(), to: server)
        async let second = latch.signIn(other.signIn(), to: server)
        let links = (
            try await fixture.person.link(from: await fixture.person.address()),
            try await other.link(from: await other.address())
        )
        try other.open(links.1)
        try fixture.person.open(links.0)
        _ = try await (first, second)
        #expect(fixture.exchanges.count == 2 && links.0 != links.1)
    }

    @Test(
        "TT-3 if the server sets a cookie, its start page is opened; a second such sign-in is refused")
    func stateInCookie() async throws {
        let fixture = try fixture { $0.setsCookie = true }
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let start = fixture.address.url + "/auth/login?redirect_uri=timetracker://oauth/callback"
        async let signedIn = latch.signIn(fixture.person.signIn(), to: server)
        #expect(await fixture.person.address() == start)

        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(BrowserPerson(home: fixture.home).signIn(), to: server)
        }
        #expect(error?.code == .callbackUnavailable)
        #expect(error?.message.contains("Another sign-in is already waiting") == true, "\(error?.message ?? "")")

        let provider = try await fixture.person.link(from: start)
        try fixture.person.open(await fixture.person.link(from: provider))
        #expect(try await signedIn.userEmail == "ada@example.org")
    }

    struct Start: Sendable {
        let response: ScriptedServer.Response
        let code: LatchError.Code
        let words: String
    }

    static let starts = [
        Start(
            response: .json(#"{"error":"Failed to initiate login"}"#, 500), code: .serverError,
            words: "cannot reach its identity provider (Failed to initiate login)"),
        Start(
            response: .json(#"{"error":"Not listed."}"#, 400), code: .serverRefused,
            words: "refused to begin a sign-in: Not listed."),
        Start(response: .json("{}", 429), code: .rateLimited, words: "Wait a minute"),
        Start(response: .page(403), code: .interceptedResponse, words: "the response is a web page"),
    ]

    @Test("TT-3 TT-9 a server that does not start a sign-in is reported, and no browser is opened", arguments: starts)
    func failedStart(_ start: Start) async throws {
        let fixture = try fixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        fixture.script.intercept { $0.path.contains("/auth/login") ? start.response : nil }
        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(fixture.person.signIn(browser: .command("/nowhere/browser")), to: server)
        }
        #expect(error?.code == start.code && error?.message.contains(start.words) == true, "\(error?.message ?? "")")
    }

    /// What a server may send the browser on to that is opened, and what is not: then the start itself is.
    static let targets: [(String, Bool)] = [
        ("https://id.example.org/a?redirect_uri=timetracker://oauth/callback&state=s", true),
        ("/auth/login?redirect_uri=timetracker%3A%2F%2Foauth%2Fcallback&state=s", true),
        ("https://id.example.org/a?redirect_uri=timetracker://oauth/callback", false),
        ("https://id.example.org/a?redirect_uri=timetracker://oauth/callback&state=s&state=s", false),
        ("https://id.example.org/a?redirect_uri=https://id.example.org&state=s", false),
        ("file:///etc/passwd?redirect_uri=timetracker://oauth/callback&state=s", false),
        ("--help?redirect_uri=timetracker://oauth/callback&state=s", false),
        ("//id.example.org/a?redirect_uri=timetracker://oauth/callback&state=s", false),
        ("javascript:x?redirect_uri=timetracker://oauth/callback&state=s", false),
        (
            "https://id.example.org/\(String(repeating: "x", count: 16_384))"
                + "?redirect_uri=timetracker://oauth/callback&state=s", false
        ),
    ]

    @Test(
        "TT-3 only a web address with this redirect and one state is opened instead of the start page",
        arguments: targets)
    func target(_ target: String, _ isOpened: Bool) throws {
        let response = ClientResponse(status: .found, headers: ["Location": target])
        let server = try ServerAddress("https://time.example.org")
        let start = TimeTrackerStart(response, from: server, redirect: "timetracker://oauth/callback")
        #expect((start != nil) == isOpened)
        #expect(start?.address == (target.hasPrefix("/") ? server.url + target : target) || !isOpened)
    }

    struct Refusal: Sendable {
        let status: Int
        let error: String
        let code: LatchError.Code
        let words: String
    }

    static let refusals = [
        Refusal(
            status: 400, error: "OIDC session not found or expired. Initiate login again.", code: .codeRefused,
            words: "Initiate login again). Sign in again."),
        Refusal(
            status: 500, error: "Failed to exchange token: invalid_grant (x)", code: .codeRefused,
            words: "invalid_grant"),
        Refusal(
            status: 500, error: "Failed to exchange token: Email not provided by OIDC provider", code: .serverError,
            words: "Email not provided by OIDC provider. Try again later."),
        Refusal(
            status: 400, error: "Missing required parameters: code", code: .serverRefused, words: "parameters: code."),
        Refusal(status: 403, error: "You are not invited.", code: .signInDenied, words: "You are not invited."),
        Refusal(status: 502, error: "bad\\u001b[2J", code: .serverError, words: "bad [2J. Try again later."),
        Refusal(status: 429, error: "slow", code: .rateLimited, words: "too many attempts"),
        Refusal(status: 200, error: "", code: .interceptedResponse, words: "an unexpected format"),
    ]

    @Test("TT-4 TT-9 every refusal of the exchange is reported with the server's message", arguments: refusals)
    func refused(_ refusal: Refusal) async throws {
        let fixture = try fixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        fixture.script.intercept {
            $0.path == "/auth/token" ? .json(#"{"error":"\#(refusal.error)"}"#, refusal.status) : nil
        }
        let signingIn = Task { try await latch.signIn(fixture.person.signIn(), to: server) }
        try fixture.person.open(await fixture.person.link(from: await fixture.person.address()))
        let error = await #expect(throws: LatchError.self) { try await signingIn.cancellableValue }
        #expect(
            error?.code == refusal.code && error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
        #expect(try await latch.accounts.accounts().isEmpty)
    }

    @Test("TT-9 an error in the callback is reported, unlike in the family's own app")
    func denied() async throws {
        let fixture = try fixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let signingIn = Task { try await latch.signIn(fixture.person.signIn(), to: server) }
        _ = await fixture.person.address()
        try fixture.person.open(
            "timetracker://oauth/callback?error=access_denied&error_description=Ada%20said%20no&state=state-1-of-the-server"
        )
        let error = await #expect(throws: LatchError.self) { try await signingIn.cancellableValue }
        #expect(error?.code == .signInDenied && error?.message.contains("Ada said no") == true)
        #expect(fixture.exchanges.isEmpty)
    }

    @Test("TT-4 an issuer in the callback is sent to the server, which may compare it")
    func issuer() async throws {
        let fixture = try fixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        async let signedIn = latch.signIn(fixture.person.signIn(), to: server)
        let link = try await fixture.person.link(from: await fixture.person.address())
        try fixture.person.open(link + "&iss=https%3A%2F%2Fid.example.org")
        _ = try await signedIn
        #expect(fixture.exchanges.first?["iss"] == "https://id.example.org")
    }

    @Test("TT-13 the token's expiry is that of the response, or otherwise that in the token", arguments: [true, false])
    func expiry(_ isTold: Bool) throws {
        let payload = Base64URL.encode(Array(#"{"iat":1000,"exp":2593000}"#.utf8))
        let token = "eyJhbGciOiJIUzI1NiJ9.\(payload).x"
        #expect(TimeTrackerToken.lifetime(of: token, expiresIn: isTold ? 60 : nil) == .seconds(isTold ? 60 : 2_592_000))
        for odd in ["", "a.b", "a.b.c", "a.\(Base64URL.encode(Array(#"{"iat":5,"exp":1e400}"#.utf8))).c"] {
            #expect(TimeTrackerToken.lifetime(of: odd, expiresIn: nil) == nil)
        }
    }

    @Test("TT-10 the address is configured by API_BASE_URL, and defaults to the local machine")
    func configuration() throws {
        #expect(try TimeTrackerDialect.address(in: [:]).url == "http://localhost:3001")
        #expect(try TimeTrackerDialect.address(in: ["API_BASE_URL": ""]).url == "http://localhost:3001")
        let configured = try TimeTrackerDialect.address(in: ["API_BASE_URL": "https://time.example.org/team/api"])
        #expect(configured.url == "https://time.example.org/team")
        #expect(try configured.url(of: "/api/clients") == "https://time.example.org/team/api/clients")
        #expect(throws: LatchError.self) { try TimeTrackerDialect.address(in: ["API_BASE_URL": "no address"]) }
    }
}
