import Crypto
import FoundationEssentials
import HTTPMessages
import ServerMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct SignInTests {
    @Test("a client that is not signed in cannot make the gateway buffer more than 16 KiB")
    func largeForm() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.login(password: String(repeating: "x", count: 20_000))
            #expect(response.status == 413)
        }
    }

    @Test("OX-1 a sign-in returns a bearer token, which is accepted by /me, refreshed and ended")
    func sessionLifecycle() async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()

            let login = try await fixture.login(" Ada@Example.ORG ")
            #expect(login.status == 200)
            #expect(login.json?["token_type"]?.string == "bearer")
            #expect(login.json?.members?.count == 2)
            #expect(login.headers["Set-Cookie"] == nil)
            #expect(login.headers["Cache-Control"] == "no-store")
            let token = try #require(login.token)
            #expect(token.utf8.count == 43)
            #expect(Base64URL.decode(token)?.count == 32)

            let me = try await fixture.me(token)
            #expect(me.status == 200)
            #expect(me.headers["Cache-Control"] == "no-store")
            #expect(me.headers["Content-Type"] == "application/json")
            #expect(me.json?["id"]?.string == person.id.uuidString.lowercased())
            #expect(me.json?["email"]?.string == "ada@example.org")
            #expect(me.json?["personalization"]?["name"]?.string == "Ada")

            let refresh = try await fixture.refresh(token)
            #expect(refresh.status == 200)
            #expect(refresh.token == token)
            #expect(refresh.headers["Cache-Control"] == "no-store")

            #expect(try await fixture.logout(token).status == 204)
            #expect(try await fixture.me(token).status == 403)
        }
    }

    @Test("/me has every member that Onyx sends")
    func membersOfMe() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let me = try await fixture.me(try await fixture.token())
            let names: Set = [
                "id", "email", "is_active", "is_superuser", "is_verified", "account_type", "preferences",
                "personalization",
                "token_expires_at", "is_cloud_superuser", "team_name", "is_anonymous_user", "password_configured",
                "tenant_info", "effective_permissions", "is_group_manager", "admin_capabilities",
            ]
            #expect(Set(me.json?.members?.map(\.name) ?? []) == names)
            let user = try JSON.decode(OnyxUser.self, from: me.body)
            #expect(user.isActive)
            #expect(user.tokenExpiresAt == Timestamp.text(fixture.clock.now + .seconds(7 * day)))
        }
    }

    @Test("OX-13 TT-11 signing out returns 204 with an empty body and ends the session on the server")
    func signOut() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let other = try await fixture.token()

            let response = try await fixture.logout(token)

            #expect(response.status == 204)
            #expect(response.body.isEmpty)
            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await fixture.refresh(token).status == 401)
            #expect(try await fixture.logout(token).status == 401)
            #expect(try await fixture.me(other).status == 200)
        }
    }

    @Test("a wrong password, an unknown and a disabled person get the same response")
    func uniformRefusals() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let disabled = try await fixture.addPerson("off@example.org")
            try await fixture.gateway.stores.people.disable(disabled.id)

            let wrong = try await fixture.login(password: "not this one")
            let unknown = try await fixture.login("nobody@example.org")
            let off = try await fixture.login("off@example.org")

            #expect(wrong.status == 400)
            #expect(wrong.text == #"{"detail":"LOGIN_BAD_CREDENTIALS"}"#)
            for response in [unknown, off] {
                #expect(response.status == wrong.status)
                #expect(response.body == wrong.body)
                #expect(response.headers.map(\.name) == wrong.headers.map(\.name))
            }
        }
    }

    @Test("an unknown person costs a hash like a known one", arguments: [GatewayFixture.email, "nobody@example.org"])
    func unknownPersonCostsHash(email: String) async throws {
        try await GatewayFixture.with {
            $0.hashing.threads = 1
        } _: { fixture in
            try await fixture.addPerson()
            let pool = fixture.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()

            async let response = fixture.login(email, password: "not this one")
            try await until { pool.depth > 0 }
            gate.open()

            #expect(try await response.status == 400)
        }
    }

    @Test(
        "a missing field gets 422 in the validation error format",
        arguments: ["", "username=a%40b.c", "password=x", "username=&password=x", "username=a%40b.c&password="])
    func missingFields(body: String) async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.http.send(
                "POST", "/api/auth/mobile/login", headers: [("Content-Type", FormURLEncoded.mediaType)], body: body)
            #expect(response.status == 422)
            #expect(response.json?["status_code"]?.number == 422)
            #expect(response.json?["message"]?.string?.isEmpty == false)
            #expect(response.json?["data"] == .null)
        }
    }

    @Test("JSON instead of a form gets 422")
    func jsonLogin() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.http.send(
                "POST", "/api/auth/mobile/login", headers: [("Content-Type", "application/json")],
                body: #"{"username":"a@b.c","password":"x"}"#)
            #expect(response.status == 422)
        }
    }

    @Test("a hash with other parameters is replaced at the next sign-in, and no session ends")
    func rehash() async throws {
        try await GatewayFixture.with { fixture in
            var old = fixture.gateway.stores.settings
            old.auditPath = nil
            old.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: 2)
            let stores = try await GatewayStores.open(old, logWriter: LogWriter { _ in })
            _ = try await stores.people.add(email: GatewayFixture.email, password: Secret(GatewayFixture.password))
            await stores.close()
            let before = try await fixture.gateway.stores.people.credential(
                EmailAddress(normalizing: GatewayFixture.email))

            let token = try await fixture.token()

            let after = try await fixture.gateway.stores.people.credential(
                EmailAddress(normalizing: GatewayFixture.email))
            #expect(before?.hash != nil)
            #expect(after?.hash?.rawValue != before?.hash?.rawValue)
            #expect(after?.hash.map(fixture.gateway.stores.hasher.isOutdated) == false)
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test("the correct password of a disabled person counts as a failure and renews no hash")
    func disabledIsAFailure() async throws {
        try await GatewayFixture.with {
            $0.accountLimit = AttemptLimit(attempts: 2, window: .seconds(900))
        } _: { fixture in
            var old = fixture.gateway.stores.settings
            old.auditPath = nil
            old.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: 2)
            let stores = try await GatewayStores.open(old, logWriter: LogWriter { _ in })
            let person = try await stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password))
            try await stores.people.disable(person.id)
            await stores.close()

            for _ in 0..<2 { #expect(try await fixture.login().status == 400) }
            #expect(try await fixture.login().status == 429)

            let reasons = fixture.lines.audit.filter { $0["event"]?.string == "sign-in-failed" }.map {
                $0["reason"]?.string
            }
            #expect(reasons == ["disabled", "disabled"])
            let after = try await fixture.gateway.stores.people.credential(
                EmailAddress(normalizing: GatewayFixture.email))
            #expect(after?.hash.map(fixture.gateway.stores.hasher.isOutdated) == true)
        }
    }

    @Test("a refused sign-in computes every kind of hash in use, at most the four most expensive")
    func kinds() async throws {
        try await GatewayFixture.with { fixture in
            let hasher = fixture.gateway.stores.hasher
            let current = try Argon2idParameters(memoryKiB: 8, iterations: 1)
            #expect(hasher.kinds == [current])
            for iterations in 2...6 {
                var other = fixture.gateway.stores.settings
                other.auditPath = nil
                other.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: iterations)
                let stores = try await GatewayStores.open(other, logWriter: LogWriter { _ in })
                _ = try await stores.people.add(
                    email: "\(iterations)@example.org", password: Secret(GatewayFixture.password))
                _ = try await stores.people.add(
                    email: "\(iterations)b@example.org", password: Secret(GatewayFixture.password))
                await stores.close()
            }

            await fixture.gateway.loadHashKinds()

            let dearest = try [6, 5, 4].map { try Argon2idParameters(memoryKiB: 16, iterations: $0) }
            #expect(hasher.kinds == [current] + dearest)
            #expect(try await fixture.login("5@example.org", password: "not this one").status == 400)
            #expect(try await fixture.login("nobody@example.org").status == 400)
            #expect(try await fixture.login("5@example.org").status == 200)
        }
    }

    @Test("a wrong password does not change an outdated hash")
    func noRehashAfterFailure() async throws {
        try await GatewayFixture.with { fixture in
            var old = fixture.gateway.stores.settings
            old.auditPath = nil
            old.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: 2)
            let stores = try await GatewayStores.open(old, logWriter: LogWriter { _ in })
            _ = try await stores.people.add(email: GatewayFixture.email, password: Secret(GatewayFixture.password))
            await stores.close()

            #expect(try await fixture.login(password: "not this one").status == 400)

            let after = try await fixture.gateway.stores.people.credential(
                EmailAddress(normalizing: GatewayFixture.email))
            #expect(after?.hash.map(fixture.gateway.stores.hasher.isOutdated) == true)
        }
    }
}
