import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// The actions that need a recent sign-in, over every route of every dialect and page.
@Suite(.timeLimit(.minutes(20)))
struct SensitiveActionTests {
    private struct Row {
        let act: SensitiveAction
        var body: JSONValue?
        var fields: [(String, String)] = []
        var mustChange = false
    }

    private static let pin = [("pin", "1234"), ("repeated_pin", "1234")]

    /// The person that an identity is linked to.
    private static let linked = "linked@example.org"

    private static let rows: [String: Row] = [
        "POST /immich/api/auth/pin-code": Row(act: .setFirstPIN, body: ["pinCode": "123456"]),
        "PUT /immich/api/auth/pin-code": Row(act: .setFirstPIN, body: ["pinCode": "1234"]),
        "DELETE /immich/api/sessions": Row(act: .endOtherSessions),
        "DELETE /immich/api/sessions/{}": Row(act: .endNewerSession),
        "POST /immich/api/sessions/{}/lock": Row(act: .endNewerSession),
        "POST /latch/account/devices/{}/end": Row(act: .endNewerSession),
        "POST /immich/api/oauth/link": Row(act: .linkIdentity),
        "POST /immich/api/oauth/unlink": Row(act: .unlinkIdentity),
        "PUT /immich/api/users/me": Row(act: .changeEmail, body: ["email": "new@example.org"]),
        "PATCH /immich/api/users/me": Row(act: .changeEmail, body: ["email": "newer@example.org"]),
        "PUT /immich/api/auth/change-password": Row(
            act: .chooseRequiredPassword, body: ["password": "a better horse 8"], mustChange: true),
        "POST /rm/api/smtp-credentials": Row(act: .makeKey, body: ["name": "a key"]),
        "POST /rm/api/smtp-credentials/mobile": Row(
            act: .makeKey, body: ["deviceName": "a phone", "platform": "ios"]),
        "POST /latch/account/devices/end-others": Row(act: .endOtherSessions),
        "POST /latch/account/pin": Row(act: .setFirstPIN, fields: pin),
        "POST /latch/account/pin/remove": Row(act: .removePIN),
        "POST /latch/admin/people": Row(act: .administer, fields: [("email", "eve@example.org")]),
        "POST /latch/admin/people/{}": Row(act: .administer, fields: [("action", "enable")]),
        "POST /latch/admin/sessions/{}/end": Row(act: .administer),
        "POST /latch/admin/keys/{}/revoke": Row(act: .administer),
        "POST /latch/admin/bans": Row(act: .administer, fields: [("network", "203.0.113.0/24"), ("duration", "day")]),
        "POST /latch/admin/bans/remove": Row(act: .administer, fields: [("network", "203.0.113.0/24")]),
        "POST /latch/admin/identities/{}": Row(act: .administer, fields: [("email", linked)]),
    ]

    /// Other routes that change something. They need only a session, or check a password, a PIN or a token by themselves.
    private static let others: Set<String> = [
        "POST /api/auth/mobile/login", "POST /api/auth/mobile/refresh", "POST /api/auth/mobile/logout",
        "POST /api/auth/register", "POST /api/auth/mobile/sso/exchange", "POST /api/auth/oauth/callback",
        "POST /api/auth/oauth/backchannel-logout", "POST /api/auth/revoke", "POST /tt/auth/revoke",
        "POST /tt/auth/token", "POST /tt/auth/logout", "POST /tt/auth/callback", "PUT /rm/api/profile",
        "DELETE /rm/api/smtp-credentials/{}", "POST /immich/api/auth/login", "POST /immich/api/auth/validateToken",
        "POST /immich/api/auth/logout", "POST /immich/api/auth/admin-sign-up",
        "POST /immich/api/auth/change-password", "DELETE /immich/api/auth/pin-code",
        "POST /immich/api/auth/session/unlock", "POST /immich/api/auth/pin-code/verify",
        "POST /immich/api/auth/session/lock", "POST /immich/api/sessions", "PUT /immich/api/sessions/{}",
        "POST /immich/api/oauth/authorize",
        "POST /immich/api/oauth/callback", "POST /immich/api/oauth/backchannel-logout",
        "POST /immich/api/search/metadata", "POST /immich/api/search/smart",
        "POST /immich/api/download/info", "POST /immich/api/download/archive",
        "POST /latch/sign-in", "POST /latch/sign-out",
        "POST /latch/account/keys/{}/revoke", "POST /latch/account/password",
    ]

    @Test("every action that needs a recent sign-in requires it on every route of every dialect and page")
    func everyRoute() async throws {
        try await EveryDialect.with { gateway in
            let reading: Set<HTTPMethod> = [.get, .head]
            let changing = gateway.routes.filter { !reading.contains($0.method) && $0.pattern != "/auth/verify" }
            // A new route that changes something must be added to one of the lists.
            let unjudged = Set(changing.map(EveryDialect.name)).symmetricDifference(Self.others.union(Self.rows.keys))
            #expect(unjudged.isEmpty, "\(unjudged)")
            // The tests of the authorization server have the other two.
            let acts = Self.rows.values.map(\.act) + [.allowDevice, .allowApp]
            #expect(Set(acts) == Set(SensitiveAction.allCases))
            for (number, route) in changing.enumerated() {
                guard let row = Self.rows[EveryDialect.name(route)] else { continue }
                try await check(row, route, number, gateway)
            }
        }
    }

    private func check(_ row: Row, _ route: Router.Route, _ number: Int, _ gateway: EveryDialect) async throws {
        let stores = gateway.base.gateway.stores
        let person = try await stores.people.add(
            email: "person\(number)@example.org", isAdministrator: true, password: Secret(GatewayFixture.password),
            mustChange: row.mustChange)
        let old = try await gateway.token(of: person)
        gateway.base.clock.advance(11 * minute)
        let id = try await id(for: route, person, gateway)
        let name = EveryDialect.name(route)

        let refused = try await gateway.send(route, old, id: id, body: row.body, fields: row.fields)
        if refused.status == 303 {
            #expect(refused.headers["Location"]?.hasSuffix("&again=1") == true, "\(name)")
        } else {
            #expect(refused.status == 403 && refused.text.contains("Sign in again first"), "\(name): \(refused.text)")
        }
        let fresh = try await gateway.token(of: person)
        let done = try await gateway.send(route, fresh, id: id, body: row.body, fields: row.fields)
        #expect(done.status < 403 && !done.text.contains("Sign in again"), "\(name): \(done.status) \(done.text)")
        #expect(done.headers["Location"]?.contains("again=1") != true, "\(name)")
    }

    private func id(for route: Router.Route, _ person: Person, _ gateway: EveryDialect) async throws -> String {
        let stores = gateway.base.gateway.stores
        if route.pattern.contains("/sessions/{}") || route.pattern.contains("/devices/{}") {
            _ = try await gateway.token(of: person)
            let newest = try await stores.sessions.ownSessions(of: person.id).max { $0.created < $1.created }
            let id = try #require(newest).id
            return route.pattern.hasPrefix("/immich") ? id.uuid.uuidString.lowercased() : id.rawValue
        }
        if route.pattern.contains("/keys/") {
            let made = try await stores.apiKeys.create(for: person, name: "a key", scopes: ["app"], maximum: 100)
            return made.listed.id.uuidString.lowercased()
        }
        if route.pattern.contains("/identities/") {
            _ = try await stores.people.invite(email: Self.linked)
            let provider = try #require(stores.settings.providers.first)
            _ = try await stores.database.write { connection throws(DatabaseError) in
                try connection.run(
                    UnlinkedIdentityStatements.record, provider.id, provider.settings.issuer, "linked-1", nil, nil,
                    person.created)
            }
            return "1"
        }
        guard route.pattern.contains("/people/") else { return UUID().uuidString.lowercased() }
        let other = try await stores.people.invite(email: "other-\(person.email)")
        return other.id.uuidString.lowercased()
    }

    @Test(
        "RM-6 a recently issued token can create a key; an older one, or one without `iat`, cannot"
    )
    func tokens() async throws {
        try await RelateMailFixture.with { fixture in
            let now = fixture.base.clock.now.timeIntervalSince1970.rounded(.down)
            let exp = JSONValue.number(now + 7_200)
            for (iat, status) in [(.number(now - 590), 200), (.number(now - 660), 403), (nil, 403)]
                as [(JSONValue?, Int)]
            {
                let authorization = try fixture.bearer(["iat": iat, "exp": exp])
                #expect(try await fixture.profile(authorization).status == 200)
                let response = try await fixture.make(authorization)
                #expect(response.status == status)
                if status == 403 { #expect(response.json?["error"]?.string?.hasPrefix("Sign in again first") == true) }
            }
        }
    }

    @Test("RM-8 a key of any age can create its successor, with no further scopes and no later expiry")
    func rotation() async throws {
        try await RelateMailFixture.with { fixture in
            let end = fixture.base.clock.now + 2 * day
            let body: JSONValue = [
                "name": "first", "scopes": ["app"], "expiresAt": .string(RelateMailResponses.text(end)),
            ]
            let made = try await fixture.send("POST", RelateMailFixture.credentials, try fixture.bearer(), body)
            let key = "ApiKey " + (try (made.json?["apiKey"]?.string).orThrow)
            #expect(made.json?["expiresAt"]?.string == RelateMailResponses.text(end))
            fixture.base.clock.advance(day)
            let next = try await fixture.make(key, scopes: ["app"])
            #expect(next.status == 200 && next.json?["expiresAt"]?.string == RelateMailResponses.text(end))
            #expect(try await fixture.make(key, scopes: ["smtp"]).status == 403)
        }
    }
}
