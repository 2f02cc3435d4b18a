import Crypto
import Database
import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import AuthorizationServer
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

/// Sign-ins in progress: nobody ends those of somebody else.
@Suite("Shares of sign-ins in progress", .timeLimit(.minutes(20)))
struct SharedWaitTests {
    private static let basic = (
        "Authorization",
        "Basic "
            + Data("web:\(FormURLEncoded.encode([("", OAuthFixture.secret)]).dropFirst())".utf8).base64EncodedString()
    )

    @Test("a flood of requests from 256 addresses ends no sign-in in progress of another person, app or device")
    func flood() async throws {
        try await OAuthFixture.withDevices { fixture in
            let store = fixture.gateway.gateway.services.waitingRequests
            let opened = try await fixture.open(fixture.parameters + [("prompt", "login")])
            let pushed = try await fixture.post("par", fixture.parameters)
            let authenticated = try await fixture.post("par", fixture.webParameters, headers: [Self.basic])

            try await store.flood(addresses: 256, each: WaitingRequestStore.capacity / 256 + 4)

            let waiting = try await fixture.gateway.gateway.stores.database.waitingRequests()
            #expect(waiting <= WaitingRequestStore.capacity / 16 * 17 + 1)
            let signIn = try #require(opened.headers["Location"])
            let back = try await fixture.browser.submit(
                "/latch/sign-in", on: signIn,
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
            let consent = try await fixture.browser.get(try #require(back.next))
            #expect(try OAuthFixture.fields(of: try await fixture.decide(consent))["code"] != nil)
            for (client, response) in [("app", pushed), ("web", authenticated)] {
                let address = try #require(response.json?["request_uri"]?.string)
                let fields = try await fixture.respond(to: [("client_id", client), ("request_uri", address)])
                #expect(fields["code"] != nil, "\(client)")
            }
        }
    }

    @Test("whoever has many requests displaces their own: an address, a /48 of many /64s, and a busy client")
    func shares() async throws {
        let folder = try TemporaryDirectory()
        let database = try await TestDatabase.location(in: folder).open()
        let clock = TestClock()
        let store = WaitingRequestStore(database: database, capacity: 64, now: { clock.now })
        func key(_ text: String) -> SHA256Digest { SHA256.digest(text) }
        func save(_ text: String, _ owner: WaitingRequestStore.Owner) async throws {
            clock.advance(0.001)
            try await store.save([1], under: key(text), for: .seconds(600), of: owner)
        }
        func address(_ text: String) -> WaitingRequestStore.Owner { .address(ClientAddress(IPAddress(text))) }
        try await save("victim", address("192.0.2.1"))
        try await save("neighbour", address("2001:db8:1:ffff::1"))
        for number in 0..<4 { try await save("client \(number)", .client("web")) }
        for number in 0..<500 {
            try await save("v4 \(number)", address("198.51.100.1"))
            try await save("v6 \(number)", address("2001:db8:1:\(String(number, radix: 16))::1"))
            try await save("busy \(number)", .client("busy"))
        }
        await store.sweep()
        #expect(try await database.waitingRequests() == 128)
        for text in ["victim", "neighbour", "client 0", "client 3", "v4 499", "v6 499", "busy 499"] {
            #expect(try await store.consume(key(text)) == [1], "\(text)")
        }
        for text in ["v4 0", "v6 0", "busy 0", "victim"] {
            #expect(try await store.consume(key(text)) == nil, "\(text)")
        }
        clock.advance(661)
        try await save("late", address("192.0.2.1"))
        await store.sweep()
        #expect(try await database.waitingRequests() == 1)
        await database.close()
    }

    @Test("RFC 8628 §5.1 devices at many addresses displace their own requests, and not one of another network")
    func devices() async throws {
        let folder = try TemporaryDirectory()
        let database = try await TestDatabase.location(in: folder).open()
        let clock = TestClock()
        let store = DeviceRequestStore(
            database: database, key: Secret.random(32), maximum: (total: 64, address: 8), now: { clock.now })
        let grant = ClientGrant(client: "tv", scopes: [])
        func begin(_ address: String) async throws -> DeviceCodes? {
            clock.advance(0.001)
            return try await store.begin(grant, dialect: nil, device: SessionDevice(address: address))
        }
        let victim = try #require(try await begin("192.0.2.1"))
        for number in 0..<400 { #expect(try await begin("198.51.100.\(number / 8)") != nil) }
        #expect(try await store.find(victim.user) != nil)
        #expect(try await begin("192.0.2.1") != nil)
        await database.close()
    }

    @Test("a browser continues several sign-ins at once, long ones too, and sends at most 3 KiB of cookies for them")
    func tabs() async throws {
        try await OAuthFixture.with { fixture in
            let long = OAuthFixture.replacing(
                fixture.parameters,
                [("state", String(repeating: "s", count: 1_000)), ("nonce", String(repeating: "n", count: 1_000))])
            var tabs: [String] = []
            for number in 0..<12 {
                let parameters = number % 4 == 3 ? long : fixture.parameters
                let asked = OAuthFixture.replacing(parameters, [("prompt", "login"), ("scope", "openid")])
                tabs.append(try #require(try OAuthFixture.fields(of: try await fixture.open(asked))["return"]))
                let cookies = fixture.browser.browser.cookies.filter { $0.key.hasPrefix("latchd-request-") }
                let size = cookies.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
                #expect(size <= PendingRequests.maximumCookieBytes)
                #expect(!cookies.isEmpty)
            }
            #expect(Set(tabs).count == 12)
            fixture.gateway.clock.advance(1)
            _ = try await fixture.browser.signIn()
            for (number, tab) in tabs.enumerated() {
                let fields = try OAuthFixture.fields(of: try await fixture.decide(try await fixture.browser.get(tab)))
                #expect(fields["code"] != nil, "\(number)")
                #expect(fields["state"]?.utf8.count == (number % 4 == 3 ? 1_000 : 9))
                #expect(try await fixture.browser.get(tab).status == 400, "It is good for one sign-in.")
            }
            let left = fixture.browser.browser.cookies.filter { $0.key.hasPrefix("latchd-request-") }
            #expect(left.isEmpty)
        }
    }

    @Test("the cookie of a request is sealed, belongs to its address, and expires with the request")
    func sealed() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            func start() async throws -> (path: String, cookie: (key: String, value: String)) {
                fixture.gateway.clock.advance(1)
                let asked = fixture.parameters + [("max_age", "0"), ("prompt", "login")]
                let path = try #require(try OAuthFixture.fields(of: try await fixture.open(asked))["return"])
                let cookie = fixture.browser.browser.cookies.first { $0.key.hasPrefix("latchd-request-") }
                return (path, try #require(cookie))
            }
            let first = try await start()
            let bytes = Base64URL.decode(first.cookie.value) ?? []
            #expect(!String(decoding: bytes, as: UTF8.self).contains("the state"))
            // Without the cookie, or with that of another request, the address leads nowhere.
            fixture.browser.browser.cookies[first.cookie.key] = nil
            #expect(try await fixture.browser.get(first.path).status == 400)
            let second = try await start()
            fixture.browser.browser.cookies[first.cookie.key] = second.cookie.value
            #expect(try await fixture.browser.get(first.path).status == 400)
            fixture.browser.browser.cookies[first.cookie.key] = first.cookie.value
            #expect(try await fixture.browser.get(first.path).status == 303)
            fixture.browser.browser.cookies[first.cookie.key] = String(first.cookie.value.dropLast(4)) + "AAAA"
            #expect(try await fixture.browser.get(first.path).status == 400)
            fixture.browser.browser.cookies[first.cookie.key] = first.cookie.value
            fixture.gateway.clock.advance(600)
            #expect(try await fixture.browser.get(first.path).status == 400)
            let header = try await fixture.open(fixture.parameters + [("prompt", "login")]).headers.values("Set-Cookie")
            let set = try #require(header.first { $0.hasPrefix("latchd-request-") })
            #expect(set.hasSuffix("; Path=/oauth2/authorize; Max-Age=600; HttpOnly; SameSite=Lax"))
        }
    }

    @Test("a sign-in that began at one gateway continues at another one on the database")
    func twoGateways() async throws {
        try await OAuthFixture.with({ $0.codes = .database }) { fixture in
            _ = try await fixture.browser.signIn()
            let other = try await fixture.gateway.otherGateway(ahead: 0)
            let server = try await HTTPServer.start(
                HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: other.router)
            let there = TestBrowser(Exchange(port: try #require(server.addresses.first?.port)))
            let page = try await fixture.open(fixture.parameters)
            there.cookies = fixture.browser.browser.cookies
            let form = try PageBrowser.form("/oauth2/authorize", in: page.text).orThrow
            let end = try await there.send(
                "POST", "/oauth2/authorize",
                headers: [("Content-Type", FormURLEncoded.mediaType), ("Sec-Fetch-Site", "same-origin")],
                body: FormURLEncoded.encode(PageBrowser.hiddenFields(of: form) + [("decision", "allow")]))
            #expect(try OAuthFixture.fields(of: end)["code"] != nil)
            await server.stop(drain: .zero)
            await other.close()
        }
    }
}

extension WaitingRequestStore {
    /// Stores requests of many addresses.
    func flood(addresses: Int, each: Int) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<32 {
                group.addTask {
                    for index in stride(from: number, to: addresses * each, by: 32) {
                        let address = IPAddress("203.0.\(index % addresses / 256).\(index % addresses % 256)")
                        try await self.save(
                            [UInt8](repeating: 0, count: 300), under: SHA256.digest("flood \(index)"),
                            for: .seconds(600),
                            of: .address(ClientAddress(address)))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension Database {
    /// The number of stored requests that wait.
    func waitingRequests() async throws -> Int {
        let count = Statement("SELECT count(*) FROM pending_requests") { row throws(DatabaseError) in
            try row.get(0) as Int
        }
        return try await read { try $0.first(count) } ?? 0
    }
}
