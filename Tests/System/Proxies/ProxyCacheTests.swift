import Foundation
import TestSupport
import Testing

/// The real nginx with the optional file that caches the gateway's positive answers for a second.
@Suite("Positive answers in the cache of nginx", .blocking, .inTurn, .timeLimit(.minutes(10)))
struct ProxyCacheTests {
    @Test("a cached answer counts only for the same method, host, path and credentials")
    func sameRequest() async throws {
        try await ProxyFixture.with(.cachingNginx) { fixture in
            let (token, other) = (try await fixture.token(), try await fixture.token())
            let bearer = "Authorization: Bearer \(token)"
            let cached = try #require(BackendView(try await fixture.untilCached("/photos", [bearer])))
            #expect(cached.values(like: "x-auth-email") == [SystemFixture.email])
            #expect(cached.values(like: "x-auth-session").count == 1 && cached.values(like: "authorization").isEmpty)
            // Each of these has an answer of its own, so the first one is never cached.
            let others: [(path: String, method: String, host: String, fields: [String])] = [
                ("/photos", "GET", "app.example.org", []), ("/photos?a", "GET", "app.example.org", [bearer]),
                ("/photos", "POST", "app.example.org", [bearer, "Content-Length: 0"]),
                ("/photos", "PUT", "app.example.org", ["Content-Length: 0"]),
                ("/photos", "GET", "app.example.org", ["Authorization: Bearer \(other)"]),
                ("/photos", "GET", "app.example.org", ["Authorization: Bearer \(token)x"]),
                ("/photos", "GET", "app.example.org", ["Cookie: __Host-latchd_session=\(token)"]),
                ("/photos", "GET", "app.example.org", ["Cookie: Bearer \(token)"]),
                ("/photos", "GET", "app.example.org", [bearer, "Cookie: a=b"]),
                ("/admin/x", "GET", "app.example.org", [bearer]), ("/photos", "GET", "second.example.org", [bearer]),
            ]
            for (path, method, host, fields) in others {
                _ = try await fixture.untilCached("/photos", [bearer])
                let response = try await fixture.ask(path, method: method, host: host, fields)
                #expect(response["x-cache"] != "HIT", "\(method) \(host)\(path) \(fields)")
            }
            let session = cached.values(like: "x-auth-session")
            let second = try await fixture.untilCached("/photos", ["Authorization: Bearer \(other)"])
            #expect(BackendView(second)?.values(like: "x-auth-session") != session)
        }
    }

    @Test("a cached answer counts only for the same client address and the same port of the server")
    func sameClient() async throws {
        try await ProxyFixture.with(.cachingNginx) { fixture in
            let bearer = ["Authorization: Bearer \(try await fixture.token())"]
            let (first, second) = ("127.9.8.6", "127.9.8.7")
            _ = try await fixture.untilCached("/photos", from: first, bearer)
            let other = try await fixture.ask("/photos", from: second, bearer)
            #expect(other.status == 200 && other["x-cache"] != "HIT")
            _ = try await fixture.untilCached("/photos", from: first, bearer)
            let port = try await fixture.ask("/photos", from: first, port: ProxyKind.Places.port + 1, bearer)
            #expect(port.status == 200 && port["x-cache"] != "HIT")
        }
    }

    @Test("an answer to a request that only reads does not admit a WebSocket of a page of another origin")
    func otherOrigin() async throws {
        try await ProxyFixture.with(.cachingNginx) { fixture in
            let cookie = "Cookie: __Host-latchd_session=\(try await fixture.token())"
            for fields in [["Origin: http://evil.example.org"], ["Origin: null", "Sec-Fetch-Site: same-site"]] {
                let reading = [cookie] + fields
                for handshake in [
                    ["Upgrade: websocket", "Connection: Upgrade"], ["Sec-WebSocket-Version: 13"],
                    ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="],
                ] {
                    _ = try await fixture.untilCached("/photos", reading)
                    #expect(try await fixture.ask("/photos", reading + handshake).status == 403, "\(fields)")
                }
            }
            let own = [cookie, "Sec-WebSocket-Version: 13"]
            _ = try await fixture.untilCached("/photos", own)
            let foreign = try await fixture.ask("/photos", own + ["Origin: http://evil.example.org"])
            #expect(foreign.status == 403)
            let reported = try await fixture.ask("/photos", own + ["Sec-Fetch-Site: same-site"])
            #expect(reported.status == 403)
        }
    }

    @Test("a refusal is never cached, and a session that ends is refused within seconds for good")
    func refusals() async throws {
        try await ProxyFixture.with(.cachingNginx) { fixture in
            let token = try await fixture.token()
            let bearer = ["Authorization: Bearer \(token)"]
            let refused = [
                ("/photos", [], 401), ("/admin/x", bearer, 403), ("/photos", ["Authorization: Bearer x"], 401),
            ]
            for (path, fields, status) in refused {
                for _ in 1...3 {
                    let response = try await fixture.ask(path, fields)
                    #expect(response.status == status && response["x-cache"] != "HIT", "\(path)")
                }
            }
            _ = try await fixture.untilCached("/photos", bearer)
            _ = try await fixture.signOut(token)
            try await fixture.untilRefused("/photos", bearer)
            for _ in 1...3 { #expect(try await fixture.ask("/photos", bearer).status == 401) }
        }
    }

    @Test("fields by which the gateway refuses a request count beside a cached answer")
    func contradictions() async throws {
        try await ProxyFixture.with(.cachingNginx) { fixture in
            let bearer = "Authorization: Bearer \(try await fixture.token())"
            let names = ["X-Original-URL", "X-Original-URI", "X-Rewrite-URL", "X-Original-Method"]
            for name in names {
                for value in ["/admin/x", "http://app.example.org/admin/x", "DELETE"] {
                    _ = try await fixture.untilCached("/photos", [bearer])
                    let response = try await fixture.ask("/photos", [bearer, "\(name): \(value)"])
                    #expect(response.status == 403 && response["x-cache"] != "HIT", "\(name): \(value)")
                }
            }
            let overrides = ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"]
            for name in names + overrides {
                _ = try await fixture.untilCached("/photos", [bearer])
                let single = try await fixture.ask("/photos", [bearer, "\(name): GET"])
                #expect(single["x-cache"] != "HIT", "\(name)")
                // A second value behind an empty one: the cache sees the first one only, so the backend gets no other.
                let two = try await fixture.ask("/photos", [bearer, "\(name):", "\(name): /admin/x"])
                #expect(BackendView(two)?.values(like: name.lowercased()).isEmpty ?? true, "\(name)")
            }
        }
    }

    @Test("a cached answer counts for no request with a destination")
    func destinations() async throws {
        try await ProxyFixture.with(.cachingNginx) { fixture in
            let fields = ["Authorization: Bearer \(try await fixture.token())"]
            for destination in ["/admin/x", "http://app.example.org/admin/x", "0", "http://evil.example/"] {
                _ = try await fixture.untilCached("/dav/x", method: "MOVE", fields)
                let response = try await fixture.ask(
                    "/dav/x", method: "MOVE", fields + ["Destination: \(destination)"])
                #expect(response.status == 403 && response["x-cache"] != "HIT", "\(destination)")
            }
            _ = try await fixture.untilCached("/dav/x", method: "MOVE", fields)
            let single = try await fixture.ask("/dav/x", method: "MOVE", fields + ["Destination: /dav/y"])
            #expect(single.status == 200 && single["x-cache"] != "HIT")
            // The answer is not kept for another destination either.
            let other = try await fixture.ask("/dav/x", method: "MOVE", fields + ["Destination: /admin/x"])
            #expect(other.status == 403)
            let two = try await fixture.ask(
                "/dav/x", method: "MOVE", fields + ["Destination:", "Destination: /admin/x"])
            #expect(BackendView(two)?.values(like: "destination").isEmpty ?? true)
        }
    }
}
