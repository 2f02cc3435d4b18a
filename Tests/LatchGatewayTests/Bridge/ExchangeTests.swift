import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite(.timeLimit(.minutes(20)))
struct ExchangeTests {
    private func isRefused(_ response: Exchange.Response) -> Bool {
        response.status == 401
            && response.text == #"{"error_code":"UNAUTHENTICATED","detail":"Invalid or expired code"}"#
            && response.headers["Cache-Control"] == "no-store"
    }

    @Test("OX-4 OX-5 a code is valid once, and a replayed one gets the error for an unknown code")
    func replayed() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let code = try await fixture.deepLink(app)["code"]

            #expect(try await fixture.exchange(code, app.verifier).status == 200)
            #expect(try await isRefused(fixture.exchange(code, app.verifier)))
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 1)
        }
    }

    @Test("OX-4 a code is valid for 60 seconds")
    func expired() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let early = try await fixture.deepLink(app)["code"]
            fixture.base.clock.advance(59)
            #expect(try await fixture.exchange(early, app.verifier).status == 200)

            let late = try await fixture.deepLink(app)["code"]
            // With a shared store of codes, another minute is allowed for the clock of another gateway.
            fixture.base.clock.advance(TestDatabase.isServer ? 120 : 60)
            #expect(try await isRefused(fixture.exchange(late, app.verifier)))
        }
    }

    @Test("OX-4 a code expires even in a store that never deletes codes")
    func storeWithoutExpiry() async throws {
        try await BridgeFixture.with(codes: { _ in MemoryCodeStore(now: { .distantPast }) }) { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let code = try await fixture.deepLink(app)["code"]
            fixture.base.clock.advance(60)
            #expect(try await isRefused(fixture.exchange(code, app.verifier)))
        }
    }

    @Test("OX-5 a code is useless without its verifier, and a wrong verifier invalidates it")
    func stolen() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let (app, thief) = (AppSignIn(), AppSignIn())
            for guess in [
                thief.verifier.secret.reveal(), app.verifier.challenge.text, "", "x",
                app.verifier.secret.reveal() + "=",
                String(app.verifier.secret.reveal().dropLast()), String(repeating: "é", count: 43),
                String(repeating: "a", count: 129),
            ] {
                let code = try await fixture.deepLink(app)["code"]
                #expect(try await isRefused(fixture.exchange(code, guess)))
                #expect(try await isRefused(fixture.exchange(code, app.verifier)), "The code was not burnt.")
            }
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 0)
            #expect(fixture.base.lines.audit.contains { $0["reason"]?.string == "wrong-verifier" })
        }
    }

    @Test("OX-5 a verifier cannot redeem the code of another sign-in of the same person and browser")
    func otherVerifier() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            let (one, two) = (AppSignIn(), AppSignIn())
            let first = try await fixture.deepLink(one, in: browser)["code"]
            let second = try await fixture.deepLink(two, in: browser)["code"]

            #expect(try await isRefused(fixture.exchange(first, two.verifier)))
            #expect(try await isRefused(fixture.exchange(second, one.verifier)))
        }
    }

    @Test("OX-5 an invalid code gets the same response")
    func noCode() async throws {
        try await BridgeFixture.with { fixture in
            let verifier = PKCE.Verifier()
            for code in ["", "x", OneTimeCode().text, String(repeating: "A", count: 8_000), "\u{0}", "é", "../../x"] {
                let response = try await fixture.exchange(code, verifier)
                #expect(isRefused(response))
            }
        }
    }

    @Test(
        "OX-5 a body without the code or the verifier gets 422",
        arguments: [
            "", "{}", "[]", "null", #"{"code":"a"}"#, #"{"code_verifier":"a"}"#, #"{"code":1,"code_verifier":"a"}"#,
            #"{"code":null,"code_verifier":"a"}"#, #"{"code":["a"],"code_verifier":"a"}"#, "code=a&code_verifier=b",
        ])
    func malformed(_ body: String) async throws {
        try await BridgeFixture.with { fixture in
            let response = try await fixture.base.http.send(
                "POST", "/api/auth/mobile/sso/exchange", headers: [("Content-Type", "application/json")], body: body)
            #expect(response.status == 422)
            #expect(response.json?["status_code"]?.number == 422)
        }
    }

    @Test("a person who is disabled, removed or gets a new password after the callback gets no token")
    func personChanged() async throws {
        try await BridgeFixture.with { fixture in
            let people = fixture.base.gateway.stores.people
            let person = try await fixture.base.addPerson()
            let changes: [() async throws -> Void] = [
                { _ = try await people.setPassword(Secret("another horse 8"), of: person.id) },
                {
                    _ = try await people.disable(person.id)
                    _ = try await people.enable(person.id)
                },
                { _ = try await people.disable(person.id) },
            ]
            for change in changes {
                let app = AppSignIn()
                let code = try await fixture.deepLink(app)["code"]
                try await change()
                #expect(try await isRefused(fixture.exchange(code, app.verifier)))
            }
            _ = try await people.enable(person.id)
            let app = AppSignIn()
            let code = try await fixture.deepLink(app)["code"]
            _ = try await people.remove(person.id)
            #expect(try await isRefused(fixture.exchange(code, app.verifier)))
        }
    }

    @Test("OX-4 of 1,000 concurrent exchanges of one code, one succeeds")
    func race() async throws {
        try await BridgeFixture.with(["google"], codes: nil, { $0.requestRates.address = .perMinute(10_000) }) {
            fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let code = try await fixture.deepLink(app)["code"]

            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<1_000 { group.addTask { try await fixture.exchange(code, app.verifier) } }
                return try await group.reduce(into: [Exchange.Response]()) { $0.append($1) }
            }

            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { isRefused($0) } == 999)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 1)
        }
    }

    @Test("a code store that does not respond is reported at the callback and the exchange, until it is back")
    func storeOutage() async throws {
        let store = BreakableCodeStore()
        try await BridgeFixture.with(codes: { _ in store }) { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let code = try await fixture.deepLink(app)["code"]

            store.isBroken.turn(on: true)
            let exchange = try await fixture.exchange(code, app.verifier)
            #expect(exchange.status == 503)
            #expect(exchange.headers["Retry-After"] != nil)
            let fields = try await fixture.deepLink(app)
            #expect(fields["error"] == "server_error")

            store.isBroken.turn(on: false)
            #expect(try await fixture.exchange(code, app.verifier).status == 200)
        }
    }

    @Test("OX-4 100,000 abandoned sign-ins with a code use bounded memory, which is freed later")
    func abandoned() async throws {
        let clock = TestClock()
        let store = MemoryCodeStore(now: { clock.now })
        try await BridgeFixture.with(codes: { _ in store }) { fixture in
            let bridge = try fixture.base.gateway.bridge.orThrow
            let challenge = PKCE.Verifier().challenge

            for _ in 0..<100_000 {
                let record = CodeRecord(
                    challenge: challenge, person: UUID(), sessionEpoch: 0, provider: "google", expires: clock.now)
                try await bridge.save(record, under: OneTimeCode())
            }

            #expect(store.count <= 16_384)
            clock.advance(60)
            await bridge.codes.sweep()
            #expect(store.count == 0)
        }
    }

    @Test("OX-2 abandoned sign-ins use no memory, because their state is in the browsers")
    func abandonedAuthorizations() async throws {
        await #expect(processExitsWith: .success) {
            try await BridgeFixture.with { fixture in
                let bridge = try fixture.base.gateway.bridge.orThrow
                let provider = try bridge.providers["google"].orThrow
                let returnTo = PendingAuthorization.ReturnTarget.app(
                    redirect: BridgeFixture.redirect, state: "s", challenge: PKCE.Verifier().challenge)
                func begin(_ count: Int) async throws {
                    for _ in 0..<count {
                        _ = try await bridge.begin(at: provider, returnTo, callback: "http://a/c", request: "r")
                    }
                }
                try await begin(2_000)
                let before = try ProcessMemory.residentKiB()
                // A tenth of what docs/sign-in-bridge.md tells of; one that were kept would take 300 bytes at least.
                try await begin(10_000)
                let grown = try ProcessMemory.residentKiB() - before
                precondition(grown < 2 << 10, "10,000 sign-ins took \(grown) KiB.")
            }
        }
    }
}
