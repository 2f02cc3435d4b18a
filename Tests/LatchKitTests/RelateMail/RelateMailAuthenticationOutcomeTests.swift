import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// What an answer says about a key, and what releases of the server do otherwise.
@Suite(.timeLimit(.minutes(20))) struct RelateMailAuthenticationOutcomeTests {
    private static func response(
        _ status: Int, _ body: String = "", _ type: String? = nil, _ headers: HTTPHeaders = [:]
    ) -> ClientResponse {
        var headers = headers
        if let type { headers.append("Content-Type", type) }
        return ClientResponse(status: HTTPStatus(rawValue: status), headers: headers, body: Array(body.utf8))
    }

    @Test("Only 401 concerns the key, and inconclusively; 403, 404 and 400 never end a session")
    func verdicts() throws {
        let server = try ServerAddress("https://mail.example.org")
        let dialect = RelateMailDialect()
        let judge = { dialect.authenticationOutcome(of: $0, to: "/api/external/emails", at: server) }
        for rejected in [
            Self.response(401), Self.response(401, "", nil, ["WWW-Authenticate": "Bearer error=\"invalid_token\""]),
            Self.response(401, #"{"error":"no"}"#, "application/json"),
        ] {
            guard case .rejected(let rejection) = judge(rejected) else {
                Issue.record("no rejection")
                continue
            }
            #expect(!rejection.isConclusive)
        }
        for status in [200, 204, 400, 403, 404, 405] { #expect(judge(Self.response(status)) == .authenticated) }
        for status in [408, 429, 500, 502, 503] { #expect(judge(Self.response(status)) == .failing) }
        for response in [
            Self.response(200, "<!doctype html>", "text/html"),
            Self.response(401, "", nil, ["WWW-Authenticate": "Basic"]),
            Self.response(302, "", nil, ["Location": "https://sso.example.org/"]), Self.response(511),
            Self.response(400, "<h2>Bad Request - Invalid Hostname</h2>", "text/html"),
            Self.response(307, "", nil, ["Location": "https://other.example.org/api"]),
        ] {
            guard case .intercepted = judge(response) else {
                Issue.record("\(response.status) counts as the server's own")
                continue
            }
        }
    }

    @Test("The three error formats give a message, and no body is shown unchanged")
    func errorMessages() {
        let dialect = RelateMailDialect()
        let rows: [(String, String?)] = [
            (#"{"error":"Name is required"}"#, "Name is required"),
            (
                #"{"title":"Bad.","errors":{"B":["two"],"A":["one","more"]}}"#, "Bad. one more two"
            ), (#"{"title":"Not Found","status":404}"#, "Not Found"), ("", nil), ("<html>", nil), ("{}", nil),
        ]
        for (body, message) in rows { #expect(dialect.errorMessage(in: Self.response(400, body)) == message) }
    }

    @Test("A key that is revoked at the server ends the session if the server confirms it")
    func revoked() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        // A stranger's 401 for one address: the profile says otherwise.
        fixture.server.intercept { $0.path == "/api/labels" ? .init(status: 401, headers: [:]) : nil }
        let doubted = await #expect(throws: LatchError.self) { try await session.client.send(.get, "/api/labels") }
        #expect(doubted?.code == .interceptedResponse && session.state.isSignedIn)
        #expect(try await session.client.send(.get, "/api/external/emails").status == .ok)

        fixture.server.revokeAll()
        fixture.server.intercept(nil)
        let error = await #expect(throws: LatchError.self) { try await session.client.send(.get, "/api/labels") }
        #expect(error?.code == .sessionEnded)
        #expect(try await fixture.stored(account) == nil)
        await fixture.stop()
    }

    /// A release, what a key's question gives there, and whether the session stands.
    static let releases: [(name: String, release: RelateMailScript.Release, code: LatchError.Code?, words: String)] = [
        ("since 2026-02-06", .init(), nil, ""),
        ("before 4724bcd: Bearer is for tokens of the provider alone", .init(bearerTakesKeys: false), nil, ""),
        ("before 8b98d23: a good key ends in a fault", .init(keysCrash: true), .serverError, "before February 2026"),
        (
            "before cab3e52: and the fault is a page", .init(keysCrash: true, tellsFaults: false), .serverError,
            "before February 2026"
        ),
        ("a key that was made answers 201", .init(made: 201), nil, ""),
        ("without the app's page", .init(hasPages: false), nil, ""),
    ]

    @Test("RM-5 every release signs in, and errors of older ones are reported and end no session", arguments: releases)
    func release(
        _ row: (name: String, release: RelateMailScript.Release, code: LatchError.Code?, words: String)
    ) async throws {
        let fixture = try await RelateMailFixture(row.release)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        if let code = row.code {
            let error = await #expect(throws: LatchError.self) { try await session.identity() }
            #expect(error?.code == code && error?.message.contains(row.words) == true, "\(error?.message ?? "")")
        } else {
            #expect(try await session.identity().name == "Ada Lovelace")
        }
        #expect(session.state.isSignedIn)
        await fixture.stop()
    }

    @Test("429 without Retry-After means 60 seconds, and a redirect is never followed with the key")
    func limits() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.server.intercept { _ in .init(status: 429, headers: [:]) }
        let limited = await #expect(throws: LatchError.self) { try await session.identity() }
        #expect(limited?.code == .rateLimited && limited?.retryAfter == .seconds(60))

        let otherServer = try ScriptedServer { _ in .json("{}") }
        fixture.server.intercept { _ in
            .init(status: 307, headers: ["Location": "http://127.0.0.1:\(otherServer.port)/x"])
        }
        let moved = await #expect(throws: LatchError.self) { try await session.identity() }
        #expect(moved?.code == .interceptedResponse && otherServer.requests.isEmpty && session.state.isSignedIn)
        await fixture.stop()
    }

    @Test("Times are parsed with any number of fraction digits, with and without an offset")
    func times() {
        let base = Date(timeIntervalSince1970: 1_770_529_969)
        let rows: [(String, Date?)] = [
            ("2026-02-08T05:52:49Z", base), ("2026-02-08T05:52:49.5+00:00", base + 0.5),
            ("2026-02-08T06:52:49.1234567+01:00", base + 0.1234567), ("2026-02-08T05:52:49", base), ("", nil),
            ("yesterday", nil), ("2026-02-08", nil), (String(repeating: "9", count: 100), nil),
        ]
        for (text, date) in rows {
            let read = ServerTime.date(text)
            #expect((read == nil) == (date == nil), "\(text)")
            if let read, let date { #expect(abs(read.timeIntervalSince(date)) < 1e-6, "\(text)") }
        }
    }
}
