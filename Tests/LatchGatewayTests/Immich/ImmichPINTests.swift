import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The PIN and what it unlocks, over HTTP.
@Suite(.timeLimit(.minutes(20)))
struct ImmichPINTests {
    private static let pin = "123456"

    private func set(_ fixture: ImmichFixture, _ token: String, _ pin: String = Self.pin) async throws {
        let response = try await fixture.send("POST", "/auth/pin-code", token, ["pinCode": .string(pin)])
        #expect(response.status == 204)
    }

    private func unlock(
        _ fixture: ImmichFixture, _ token: String, _ pin: String = Self.pin, path: String = "/auth/session/unlock"
    ) async throws -> Exchange.Response {
        try await fixture.send("POST", path, token, ["pinCode": .string(pin)])
    }

    private func isElevated(_ fixture: ImmichFixture, _ token: String) async throws -> Bool? {
        try await fixture.send("GET", "/auth/status", token).json?["isElevated"]?.bool
    }

    @Test("IM-15 a PIN is set once, and the status says so")
    func sets() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            #expect(try await fixture.send("GET", "/auth/status", token).json?["pinCode"] == false)
            try await set(fixture, token)
            #expect(try await fixture.send("GET", "/auth/status", token).json?["pinCode"] == true)
            let again = try await fixture.send("POST", "/auth/pin-code", token, ["pinCode": "654321"])
            #expect(again.status == 400)
            #expect(again.refusal == "User already has a PIN code")
        }
    }

    @Test("IM-15 a PIN has six digits", arguments: ["12345", "1234567", "12345a", "", "１２３４５６"])
    func hasSixDigits(_ pin: String) async throws {
        try await ImmichFixture.with { fixture in
            let response = try await fixture.send(
                "POST", "/auth/pin-code", try await fixture.token(), ["pinCode": .string(pin)])
            #expect(response.status == 400)
            #expect(response.refusal == "Validation failed")
        }
    }

    @Test(
        "IM-15 by the specification a PIN of four to six digits is set and verified",
        arguments: ["1234", "12345", "123456"])
    func acceptsSpecifiedForm(_ pin: String) async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            #expect(try await fixture.send("PUT", "/auth/pin-code", token, ["pinCode": .string(pin)]).status == 204)
            #expect(
                try await unlock(fixture, token, "999999", path: "/auth/pin-code/verify").refusal == "Wrong PIN code")
            #expect(try await unlock(fixture, token, pin, path: "/auth/pin-code/verify").status == 204)
            #expect(try await isElevated(fixture, token) == true)
            let again = try await fixture.send("PUT", "/auth/pin-code", token, ["pinCode": "4321"])
            #expect(again.refusal == "User already has a PIN code")
        }
    }

    @Test("IM-15 the correct PIN unlocks only this session of the person")
    func unlocksOneSession() async throws {
        try await ImmichFixture.with { fixture in
            let (token, other) = (try await fixture.token(), try await fixture.token())
            try await set(fixture, token)
            #expect(try await unlock(fixture, token).status == 204)
            #expect(try await isElevated(fixture, token) == true)
            #expect(try await isElevated(fixture, other) == false)
            #expect(try await fixture.send("POST", "/auth/session/lock", token).status == 204)
            #expect(try await isElevated(fixture, token) == false)
        }
    }

    @Test("IM-15 unlocking lasts 15 minutes, and a request in the last five extends it by five")
    func slides() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            try await set(fixture, token)
            _ = try await unlock(fixture, token)
            fixture.base.clock.advance(9 * minute)
            #expect(try await isElevated(fixture, token) == true)
            fixture.base.clock.advance(5 * minute)
            #expect(try await isElevated(fixture, token) == true)
            fixture.base.clock.advance(4 * minute)
            #expect(try await isElevated(fixture, token) == true)
            fixture.base.clock.advance(5 * minute)
            #expect(try await isElevated(fixture, token) == false)
        }
    }

    @Test("IM-15 with constant use the unlocking ends eight hours after the PIN, which can then be entered again")
    func expiresDespiteUse() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            try await set(fixture, token)
            _ = try await unlock(fixture, token)
            for used in stride(from: 4, to: 480, by: 4) {
                fixture.base.clock.advance(4 * minute)
                try #require(try await isElevated(fixture, token) == true, "after \(used) minutes")
            }
            fixture.base.clock.advance(4 * minute)
            #expect(try await isElevated(fixture, token) == false)
            #expect(try await unlock(fixture, token).status == 204)
            fixture.base.clock.advance(14 * minute)
            #expect(try await isElevated(fixture, token) == true)
        }
    }

    @Test("IM-15 a PIN that is replaced while it is checked does not unlock the session", .onlySQLite)
    func refusesReplacedPIN() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            try await set(fixture, token)
            // Between the counting of the guess and the end of its check, as though by another request.
            let reset = Migration(
                to: 1_000, named: "a reset just then",
                """
                CREATE TRIGGER reset AFTER UPDATE OF attempts ON pins WHEN NEW.attempts = 1 BEGIN
                    UPDATE pins SET hash = replace(hash, '$argon2id', '$argon2i') WHERE person_id = NEW.person_id;
                    UPDATE sessions SET elevated_until = NULL WHERE person_id = NEW.person_id;
                END;
                """)
            let other = try await Database.open(
                .init(path: fixture.base.databasePath, applicationID: Schema.applicationID),
                migrations: Schema.migrations + [reset])
            await other.close()

            #expect(try await unlock(fixture, token).refusal == "Wrong PIN code")
            #expect(try await isElevated(fixture, token) == false)
        }
    }

    @Test("IM-15 a cached locked session is unlocked at once by its PIN, and at another gateway after its next check")
    func invalidatesCachedLock() async throws {
        try await ImmichFixture.with { fixture in
            let (token, session) = (try await fixture.token(), try await fixture.session())
            #expect(try await isElevated(fixture, token) == false)
            try await set(fixture, token)
            #expect(try await unlock(fixture, token).status == 204)
            #expect(try await isElevated(fixture, token) == true)

            _ = try await fixture.send("POST", "/auth/session/lock", token)
            #expect(try await isElevated(fixture, token) == false)
            let otherProcess = try await fixture.base.otherProcess()
            let person = try await fixture.person()
            #expect(try await otherProcess.pins.unlock(session, with: try PIN(Self.pin), of: person.id) == .right)
            await otherProcess.close()
            await fixture.base.gateway.detectExternalWrites()
            #expect(try await isElevated(fixture, token) == true)
        }
    }

    @Test("IM-15 without use the unlocking ends after 15 minutes")
    func expiresWithoutUse() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            try await set(fixture, token)
            _ = try await unlock(fixture, token)
            fixture.base.clock.advance(15 * minute)
            #expect(try await isElevated(fixture, token) == false)
        }
    }

    @Test("IM-15 five wrong PINs lock it, for longer each time, even for the correct PIN")
    func locksOut() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            try await set(fixture, token)
            for (count, seconds) in [60.0, 120, 240].enumerated() {
                for _ in 0..<5 { #expect(try await unlock(fixture, token, "000000").refusal == "Wrong PIN code") }
                let shut = try await unlock(fixture, token)
                #expect(shut.status == 429, "after lock-out \(count)")
                #expect(shut.headers["Retry-After"] == String(Int(seconds)))
                fixture.base.clock.advance(seconds)
            }
            #expect(try await unlock(fixture, token).status == 204)
        }
    }

    @Test("IM-15 the count survives a restart, and all gateways on the database share it")
    func survivesARestart() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            try await set(fixture, token)
            for _ in 0..<3 { _ = try await unlock(fixture, token, "000000") }

            let otherProcess = try await fixture.base.otherProcess()
            let person = try await fixture.person()
            #expect(try await otherProcess.pins.check(try PIN("000000"), of: person.id) == .wrong)
            #expect(try await otherProcess.pins.check(try PIN("000000"), of: person.id) == .wrong)
            #expect(try await otherProcess.pins.check(try PIN(Self.pin), of: person.id) == .limited(.seconds(60)))
            await otherProcess.close()

            #expect(try await unlock(fixture, token).status == 429)
        }
    }

    @Test("IM-15 of twenty concurrent guesses five are checked")
    func boundsConcurrentGuesses() async throws {
        try await ImmichFixture.with { fixture in
            let person = try await fixture.person()
            let pins = fixture.base.gateway.stores.pins
            try await pins.set(try PIN(Self.pin), of: person.id)

            let answers = try await withThrowingTaskGroup(of: PINStore.CheckResult.self) { group in
                for _ in 0..<20 { group.addTask { try await pins.check(try PIN("000000"), of: person.id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.count { $0 == .wrong } == 5)
            #expect(answers.count { $0 != .wrong && $0 != .right } == 15)
        }
    }

    @Test("IM-15 a PIN is changed with the old one or the password, and the password counts if both are sent")
    func changes() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            func change(_ body: JSONValue) async throws -> String? {
                let response = try await fixture.send("PUT", "/auth/pin-code", token, body)
                return response.status == 204 ? nil : response.refusal
            }
            #expect(try await change(["newPinCode": "111111", "pinCode": "123456"]) == "User does not have a PIN code")
            try await set(fixture, token)
            #expect(try await change(["newPinCode": "111111", "pinCode": "000000"]) == "Wrong PIN code")
            #expect(try await change(["newPinCode": "111111", "password": "wrong"]) == "Wrong password")
            #expect(try await change(["newPinCode": "111111"]) == "Either password or pinCode is required")
            #expect(
                try await change(["newPinCode": "111111", "pinCode": "123456", "password": "wrong"]) == "Wrong password"
            )
            #expect(try await change(["newPinCode": "111111", "pinCode": "123456"]) == nil)
            #expect(try await change(["newPinCode": "222222", "password": .string(GatewayFixture.password)]) == nil)
            #expect(try await unlock(fixture, token, "222222").status == 204)
        }
    }

    @Test("IM-15 removing the PIN requires the PIN or the password and locks every session")
    func removes() async throws {
        try await ImmichFixture.with { fixture in
            let (token, other) = (try await fixture.token(), try await fixture.token())
            try await set(fixture, token)
            for token in [token, other] { _ = try await unlock(fixture, token) }
            let refused = try await fixture.send("DELETE", "/auth/pin-code", token, [:])
            #expect(refused.refusal == "Either password or pinCode is required")
            #expect(
                try await fixture.send(
                    "DELETE", "/auth/pin-code", token, ["password": .string(GatewayFixture.password)]
                ).status
                    == 204)
            for token in [token, other] { #expect(try await isElevated(fixture, token) == false) }
            #expect(try await unlock(fixture, token).refusal == "User does not have a PIN code")
        }
    }

    @Test("IM-15 without a session every PIN route is refused, and no PIN is logged")
    func requiresSession() async throws {
        try await ImmichFixture.with { fixture in
            #expect(try await fixture.send("POST", "/auth/session/unlock", nil, ["pinCode": "123456"]).status == 401)
            let token = try await fixture.token()
            try await set(fixture, token, "918273")
            _ = try await unlock(fixture, token, "918274")
            _ = try await unlock(fixture, token, "918273")
            let log = fixture.base.lines.text
            // A PIN is too short to search for: the digits of an id may contain it by chance.
            let words = Set(log.split { !$0.isLetter && !$0.isNumber })
            #expect(words.isDisjoint(with: ["918273", "918274"]))
            let kinds = fixture.base.lines.audit.compactMap { $0["event"]?.string }
            #expect(kinds.contains("pin-changed") && kinds.contains("pin-failed") && kinds.contains("session-unlocked"))
        }
    }
}
