import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPServer
@testable import LatchGateway

/// What an unauthenticated client can make the server keep in memory.
@Suite("Large bodies", .blocking, .timeLimit(.minutes(20)))
struct LargeBodyTests {
    @Test("every route that accepts more than an unauthenticated client may send has an admission check")
    func everyRoute() async throws {
        try await EveryRoute.with { fixture in
            let limits = fixture.gateway.router.bodyLimits
            #expect(limits.count > 100)
            for (route, bytes, hasAdmission) in limits where bytes > DialectRouter.largestUnknownBody {
                #expect(hasAdmission, "\(route.method) \(route.pattern) takes \(bytes) bytes")
            }
            let large = limits.filter { $0.maximumBytes > DialectRouter.largestUnknownBody }.map(\.route.pattern)
            #expect(Set(large) == ["/im/search/metadata", "/im/download/info", "/im/download/archive"])
        }
    }

    @Test("a client that is not signed in is refused in the dialect's format before the body is received")
    func refused() async throws {
        try await EveryRoute.with { fixture in
            let large = fixture.gateway.router.bodyLimits.filter { $0.maximumBytes > DialectRouter.largestUnknownBody }
            for token in [nil, "nobody's"] {
                for (route, bytes, _) in large {
                    let socket = try RawSocket(port: fixture.port)
                    let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
                    try socket.write(
                        "\(route.method) \(route.pattern) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                            + "X-Correlation-ID: mine\r\n\(bearer)Content-Length: \(bytes)\r\n\r\n{\"assetIds\":[")
                    let text = try await BackgroundThread.run { Result { try socket.readToEnd() } }.get()
                    let answers = RawResponse.all(in: Array(text.utf8))
                    #expect(answers.map(\.status) == [401], "\(route.pattern)")
                    #expect(text.contains(#""message":"#) && text.contains("X-Correlation-ID: mine\r\n"))
                    #expect(text.contains("WWW-Authenticate: Bearer\r\n"))
                }
            }
        }
    }

    @Test("a signed-in client can send as much as the route accepts, and not a byte more")
    func admitted() async throws {
        try await EveryRoute.with { fixture in
            let token = try await fixture.token()
            let start = #"{"assetIds":["#
            for (extra, status) in [(0, 400), (1, 413)] {
                let fill = String(repeating: " ", count: (1 << 20) + extra - start.utf8.count)
                let response = try await fixture.http.send(
                    "POST", "/im/download/info",
                    headers: GatewayFixture.bearer(token) + [("Content-Type", "application/json")], body: start + fill)
                #expect(response.status == status)
            }
        }
    }

    @Test("an address that sent too many unreadable bodies is refused by all other dialects before its body is parsed")
    func limitedEverywhere() async throws {
        try await EveryRoute.with {
            $0.requestRates.address = .perMinute(3)
        } _: { fixture in
            let json = [("Content-Type", "application/json")]
            for _ in 0..<3 { _ = try await fixture.http.send("POST", "/api/auth/register", headers: json, body: "[") }
            // The authorization server counts bodies itself, so that its clients are not refused because of others.
            let routes = fixture.gateway.router.bodyLimits.filter {
                $0.route.method != .get && !$0.route.pattern.hasPrefix("/oauth2/")
            }
            #expect(routes.count > 50)
            for (route, _, hasAdmission) in routes {
                let path = route.pattern.replacing("{}", with: "3f2504e0-4f89-41d3-9a0c-0305e82c3301").replacing(
                    "{*}", with: "x")
                let response = try await fixture.http.send(route.method.rawValue, path, headers: json, body: "[")
                // Routes with an admission check refuse an unknown caller on the head.
                #expect(
                    response.status == (hasAdmission ? 401 : 429), "\(route.method) \(route.pattern): \(response.text)")
            }
        }
    }

    @Test("OX-1 wrong passwords do not count as unreadable bodies")
    func wrongPasswords() async throws {
        try await EveryRoute.with {
            $0.requestRates.address = .perMinute(3)
        } _: { fixture in
            for _ in 0..<5 {
                let status = try await fixture.login(password: "not the password 1").status
                #expect(status == 400)
            }
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test("an address that sends too many unreadable bodies is refused, except for signed-in clients")
    func unreadable() async throws {
        for path in ["/api/auth/register", "/im/auth/login", "/im/oauth/backchannel-logout"] {
            try await EveryRoute.with {
                $0.requestRates.address = .perMinute(3)
            } _: { fixture in
                let token = try await fixture.token()
                let json = [("Content-Type", "application/json")]
                let me = try await fixture.me(token)
                #expect(me.status == 200)
                for _ in 0..<3 {
                    let status = try await fixture.http.send("POST", path, headers: json, body: "[").status
                    #expect([400, 422].contains(status), "\(path)")
                }
                let response = try await fixture.http.send("POST", path, headers: json, body: "[")
                #expect(response.status == 429, "\(path)")
                #expect(response.headers["Retry-After"] != nil, "\(path)")
                #expect(try await fixture.login().status == 429)
                let signedIn = try await fixture.http.send(
                    "POST", "/im/search/metadata", headers: json + GatewayFixture.bearer(token), body: "{}")
                #expect(signedIn.status == 200)
                fixture.clock.advance(60)
                #expect(try await fixture.login().status == 200)
            }
        }
    }
}
