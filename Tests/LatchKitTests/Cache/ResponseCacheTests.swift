import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// Answers that are kept, against a server that says how.
@Suite(.timeLimit(.minutes(20))) struct ResponseCacheTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    /// The server answers `/api/things` with these fields, and who asks in the body.
    private func serve(_ headers: HTTPHeaders, body: String = "one") {
        fixture.onyx.intercept { request in
            guard request.path == "/api/things" else { return nil }
            if let tag = headers["ETag"], request.headers["If-None-Match"] == tag {
                return ScriptedServer.Response(status: 304, headers: ["ETag": tag])
            }
            if let date = headers["Last-Modified"], request.headers["If-Modified-Since"] == date {
                return ScriptedServer.Response(status: 304, headers: [:])
            }
            return ScriptedServer.Response(headers: headers, body: "\(body) \(request.token ?? "")")
        }
    }

    private var asked: Int { fixture.wire.count("/api/things") }

    private func origin(_ response: CachedResponse) -> String {
        switch response.origin {
        case .server: "server"
        case .fresh: "fresh"
        case .revalidated: "revalidated"
        case .stale: "stale"
        }
    }

    private func reason(_ response: CachedResponse) -> LatchError? {
        if case .stale(let error) = response.origin { error } else { nil }
    }

    private func text(_ response: CachedResponse) -> String { String(decoding: response.response.body, as: UTF8.self) }

    @Test(
        "RFC 9111 a fresh response is returned without a request, and a stale one is revalidated")
    func freshness() async throws {
        serve(["ETag": "\"7\"", "Cache-Control": "private, max-age=60"])
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        // The date is stored as 1 ms, which is later than now.
        fixture.home.clock.advance(by: 0.0006)

        #expect(origin(try await client.cached("/api/things")) == "server")
        #expect(origin(try await client.cached("/api/things")) == "fresh")
        #expect(asked == 1)
        fixture.home.clock.advance(by: 61)
        #expect(origin(try await client.cached("/api/things")) == "revalidated")
        #expect(asked == 2 && fixture.wire.requests.last?.headers["If-None-Match"] == "\"7\"")
        serve(["ETag": "\"8\""], body: "two")
        fixture.home.clock.advance(by: 61)
        let new = try await client.cached("/api/things")
        #expect(text(new).hasPrefix("two"))
        #expect(origin(new) == "server")
    }

    struct Expiry: Sendable {
        var headers: HTTPHeaders
        var seconds: Double
    }

    private static let noon = "Fri, 15 Jan 2027 12:00:00 GMT"

    @Test(
        "RFC 9111 §5.3 a response is fresh from Date to Expires of the server, and max-age takes precedence",
        arguments: [
            Expiry(headers: ["Date": noon, "Expires": "Fri, 15 Jan 2027 12:01:00 GMT"], seconds: 60),
            Expiry(headers: ["Date": noon, "Expires": "Fri, 15 Jan 2027 12:01:00 GMT", "Age": "20"], seconds: 40),
            Expiry(headers: ["Date": noon, "Expires": "Friday, 15-Jan-27 12:01:00 GMT"], seconds: 60),
            Expiry(headers: ["Date": noon, "Expires": noon], seconds: 0),
            Expiry(headers: ["Date": noon, "Expires": "Fri, 15 Jan 2027 11:00:00 GMT"], seconds: 0),
            Expiry(headers: ["Date": noon, "Expires": "0"], seconds: 0),
            Expiry(headers: ["Date": noon, "Expires": "-1"], seconds: 0),
            // The home's clock says 08:00:00.
            Expiry(headers: ["Expires": "Fri, 15 Jan 2027 08:00:30 GMT"], seconds: 30),
            Expiry(headers: ["Date": noon, "Expires": noon, "Cache-Control": "max-age=50"], seconds: 50),
            Expiry(
                headers: ["Date": noon, "Expires": "Fri, 15 Jan 2027 13:00:00 GMT", "Cache-Control": "max-age=50"],
                seconds: 50),
            Expiry(
                headers: ["Date": noon, "Expires": "Fri, 15 Jan 2027 13:00:00 GMT", "Cache-Control": "no-cache"],
                seconds: 0),
            Expiry(headers: ["Date": noon, "Expires": "Fri, 15 Jan 2127 12:00:00 GMT"], seconds: 31_536_000),
        ])
    func expires(_ row: Expiry) async throws {
        serve(row.headers)
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        #expect(origin(try await client.cached("/api/things")) == "server")
        fixture.home.clock.advance(by: row.seconds - 1)
        #expect(origin(try await client.cached("/api/things")) == (row.seconds > 0 ? "fresh" : "server"))
        fixture.home.clock.advance(by: 1)
        #expect(origin(try await client.cached("/api/things")) == "server")
    }

    @Test("RFC 9111 §4.2.1 two Expires fields are ignored")
    func twoExpires() {
        var headers: HTTPHeaders = ["Date": Self.noon, "Expires": "Fri, 15 Jan 2027 13:00:00 GMT"]
        headers.append("Expires", "Fri, 15 Jan 2027 14:00:00 GMT")
        let now = fixture.home.clock.now
        let stored = CacheRules.stored(ClientResponse(status: .ok, headers: headers), to: [:], now: now)
        #expect(stored?.freshUntil == now)
    }

    @Test("a response is revalidated with Last-Modified only, and requested again without a validator")
    func dates() async throws {
        serve(["Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT"])
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        _ = try await client.cached("/api/things")
        #expect(origin(try await client.cached("/api/things")) == "revalidated")
        serve([:])
        _ = try await client.cached("/api/things")
        _ = try await client.cached("/api/things")
        #expect(fixture.wire.requests.last?.headers["If-Modified-Since"] == nil)
    }

    @Test(
        "a response that must not be stored is not stored, and is not available without the server",
        arguments: [
            ["Cache-Control": "no-store"], ["Cache-Control": "max-age=60, No-Store"], ["Vary": "*"],
            ["Cache-Control": "max-age=60", "Vary": "Accept, *"],
        ] as [HTTPHeaders])
    func notStored(_ headers: HTTPHeaders) async throws {
        serve(headers)
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        _ = try await client.cached("/api/things")
        fixture.wire.stop()
        let error = try await #require(throws: LatchError.self) { try await client.cached("/api/things") }
        #expect(error.code == .connectionRefused)
    }

    @Test("neither a cookie nor a token is in the file, and a purged response is completely erased")
    func secrets() async throws {
        fixture.onyx.intercept { request in
            request.path != "/api/things"
                ? nil
                : ScriptedServer.Response(
                    headers: [
                        "Set-Cookie": "a=hidden-biscuit-1", "Authentication-Info": "hidden-biscuit-2", "ETag": "\"1\"",
                    ],
                    body: "all the things")
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        _ = try await latch.session(for: account).client.cached("/api/things", headers: ["X-A": "hidden-biscuit-3"])
        #expect(try !fixture.home.files(holding: "all the things").isEmpty)
        #expect(try fixture.home.files(holding: "hidden-biscuit-").isEmpty)
        #expect(try fixture.home.files(holding: "token-number-").isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.home.folders.responses)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        _ = try await latch.signOut(account)
        #expect(try fixture.home.files(holding: "all the things").isEmpty)
    }

    @Test("RM-9 one account's responses are never returned for another, with the same server and path")
    func accounts() async throws {
        serve(["Cache-Control": "max-age=600"])
        let latch = try await fixture.home.open()
        let first = try await fixture.signIn(latch)
        let one = try await latch.session(for: first).client.cached("/api/things")
        fixture.onyx.intercept { request in
            if request.path == "/api/auth/mobile/login" {
                return .json(#"{"access_token":"eve","token_type":"bearer"}"#)
            }
            if request.path == "/api/me", request.token == "eve" {
                return .json(#"{"id":"8","email":"eve@example.org","is_active":true}"#)
            }
            guard request.path == "/api/things" else { return nil }
            return ScriptedServer.Response(
                headers: ["Cache-Control": "max-age=600"], body: "one \(request.token ?? "")")
        }
        let server = try await latch.probe(fixture.address).requireServer()
        let second = try await latch.signIn(
            PasswordSignIn(email: "eve@example.org", password: Secret("x")), to: server)

        let other = try await latch.session(for: second).client.cached("/api/things")
        let again = try await latch.session(for: first).client.cached("/api/things")
        #expect(text(other) == "one eve" && text(again) == text(one) && text(one) != text(other))
        #expect(origin(other) == "server" && origin(again) == "server")

        // Both are kept now, side by side; no third person's program sees another's.
        let third = try await fixture.home.open()
        #expect(text(try await third.session(for: first).client.cached("/api/things")) == text(one))
        #expect(text(try await third.session(for: second).client.cached("/api/things")) == "one eve")
        let before = asked
        try await third.accounts.setActiveAccount(second.id)
        _ = try await third.session(for: second).client.cached("/api/things")
        #expect(asked == before, "the active account stays what it was")
        try await third.accounts.setActiveAccount(first.id)
        _ = try await latch.session(for: first).client.cached("/api/things")
        #expect(asked == before + 1, "another active account finds nothing, in other programs too")
    }

    @Test("Vary distinguishes responses")
    func vary() async throws {
        serve(["Vary": "Accept-Language", "Cache-Control": "max-age=60"])
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        for language in ["de", "en"] {
            _ = try await client.cached("/api/things", headers: ["Accept-Language": language])
        }
        #expect(asked == 2)
        for language in ["de", "en"] {
            _ = try await client.cached("/api/things", headers: ["Accept-Language": language])
        }
        #expect(asked == 2)
        _ = try await client.cached("/api/things")
        #expect(asked == 3)
    }

    @Test("without the server, or with a server error, the last response is returned with the reason")
    func offline() async throws {
        serve(["ETag": "\"1\""])
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        let first = try await client.cached("/api/things")
        fixture.onyx.intercept { $0.path == "/api/things" ? .page(502) : nil }
        let faulty = try await client.cached("/api/things")
        #expect(text(faulty) == text(first))
        let fault = try #require(reason(faulty))
        #expect(fault.code == .serverError)
        fixture.wire.stop()
        let unreachable = try #require(reason(try await client.cached("/api/things")))
        #expect(unreachable.code == .connectionRefused)
    }

    @Test("a response that arrives after a purge is not stored")
    func responseAfterPurge() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let cache = latch.accounts.cache
        let (_, mark) = await cache.find("x", for: account.id, request: [:], now: fixture.home.clock.now)
        await cache.purge()
        let response = ClientResponse(status: .ok, body: [1])
        let stored = try #require(CacheRules.stored(response, to: [:], now: fixture.home.clock.now))
        await cache.store(stored, from: "x", for: account.id, since: mark)
        #expect(await cache.find("x", for: account.id, request: [:], now: fixture.home.clock.now).0 == nil)
    }

    @Test("the cache is bounded, and the least recently used response is removed")
    func bound() async throws {
        let latch = try await fixture.home.open()
        let cache = ResponseCache(path: fixture.home.folders.cache + "/small.db", limit: 3_000)
        let (id, start) = (UUID(), fixture.home.clock.now)
        func now(_ seconds: Int) -> Date { start.addingTimeInterval(TimeInterval(seconds)) }
        let response = ClientResponse(status: .ok, body: [UInt8](repeating: 1, count: 900))
        for (index, name) in ["a", "b", "c"].enumerated() {
            let stored = try #require(CacheRules.stored(response, to: [:], now: now(index)))
            await cache.store(
                stored, from: name, for: id, since: await cache.find(name, for: id, request: [:], now: now(index)).1)
        }
        #expect(await cache.find("a", for: id, request: [:], now: now(10)).0 != nil)
        let stored = try #require(CacheRules.stored(response, to: [:], now: now(11)))
        await cache.store(
            stored, from: "d", for: id, since: await cache.find("d", for: id, request: [:], now: now(11)).1)
        #expect(await cache.find("a", for: id, request: [:], now: now(12)).0 != nil)
        #expect(await cache.find("b", for: id, request: [:], now: now(12)).0 == nil)
        await cache.close()
        await latch.close()
    }

    @Test("a damaged file is deleted, and the response is still returned")
    func damaged() async throws {
        serve(["ETag": "\"1\""])
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client
        let path = fixture.home.folders.responses
        try FileManager.default.createDirectory(
            atPath: fixture.home.folders.cache, withIntermediateDirectories: true)
        try Data("not a database, not at all, for sure".utf8).write(to: URL(fileURLWithPath: path))
        _ = try await client.cached("/api/things")
        _ = try await client.cached("/api/things")
        #expect(origin(try await client.cached("/api/things")) == "revalidated")
    }
}
