import Crypto
import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Addresses and networks whose requests are refused.
@Suite("Bans", .timeLimit(.minutes(20)))
struct SharedBanTests {
    private static let text = "Requests from your address are refused."

    private static func send(
        _ fixture: GatewayFixture, _ route: Router.Route, from address: String
    ) async throws -> Exchange.Response {
        let path = route.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000")
            .replacing("{*}", with: "x")
        return try await fixture.http.send(
            route.method.rawValue, path, headers: [("X-Forwarded-For", address)],
            body: [.get, .head].contains(route.method) ? nil : "")
    }

    @Test("every route refuses a banned address with 403 and a plain text, and no other address")
    func everyRoute() async throws {
        try await EveryRoute.with { fixture in
            try await fixture.gateway.stores.bans.add("192.0.2.0/24")
            try await fixture.gateway.stores.bans.add("2001:db8:1::/48")
            let routes = fixture.gateway.router.routes
            #expect(routes.count > 100)
            for route in routes {
                for address in ["192.0.2.7", "2001:db8:1:ffff::1", "198.51.100.1, 192.0.2.7"] {
                    let response = try await Self.send(fixture, route, from: address)
                    #expect(response.status == 403, "\(route) from \(address)")
                    guard route.method != .head else { continue }
                    #expect(response.text.hasPrefix(Self.text), "\(route)")
                    #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
                }
                for address in ["192.0.3.7", "2001:db8:2::1", "192.0.2.7, 198.51.100.1"] {
                    let response = try await Self.send(fixture, route, from: address)
                    #expect(!response.text.hasPrefix(Self.text), "\(route) from \(address)")
                }
            }
            let metrics = fixture.gateway.metrics.counts.banned
            #expect(metrics == routes.count * 3)
        }
    }

    @Test("the bans of a later read stay, also when an earlier read ends after it")
    func order() throws {
        let list = BanList()
        func ban(_ text: String) throws -> Ban {
            Ban(network: try #require(IPNetwork(text)), note: nil, created: Date(), expires: nil)
        }
        let (later, earlier) = (try #require(IPAddress("192.0.2.7")), try #require(IPAddress("192.0.2.8")))
        list.replace(with: [try ban("192.0.2.7")], read: 2)
        list.replace(with: [try ban("192.0.2.8")], read: 1)
        #expect(list.contains(later, at: Date()))
        #expect(!list.contains(earlier, at: Date()))
    }

    @Test("a change whose read fails is read again when nothing else changes")
    func failedRead() async throws {
        try await GatewayFixture.with { fixture in
            let (bans, other) = (fixture.gateway.stores.bans, try await fixture.otherProcess())
            try await other.bans.add("192.0.2.7")
            let failed = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await bans.loadIfChanged(true)
            }
            await #expect(throws: (any Error).self) { try await failed.value }
            #expect(!bans.contains(ClientAddress(IPAddress("192.0.2.7"))))
            try await bans.loadIfChanged(false)
            #expect(bans.contains(ClientAddress(IPAddress("192.0.2.7"))))
            await other.close()
        }
    }

    @Test("a ban ends by itself or by command, is audited, and another process's ban is known after its notice")
    func life() async throws {
        try await GatewayFixture.with { fixture in
            let (bans, other) = (fixture.gateway.stores.bans, try await fixture.otherProcess())
            func isBanned(_ text: String) -> Bool { bans.contains(ClientAddress(IPAddress(text))) }
            try await bans.add("192.0.2.7", for: .seconds(60), note: "scanner")
            #expect(isBanned("192.0.2.7") && isBanned("::ffff:192.0.2.7") && !isBanned("192.0.2.8"))
            fixture.clock.advance(60)
            #expect(!isBanned("192.0.2.7"))
            #expect(try await bans.bans().isEmpty)

            try await other.bans.add("198.51.100.0/24", note: "elsewhere")
            await fixture.gateway.detectExternalWrites()
            #expect(isBanned("198.51.100.255"))
            #expect(try await bans.bans().map(\.note) == ["elsewhere"])
            try await other.bans.remove("198.51.100.0/24")
            await fixture.gateway.detectExternalWrites()
            #expect(!isBanned("198.51.100.255"))
            let error = await #expect(throws: GatewayError.self) { try await bans.remove("198.51.100.0/24") }
            #expect(error?.code == .unknownBan)
            let audit = fixture.lines.audit.filter { $0["event"] == "address-banned" }
            #expect(audit.map { $0["address"] } == ["192.0.2.7/32"])
            await other.close()
        }
    }

    @Test(
        "this machine, trusted proxies and what is no network cannot be banned",
        arguments: [
            "127.0.0.1", "::1", "0.0.0.0/0", "::/0", "127.0.0.0/16", "10.1.2.3", "10.0.0.0/7", "10.1.0.0/16",
            "fd00::/8",
            "", "nonsense", "192.0.2.1/24", "192.0.2.1/33", "192.0.2", "example.org",
        ])
    func refused(_ text: String) async throws {
        try await GatewayFixture.with {
            $0.trustedProxies = TrustedProxies(["10.0.0.0/8", "fd00::1"].compactMap { IPNetwork($0) })
        } _: { fixture in
            let bans = fixture.gateway.stores.bans
            let error = await #expect(throws: GatewayError.self) { try await bans.add(text) }
            #expect(error?.code == .invalidBan)
            let stored = try await bans.bans()
            #expect(stored.isEmpty)
        }
    }

    @Test("the number of bans is bounded, and a ban that exists can still be changed")
    func bounded() async throws {
        try await GatewayFixture.with { fixture in
            let bans = fixture.gateway.stores.bans
            for number in 0..<BanStore.capacity { try await bans.add("203.\(number / 256).\(number % 256).1") }
            let error = await #expect(throws: GatewayError.self) { try await bans.add("192.0.2.1") }
            #expect(error?.code == .invalidBan)
            try await bans.add("203.0.0.1", note: "changed")
            #expect(try await bans.bans().count == BanStore.capacity)
            #expect(bans.contains(ClientAddress(IPAddress("203.3.231.1"))))
        }
    }

    @Test("an administrator bans and removes on the page, and is asked before the own address is banned")
    func page() async throws {
        try await GatewayFixture.withPages({
            $0.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        }) { fixture in
            _ = try await fixture.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture)
            _ = try await root.signIn("root@example.org", "root's own 77")
            let page = "/latch/admin/bans"
            func add(_ network: String, _ more: [(String, String)] = []) async throws -> Exchange.Response {
                let token = try await root.token(on: page)
                return try await root.browser.send(
                    "POST", page,
                    headers: [
                        ("Content-Type", FormURLEncoded.mediaType), ("Sec-Fetch-Site", "same-origin"),
                        ("X-Forwarded-For", "192.0.2.9"),
                    ],
                    body: FormURLEncoded.encode(
                        [("form_token", token), ("network", network), ("duration", "week"), ("note", "<b>why</b>")]
                            + more))
            }
            #expect(try await add("198.51.100.0/24").headers["Location"] == page + "?done=banned")
            let list = try await root.get(page).text
            #expect(list.contains("198.51.100.0/24") && list.contains("&lt;b&gt;why") && !list.contains("<b>why"))
            let own = try await add("192.0.2.0/24")
            #expect(own.status == 200 && own.text.contains("Ban your own address?"))
            #expect(try await fixture.gateway.stores.bans.bans().count == 1)
            let wrong = try await add("127.0.0.1")
            #expect(wrong.status == 422 && wrong.text.contains("cannot be banned"))
            let form = try PageBrowser.form(page + "/remove", in: list).orThrow
            let removed = try await root.post(page + "/remove", PageBrowser.hiddenFields(of: form))
            #expect(removed.headers["Location"] == page + "?done=unbanned")
            #expect(try await add("192.0.2.0/24", [("confirmed", "1")]).status == 303)
            #expect(try await fixture.gateway.stores.bans.bans().map(\.network.description) == ["192.0.2.0/24"])
            let actors = fixture.lines.audit.filter { $0["event"] == "address-banned" }.map { $0["actor"] }
            #expect(actors.count == 2 && !actors.contains(nil))
            let member = PageBrowser(fixture)
            _ = try await member.signIn()
            #expect(try await member.get(page).status == 403)
        }
    }
}
