import Crypto
import FoundationEssentials
import HTTPMessages
import ServerMessages
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct SignInTests {
    @Test("nobody who has not signed in can make the gateway hold more than 16 KiB")
    func largeForm() async throws {
        try await Bench.with { bench in
            let answer = try await bench.login(password: String(repeating: "x", count: 20_000))
            #expect(answer.status == 413)
        }
    }

    @Test("OX-1 a sign-in gives a bearer token, which opens /me, is refreshed and ended")
    func wholeSession() async throws {
        try await Bench.with { bench in
            let person = try await bench.addPerson()

            let login = try await bench.login(" Ada@Example.ORG ")
            #expect(login.status == 200)
            #expect(login.json?["token_type"]?.string == "bearer")
            #expect(login.json?.members?.count == 2)
            #expect(login.headers["Set-Cookie"] == nil)
            #expect(login.headers["Cache-Control"] == "no-store")
            let token = try #require(login.token)
            #expect(token.utf8.count == 43)
            #expect(Base64URL.decode(token)?.count == 32)

            let me = try await bench.me(token)
            #expect(me.status == 200)
            #expect(me.headers["Cache-Control"] == "no-store")
            #expect(me.headers["Content-Type"] == "application/json")
            #expect(me.json?["id"]?.string == person.id.uuidString.lowercased())
            #expect(me.json?["email"]?.string == "ada@example.org")
            #expect(me.json?["personalization"]?["name"]?.string == "Ada")

            let refresh = try await bench.refresh(token)
            #expect(refresh.status == 200)
            #expect(refresh.token == token)
            #expect(refresh.headers["Cache-Control"] == "no-store")

            #expect(try await bench.logout(token).status == 204)
            #expect(try await bench.me(token).status == 403)
        }
    }

    @Test("/me has every member that Onyx sends")
    func membersOfMe() async throws {
        try await Bench.with { bench in
            try await bench.addPerson()
            let me = try await bench.me(try await bench.token())
            let names: Set = [
                "id", "email", "is_active", "is_superuser", "is_verified", "account_type", "preferences",
                "personalization",
                "token_expires_at", "is_cloud_superuser", "team_name", "is_anonymous_user", "password_configured",
                "tenant_info", "effective_permissions", "is_group_manager", "admin_capabilities",
            ]
            #expect(Set(me.json?.members?.map(\.name) ?? []) == names)
            let user = try JSON.decode(OnyxUser.self, from: me.body)
            #expect(user.isActive)
            #expect(user.tokenExpiresAt == Timestamp.text(bench.clock.now + .seconds(7 * day)))
        }
    }

    @Test("OX-13 TT-11 signing out answers 204 with an empty body and ends the session on the server")
    func signOut() async throws {
        try await Bench.with { bench in
            try await bench.addPerson()
            let token = try await bench.token()
            let other = try await bench.token()

            let answer = try await bench.logout(token)

            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
            #expect(try await bench.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await bench.refresh(token).status == 401)
            #expect(try await bench.logout(token).status == 401)
            #expect(try await bench.me(other).status == 200)
        }
    }

    @Test("a wrong password, an unknown and a disabled person get the same answer")
    func oneAnswerForAll() async throws {
        try await Bench.with { bench in
            try await bench.addPerson()
            let disabled = try await bench.addPerson("off@example.org")
            try await bench.gateway.stores.people.disable(disabled.id)

            let wrong = try await bench.login(password: "not this one")
            let unknown = try await bench.login("nobody@example.org")
            let off = try await bench.login("off@example.org")

            #expect(wrong.status == 400)
            #expect(wrong.text == #"{"detail":"LOGIN_BAD_CREDENTIALS"}"#)
            for answer in [unknown, off] {
                #expect(answer.status == wrong.status)
                #expect(answer.body == wrong.body)
                #expect(answer.headers.map(\.name) == wrong.headers.map(\.name))
            }
        }
    }

    @Test("somebody unknown costs a hash like somebody known", arguments: [Bench.email, "nobody@example.org"])
    func unknownCostsAHash(email: String) async throws {
        try await Bench.with {
            $0.hashing.threads = 1
        } _: { bench in
            try await bench.addPerson()
            let pool = bench.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()

            async let answer = bench.login(email, password: "not this one")
            try await until { pool.depth > 0 }
            gate.open()

            #expect(try await answer.status == 400)
        }
    }

    @Test(
        "a missing field is 422 in the envelope of validation",
        arguments: ["", "username=a%40b.c", "password=x", "username=&password=x", "username=a%40b.c&password="])
    func missingFields(body: String) async throws {
        try await Bench.with { bench in
            let answer = try await bench.http.send(
                "POST", "/api/auth/mobile/login", headers: [("Content-Type", FormURLEncoded.mediaType)], body: body)
            #expect(answer.status == 422)
            #expect(answer.json?["status_code"]?.number == 422)
            #expect(answer.json?["message"]?.string?.isEmpty == false)
            #expect(answer.json?["data"] == .null)
        }
    }

    @Test("JSON is no form: 422")
    func jsonLogin() async throws {
        try await Bench.with { bench in
            let answer = try await bench.http.send(
                "POST", "/api/auth/mobile/login", headers: [("Content-Type", "application/json")],
                body: #"{"username":"a@b.c","password":"x"}"#)
            #expect(answer.status == 422)
        }
    }

    @Test("a hash of other parameters is replaced at the next sign-in, and nobody is signed out by it")
    func rehash() async throws {
        try await Bench.with { bench in
            var old = bench.gateway.stores.settings
            old.auditPath = nil
            old.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: 2)
            let stores = try await GatewayStores.open(old, logWriter: LogWriter { _ in })
            _ = try await stores.people.add(email: Bench.email, password: Secret(Bench.password))
            await stores.close()
            let before = try await bench.gateway.stores.people.credential(EmailAddress(normalizing: Bench.email))

            let token = try await bench.token()

            let after = try await bench.gateway.stores.people.credential(EmailAddress(normalizing: Bench.email))
            #expect(before?.hash != nil)
            #expect(after?.hash?.rawValue != before?.hash?.rawValue)
            #expect(after?.hash.map(bench.gateway.stores.hasher.isOutdated) == false)
            #expect(try await bench.me(token).status == 200)
            #expect(try await bench.login().status == 200)
        }
    }

    @Test("the right password of a disabled person is a failure like any other: it counts, and renews no hash")
    func disabledIsAFailure() async throws {
        try await Bench.with {
            $0.accountLimit = AttemptLimit(attempts: 2, window: .seconds(900))
        } _: { bench in
            var old = bench.gateway.stores.settings
            old.auditPath = nil
            old.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: 2)
            let stores = try await GatewayStores.open(old, logWriter: LogWriter { _ in })
            let person = try await stores.people.add(email: Bench.email, password: Secret(Bench.password))
            try await stores.people.disable(person.id)
            await stores.close()

            for _ in 0..<2 { #expect(try await bench.login().status == 400) }
            #expect(try await bench.login().status == 429)

            let reasons = bench.lines.audit.filter { $0["event"]?.string == "sign-in-failed" }.map {
                $0["reason"]?.string
            }
            #expect(reasons == ["disabled", "disabled"])
            let after = try await bench.gateway.stores.people.credential(EmailAddress(normalizing: Bench.email))
            #expect(after?.hash.map(bench.gateway.stores.hasher.isOutdated) == true)
        }
    }

    @Test("a refused sign-in takes the time of every kind of hash that people have, the dearest four at most")
    func kinds() async throws {
        try await Bench.with { bench in
            let hasher = bench.gateway.stores.hasher
            let current = try Argon2idParameters(memoryKiB: 8, iterations: 1)
            #expect(hasher.kinds == [current])
            for iterations in 2...6 {
                var other = bench.gateway.stores.settings
                other.auditPath = nil
                other.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: iterations)
                let stores = try await GatewayStores.open(other, logWriter: LogWriter { _ in })
                _ = try await stores.people.add(email: "\(iterations)@example.org", password: Secret(Bench.password))
                _ = try await stores.people.add(email: "\(iterations)b@example.org", password: Secret(Bench.password))
                await stores.close()
            }

            await bench.gateway.loadHashKinds()

            let dearest = try [6, 5, 4].map { try Argon2idParameters(memoryKiB: 16, iterations: $0) }
            #expect(hasher.kinds == [current] + dearest)
            #expect(try await bench.login("5@example.org", password: "not this one").status == 400)
            #expect(try await bench.login("nobody@example.org").status == 400)
            #expect(try await bench.login("5@example.org").status == 200)
        }
    }

    @Test("a wrong password leaves an outdated hash as it is")
    func noRehashAfterFailure() async throws {
        try await Bench.with { bench in
            var old = bench.gateway.stores.settings
            old.auditPath = nil
            old.hashing.parameters = try Argon2idParameters(memoryKiB: 16, iterations: 2)
            let stores = try await GatewayStores.open(old, logWriter: LogWriter { _ in })
            _ = try await stores.people.add(email: Bench.email, password: Secret(Bench.password))
            await stores.close()

            #expect(try await bench.login(password: "not this one").status == 400)

            let after = try await bench.gateway.stores.people.credential(EmailAddress(normalizing: Bench.email))
            #expect(after?.hash.map(bench.gateway.stores.hasher.isOutdated) == true)
        }
    }
}
