import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import JOSE
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Every route that tells other servers who a person is, called for a person whose address is not proved.
@Suite("Unverified e-mail addresses", .timeLimit(.minutes(20)))
struct VerifiedAddressTests {
    private static let email = "boss@corp.example"

    /// Routes that tell only the person about the account.
    private static let own: Set = [
        "/api/me", "/immich/users/me", "/tt/auth/me", "/mail/api/profile", "/mail/api/smtp-credentials",
        "/latch/account", "/latch/account/password", "/latch/sign-in",
    ]

    private static func with(_ body: (TimeTrackerFixture, Person, String) async throws -> Void) async throws {
        try await TimeTrackerFixture.with { settings in
            settings.onyx.allowsRegistration = true
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich"
            settings.relateMail.isEnabled = true
            settings.relateMail.prefix = "/mail"
            settings.pages.isEnabled = true
            settings.verify.isEnabled = true
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        } _: { fixture in
            let registered = try await fixture.http.send(
                "POST", "/api/auth/register", headers: [("Content-Type", "application/json")],
                body: #"{"email":"\#(email)","password":"\#(GatewayFixture.password)"}"#)
            #expect(registered.status == 201)
            let people = fixture.base.gateway.stores.people
            let person = try await people.require(email)
            // An administrator links the person, which does not prove the address.
            let provider = try #require(fixture.base.gateway.stores.settings.providers.first)
            try await people.link(person.id, to: "boss-1", at: provider, allowsUnseen: true, unproved: .kept)
            let account = SmallProvider.Account(subject: "boss-1", email: email, isVerified: false)
            let token = try await fixture.exchange(fixture.deepLink(as: account)).token.orThrow
            try await body(fixture, person, token)
        }
    }

    private static let forwarded = [
        ("X-Forwarded-Host", "latch.example"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
        ("X-Forwarded-Uri", "/photos"),
    ]

    @Test("An unverified address is only in responses that describe the account to its owner")
    func everyRoute() async throws {
        try await Self.with { fixture, person, token in
            let session = try await fixture.base.gateway.issuer.issue(for: person, device: SessionDevice())
            let opaque = session.token.reveal()
            var seen: Set<String> = []
            for route in fixture.base.gateway.router.routes
            where route.method == .get || route.pattern == "/auth/verify" {
                let path = route.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000")
                    .replacing("{*}", with: "x")
                let more = route.pattern == "/auth/verify" ? Self.forwarded : []
                for bearer in [
                    GatewayFixture.bearer(token), GatewayFixture.bearer(opaque),
                    [("Cookie", "__Host-latchd_session=\(opaque)")],
                ] {
                    let response = try await fixture.http.send(
                        route.method.rawValue, path, host: "latch.example", headers: bearer + more)
                    let head = response.headers.fields.map(\.value).joined(separator: "\n")
                    if (head + String(decoding: response.body, as: UTF8.self)).contains("boss") {
                        seen.insert(route.pattern)
                    }
                }
            }
            #expect(seen.isSubset(of: Self.own), "\(seen.subtracting(Self.own))")
            #expect(seen.contains("/api/me"))
        }
    }

    @Test("Backends and resource servers get the id instead, and that the address is not verified")
    func backendsAndResourceServers() async throws {
        try await Self.with { fixture, person, token in
            let id = person.id.uuidString.lowercased()
            let verified = try await fixture.http.send(
                "GET", "/auth/verify", headers: Self.forwarded + GatewayFixture.bearer(token))
            #expect(verified.status == 200)
            #expect(verified.headers["X-Auth-User"] == id)
            #expect(verified.headers["X-Auth-Email"] == nil)
            for path in ["/api/auth/introspect", "/tt/auth/introspect"] {
                let response = try #require(try await fixture.introspect(token, at: path))
                #expect(response["username"]?.string == id)
                #expect(response["email"] == nil)
                #expect(response["email_verified"]?.bool == false)
            }
            let claims = try #require(try await TimeTrackerFixture.claims(of: token, by: fixture.keys()))
            #expect(claims["username"]?.string == id)
            #expect(claims["email"] == nil)
            #expect(claims["email_verified"]?.bool == false)
            let me = try await fixture.me(token)
            #expect(me.json?["username"]?.string == id)
            #expect(me.json?["email_verified"]?.bool == false)
        }
    }

    @Test("F3 A key that was used before does not keep the verified address that its person has changed")
    func changedAddress() async throws {
        try await Self.with { fixture, _, _ in
            let ada = try await fixture.base.addPerson()
            let (people, keys) = (fixture.base.gateway.stores.people, fixture.base.gateway.stores.apiKeys)
            let key = try await keys.create(for: ada, name: "calendar", scopes: ["app"], maximum: 10).key.reveal()
            #expect(try await keys.authenticate(key)?.person.provedAddress != nil)
            let changed = ProfileChange(email: EmailAddress(normalizing: "new@example.org"))
            _ = try await people.change(ada.id, to: changed)
            let person = try #require(try await keys.authenticate(key)?.person)
            #expect(person.email == "new@example.org" && person.provedAddress == nil)
        }
    }

    @Test("A verified address is sent to each of them, but never a name that the person chose")
    func verifiedAddress() async throws {
        try await Self.with { fixture, _, _ in
            let ada = try await fixture.base.addPerson()
            let renamed = try await fixture.http.send(
                "PUT", "/immich/users/me",
                headers: GatewayFixture.bearer(try await fixture.base.token()) + [("Content-Type", "application/json")],
                body: #"{"name":"boss@corp.example"}"#)
            #expect(renamed.status == 200)
            fixture.base.gateway.issuer.invalidateAll()
            let second = try await fixture.token()

            let verified = try await fixture.http.send(
                "GET", "/auth/verify", headers: Self.forwarded + GatewayFixture.bearer(second))
            #expect(verified.headers["X-Auth-Email"] == GatewayFixture.email)
            let fields = [
                try await fixture.introspect(second), try await fixture.introspect(second, at: "/api/auth/introspect"),
                try await TimeTrackerFixture.claims(of: second, by: fixture.keys()), try await fixture.me(second).json,
            ]
            for response in fields {
                #expect(response?["username"]?.string == GatewayFixture.email)
                #expect(response?["email"]?.string == GatewayFixture.email)
                #expect(response?["email_verified"]?.bool == true)
            }
            #expect(try await fixture.me(second).json?["id"]?.string == ada.id.uuidString.lowercased())
        }
    }
}
