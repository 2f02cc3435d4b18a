import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// Every form of every page, found in the router: one that is added later is tried too.
@Suite(.timeLimit(.minutes(20))) struct FormForgeryTests {
    /// What another site, or another session, can make of a form.
    enum Forgery: CaseIterable {
        case noToken, emptyToken, anotherSessionsToken, tokenFromBeforeTheSignIn, anotherSite, sibling, otherOrigin,
            nullOrigin, noOrigin, typedAddress
    }

    private static func paths(_ bench: Bench, person: Person, session: String) -> [String] {
        bench.gateway.router.routes.filter { $0.method == .post && $0.pattern.hasPrefix("/latch/") }.map { route in
            route.pattern
                .replacing("people/{}", with: "people/\(person.id.uuidString.lowercased())")
                .replacing("{}", with: session)
        }.sorted()
    }

    @Test("no form is taken from another site, nor with another session's token or none", arguments: Forgery.allCases)
    func forged(_ forgery: Forgery) async throws {
        try await Bench.withPages({ $0.immich.isEnabled = true }) { bench in
            let stores = bench.gateway.stores
            _ = try await stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let ada = try await stores.people.require(Bench.email)
            let phone = try await bench.token()
            let id = try #require(try await stores.sessions.list().first?.id.rawValue)
            let root = PageBrowser(bench)
            let early = try await root.token(on: "/latch/sign-in")
            _ = try await root.signIn("root@example.org", "root's own 77")
            let own = try await root.token(on: "/latch/account")
            let other = PageBrowser(bench)
            _ = try await other.signIn()
            let foreign = try await other.token(on: "/latch/account")
            let before = try await stores.people.list()
            let paths = Self.paths(bench, person: ada, session: id)
            #expect(paths.count >= 10)

            for path in paths {
                let token: String? =
                    switch forgery {
                    case .noToken: nil
                    case .emptyToken: ""
                    case .anotherSessionsToken: foreign
                    case .tokenFromBeforeTheSignIn: early
                    default: own
                    }
                let fields = [
                    ("username", Bench.email), ("password", Bench.password), ("action", "disable"),
                    ("email", "new@example.org"), ("current", "root's own 77"), ("new", "taken over 77"),
                    ("repeated", "taken over 77"), ("pin", "123456"), ("repeated_pin", "123456"),
                ]
                let answer = try await root.post(
                    path, fields + (token.map { [(FormTokens.field, $0)] } ?? []), site: Self.site(forgery))
                #expect(answer.status == 403, "\(path)")
                #expect(!answer.headers.values("Set-Cookie").contains { $0.contains("latchd_session") }, "\(path)")
            }

            #expect(try await stores.people.list() == before)
            #expect(try await bench.me(phone).status == 200)
            #expect(try await root.get("/latch/account").status == 200)
            #expect(try await stores.sessions.liveCount() == 3)
        }
    }

    private static func site(_ forgery: Forgery) -> [(String, String)] {
        switch forgery {
        case .anotherSite: [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")]
        case .sibling: [("Sec-Fetch-Site", "same-site"), ("Origin", "http://127.0.0.1:1")]
        case .otherOrigin: [("Origin", "https://evil.example")]
        case .nullOrigin: [("Origin", "null")]
        case .noOrigin: []
        case .typedAddress: [("Sec-Fetch-Site", "none")]
        default: [("Sec-Fetch-Site", "same-origin")]
        }
    }

    @Test("a form's address does nothing by GET")
    func byGet() async throws {
        try await Bench.withPages({ $0.immich.isEnabled = true }) { bench in
            let ada = try await bench.gateway.stores.people.require(Bench.email)
            let phone = try await bench.token()
            let id = try #require(try await bench.gateway.stores.sessions.list().first?.id.rawValue)
            let browser = PageBrowser(bench)
            _ = try await browser.signIn()
            let token = try await browser.token(on: "/latch/account")

            for path in Self.paths(bench, person: ada, session: id) {
                let answer = try await browser.get("\(path)?action=disable&\(FormTokens.field)=\(token)")
                #expect([200, 403, 405].contains(answer.status), "\(path): \(answer.status)")
            }

            #expect(try await bench.me(phone).status == 200)
            #expect(try await browser.get("/latch/account").status == 200)
        }
    }

    @Test("no page and no form tells or does anything for somebody who is not signed in")
    func stranger() async throws {
        try await Bench.withPages({ $0.immich.isEnabled = true }) { bench in
            let ada = try await bench.gateway.stores.people.require(Bench.email)
            for path in Self.paths(bench, person: ada, session: "abc") where path != "/latch/sign-in" {
                let answer = try await PageBrowser(bench).post(path, [(FormTokens.field, "x"), ("action", "disable")])
                #expect(answer.headers["Location"] == "/latch/sign-in", "\(path)")
            }
            for path in ["account", "admin", "admin/sessions", "admin/providers", "admin/failures"] {
                let answer = try await PageBrowser(bench).get("/latch/\(path)")
                #expect(answer.status == 303 && !answer.text.contains("@"), "\(path)")
            }
        }
    }
}
