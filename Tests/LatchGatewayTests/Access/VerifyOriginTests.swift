import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Requests that a page of another origin sends with the person's cookie.
@Suite("The origin of a request in forward authentication", .timeLimit(.minutes(20)))
struct VerifyOriginTests: AsksForwardAuth {
    private static let foreign = [
        "https://evil.example.org", "https://app.example.org.evil.example", "http://app.example.org",
        "https://evil.example", "http://other.example.org", "https://other.example.org:9000", "chrome-extension://abc",
        "https://app.example.org/", "https://user@app.example.org", "https://", "", "app.example.org",
    ]

    private static let known = [
        "https://app.example.org", "https://APP.example.org:443", "https://app.example.org:8443",
        "https://other.example.org", "https://id.example.org",
    ]

    private static let changes: [(method: String, fields: [(String, String)])] =
        ["POST", "PUT", "PATCH", "DELETE", "MKCOL", "MOVE", "REPORT"].map { ($0, []) } + [
            ("GET", [("Upgrade", "websocket")]), ("GET", [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]),
            ("GET", [("Sec-WebSocket-Version", "13")]),
        ]

    /// A gateway that shares its cookie with all hosts below `example.org`, of which rules name two.
    private func withSharedCookie(_ body: (GatewayFixture, String) async throws -> Void) async throws {
        func change(_ settings: inout GatewaySettings) {
            let other = AccessDraft(hosts: ["other.example.org"]).rule("other")
            settings.verify.rules.rules.append(other)
        }
        try await with(cookieDomain: "example.org", change: change) { fixture in
            try await fixture.addPerson()
            try await body(fixture, try await fixture.token())
        }
    }

    private static func cookie(_ token: String) -> (String, String) { ("Cookie", "__Secure-latchd_session=\(token)") }

    @Test("A page of an unknown host cannot change anything with the person's cookie, and pages of known hosts can")
    func origins() async throws {
        try await withSharedCookie { fixture, token in
            for (method, fields) in Self.changes {
                let request = fields + [Self.cookie(token)]
                // The second response comes from memory.
                for _ in 1...2 {
                    for origin in Self.foreign {
                        for query in ["", "?proxy=nginx"] {
                            let response = try await ask(
                                fixture, method: method, query: query, request + [("Origin", origin)])
                            #expect(response.status == 403, "\(method) \(fields) \(origin)")
                            #expect(response.text.contains("another origin"))
                        }
                    }
                    for origin in Self.known {
                        let response = try await ask(fixture, method: method, request + [("Origin", origin)])
                        #expect(response.status == 200, "\(method) \(fields) \(origin)")
                    }
                }
                let twice = request + [("Origin", Self.known[0]), ("Origin", Self.known[0])]
                #expect(try await ask(fixture, method: method, twice).status == 403)
            }
            for method in ["GET", "HEAD", "OPTIONS"] {
                let response = try await ask(
                    fixture, method: method, [Self.cookie(token), ("Origin", Self.foreign[0])])
                #expect(response.status == 200, "\(method)")
            }
        }
    }

    @Test("Without an origin, only a request that the browser reports as sent by another host or site is refused")
    func noOrigin() async throws {
        try await withSharedCookie { fixture, token in
            let rows: [(site: String?, status: Int)] = [
                (nil, 200), ("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403),
            ]
            for row in rows {
                for origin: [(String, String)] in [[], [("Origin", "null")]] {
                    let site = row.site.map { [("Sec-Fetch-Site", $0)] } ?? []
                    let fields: [(String, String)] = [Self.cookie(token)] + origin + site
                    let response = try await ask(fixture, method: "POST", fields)
                    #expect(response.status == row.status, "\(origin) \(site)")
                    #expect(try await ask(fixture, "/photos", fields).status == 200)
                }
            }
        }
    }

    @Test("Tokens and keys count from any origin, and at a public address the cookie identifies nobody")
    func otherCredentials() async throws {
        try await withSharedCookie { fixture, token in
            let foreign = [Self.cookie(token), ("Origin", Self.foreign[0])]
            #expect(try await ask(fixture, method: "POST", token: token, foreign).status == 200)
            #expect(try await ask(fixture, method: "POST", token: token, [("Origin", Self.foreign[0])]).status == 200)
            let invalid = try await ask(fixture, method: "POST", token: String(repeating: "x", count: 43), foreign)
            #expect(invalid.status == 401)
            let ada = try #require(try await fixture.gateway.stores.people.find(GatewayFixture.email))
            let key = try await fixture.gateway.stores.apiKeys.create(
                for: ada, name: "calendar", scopes: ["app"], maximum: 10
            ).key.reveal()
            let basic = "Basic " + Data("\(GatewayFixture.email):\(key)".utf8).base64EncodedString()
            let program = try await ask(fixture, "/dav/x", method: "PUT", foreign + [("Authorization", basic)])
            #expect(program.status == 200 && program.headers["X-Auth-Session"] == nil)
            let open = try await ask(fixture, "/health", method: "POST", foreign)
            #expect(open.status == 200 && open.headers["X-Auth-User"] == nil)
            // Without a cookie, the request is one of somebody who is not signed in.
            #expect(try await ask(fixture, method: "POST", [("Origin", Self.foreign[0])]).status == 401)
        }
    }
}
