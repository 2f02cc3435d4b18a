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

    private func set(_ bench: ImmichBench, _ token: String, _ pin: String = Self.pin) async throws {
        let answer = try await bench.send("POST", "/auth/pin-code", token, ["pinCode": .string(pin)])
        #expect(answer.status == 204)
    }

    private func unlock(
        _ bench: ImmichBench, _ token: String, _ pin: String = Self.pin, path: String = "/auth/session/unlock"
    ) async throws -> Exchange.Answer {
        try await bench.send("POST", path, token, ["pinCode": .string(pin)])
    }

    private func isElevated(_ bench: ImmichBench, _ token: String) async throws -> Bool? {
        try await bench.send("GET", "/auth/status", token).json?["isElevated"]?.bool
    }

    @Test("IM-15 a PIN is set once and told of in the status")
    func sets() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            #expect(try await bench.send("GET", "/auth/status", token).json?["pinCode"] == false)
            try await set(bench, token)
            #expect(try await bench.send("GET", "/auth/status", token).json?["pinCode"] == true)
            let again = try await bench.send("POST", "/auth/pin-code", token, ["pinCode": "654321"])
            #expect(again.status == 400)
            #expect(again.refusal == "User already has a PIN code")
        }
    }

    @Test("IM-15 a PIN has six digits", arguments: ["12345", "1234567", "12345a", "", "１２３４５６"])
    func hasSixDigits(_ pin: String) async throws {
        try await ImmichBench.with { bench in
            let answer = try await bench.send(
                "POST", "/auth/pin-code", try await bench.token(), ["pinCode": .string(pin)])
            #expect(answer.status == 400)
            #expect(answer.refusal == "Validation failed")
        }
    }

    @Test(
        "IM-15 by the specification's form four to six digits are set and verified",
        arguments: ["1234", "12345", "123456"])
    func takesTheSpecifiedForm(_ pin: String) async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            #expect(try await bench.send("PUT", "/auth/pin-code", token, ["pinCode": .string(pin)]).status == 204)
            #expect(try await unlock(bench, token, "999999", path: "/auth/pin-code/verify").refusal == "Wrong PIN code")
            #expect(try await unlock(bench, token, pin, path: "/auth/pin-code/verify").status == 204)
            #expect(try await isElevated(bench, token) == true)
            let again = try await bench.send("PUT", "/auth/pin-code", token, ["pinCode": "4321"])
            #expect(again.refusal == "User already has a PIN code")
        }
    }

    @Test("IM-15 the right PIN unlocks this session and no other one of the person")
    func unlocksOneSession() async throws {
        try await ImmichBench.with { bench in
            let (token, other) = (try await bench.token(), try await bench.token())
            try await set(bench, token)
            #expect(try await unlock(bench, token).status == 204)
            #expect(try await isElevated(bench, token) == true)
            #expect(try await isElevated(bench, other) == false)
            #expect(try await bench.send("POST", "/auth/session/lock", token).status == 204)
            #expect(try await isElevated(bench, token) == false)
        }
    }

    @Test("IM-15 unlocking lasts 15 minutes, and a use in the last five makes it five more")
    func slides() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            try await set(bench, token)
            _ = try await unlock(bench, token)
            bench.bench.clock.advance(9 * minute)
            #expect(try await isElevated(bench, token) == true)
            bench.bench.clock.advance(5 * minute)
            #expect(try await isElevated(bench, token) == true)
            bench.bench.clock.advance(4 * minute)
            #expect(try await isElevated(bench, token) == true)
            bench.bench.clock.advance(5 * minute)
            #expect(try await isElevated(bench, token) == false)
        }
    }

    @Test("IM-15 used without a pause it ends eight hours after the PIN, and the PIN begins it anew")
    func endsHoweverMuchItIsUsed() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            try await set(bench, token)
            _ = try await unlock(bench, token)
            for used in stride(from: 4, to: 480, by: 4) {
                bench.bench.clock.advance(4 * minute)
                try #require(try await isElevated(bench, token) == true, "after \(used) minutes")
            }
            bench.bench.clock.advance(4 * minute)
            #expect(try await isElevated(bench, token) == false)
            #expect(try await unlock(bench, token).status == 204)
            bench.bench.clock.advance(14 * minute)
            #expect(try await isElevated(bench, token) == true)
        }
    }

    @Test("IM-15 a PIN that is replaced while it is checked unlocks nothing")
    func unlocksNothingByAReplacedPIN() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            try await set(bench, token)
            // Between the counting of the guess and the end of its check, as though by another request.
            let reset = Migration(
                1_000, "a reset just then",
                """
                CREATE TRIGGER reset AFTER UPDATE OF attempts ON pins WHEN NEW.attempts = 1 BEGIN
                    UPDATE pins SET hash = replace(hash, '$argon2id', '$argon2i') WHERE person_id = NEW.person_id;
                    UPDATE sessions SET elevated_until = NULL WHERE person_id = NEW.person_id;
                END;
                """)
            let other = try await Database.open(
                .init(path: bench.bench.databasePath, applicationID: Schema.applicationID),
                migrations: Schema.migrations + [reset])
            await other.close()

            #expect(try await unlock(bench, token).refusal == "Wrong PIN code")
            #expect(try await isElevated(bench, token) == false)
        }
    }

    @Test("IM-15 a session known to be locked is unlocked at once by its PIN, at another gateway when that notices")
    func isNotRememberedAsLocked() async throws {
        try await ImmichBench.with { bench in
            let (token, session) = (try await bench.token(), try await bench.session())
            #expect(try await isElevated(bench, token) == false)
            try await set(bench, token)
            #expect(try await unlock(bench, token).status == 204)
            #expect(try await isElevated(bench, token) == true)

            _ = try await bench.send("POST", "/auth/session/lock", token)
            #expect(try await isElevated(bench, token) == false)
            let elsewhere = try await bench.bench.elsewhere()
            let person = try await bench.person()
            #expect(try await elsewhere.pins.unlock(session, with: try PIN(Self.pin), of: person.id) == .right)
            await elsewhere.close()
            await bench.bench.gateway.noticeOthers()
            #expect(try await isElevated(bench, token) == true)
        }
    }

    @Test("IM-15 unused it ends after 15 minutes")
    func ends() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            try await set(bench, token)
            _ = try await unlock(bench, token)
            bench.bench.clock.advance(15 * minute)
            #expect(try await isElevated(bench, token) == false)
        }
    }

    @Test("IM-15 five wrong PINs shut it, longer each time, and the right one opens it no sooner")
    func locksOut() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            try await set(bench, token)
            for (count, seconds) in [60.0, 120, 240].enumerated() {
                for _ in 0..<5 { #expect(try await unlock(bench, token, "000000").refusal == "Wrong PIN code") }
                let shut = try await unlock(bench, token)
                #expect(shut.status == 429, "after lock-out \(count)")
                #expect(shut.headers["Retry-After"] == String(Int(seconds)))
                bench.bench.clock.advance(seconds)
            }
            #expect(try await unlock(bench, token).status == 204)
        }
    }

    @Test("IM-15 the count survives a restart, and is one for all gateways on the database")
    func survivesARestart() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            try await set(bench, token)
            for _ in 0..<3 { _ = try await unlock(bench, token, "000000") }

            let elsewhere = try await bench.bench.elsewhere()
            let person = try await bench.person()
            #expect(try await elsewhere.pins.check(try PIN("000000"), of: person.id) == .wrong)
            #expect(try await elsewhere.pins.check(try PIN("000000"), of: person.id) == .wrong)
            #expect(try await elsewhere.pins.check(try PIN(Self.pin), of: person.id) == .limited(.seconds(60)))
            await elsewhere.close()

            #expect(try await unlock(bench, token).status == 429)
        }
    }

    @Test("IM-15 of twenty guesses at once five are looked at")
    func boundsGuessesAtOnce() async throws {
        try await ImmichBench.with { bench in
            let person = try await bench.person()
            let pins = bench.bench.gateway.stores.pins
            try await pins.set(try PIN(Self.pin), of: person.id)

            let answers = try await withThrowingTaskGroup(of: PINStore.Answer.self) { group in
                for _ in 0..<20 { group.addTask { try await pins.check(try PIN("000000"), of: person.id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.count { $0 == .wrong } == 5)
            #expect(answers.count { $0 != .wrong && $0 != .right } == 15)
        }
    }

    @Test("IM-15 a PIN is changed by the old one or the password, and the password counts where both are")
    func changes() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            func change(_ body: JSONValue) async throws -> String? {
                let answer = try await bench.send("PUT", "/auth/pin-code", token, body)
                return answer.status == 204 ? nil : answer.refusal
            }
            #expect(try await change(["newPinCode": "111111", "pinCode": "123456"]) == "User does not have a PIN code")
            try await set(bench, token)
            #expect(try await change(["newPinCode": "111111", "pinCode": "000000"]) == "Wrong PIN code")
            #expect(try await change(["newPinCode": "111111", "password": "wrong"]) == "Wrong password")
            #expect(try await change(["newPinCode": "111111"]) == "Either password or pinCode is required")
            #expect(
                try await change(["newPinCode": "111111", "pinCode": "123456", "password": "wrong"]) == "Wrong password"
            )
            #expect(try await change(["newPinCode": "111111", "pinCode": "123456"]) == nil)
            #expect(try await change(["newPinCode": "222222", "password": .string(Bench.password)]) == nil)
            #expect(try await unlock(bench, token, "222222").status == 204)
        }
    }

    @Test("IM-15 taking the PIN away needs a proof and locks every session")
    func removes() async throws {
        try await ImmichBench.with { bench in
            let (token, other) = (try await bench.token(), try await bench.token())
            try await set(bench, token)
            for token in [token, other] { _ = try await unlock(bench, token) }
            let refused = try await bench.send("DELETE", "/auth/pin-code", token, [:])
            #expect(refused.refusal == "Either password or pinCode is required")
            #expect(
                try await bench.send("DELETE", "/auth/pin-code", token, ["password": .string(Bench.password)]).status
                    == 204)
            for token in [token, other] { #expect(try await isElevated(bench, token) == false) }
            #expect(try await unlock(bench, token).refusal == "User does not have a PIN code")
        }
    }

    @Test("IM-15 without a session there is no PIN, and no PIN is ever logged")
    func needsASession() async throws {
        try await ImmichBench.with { bench in
            #expect(try await bench.send("POST", "/auth/session/unlock", nil, ["pinCode": "123456"]).status == 401)
            let token = try await bench.token()
            try await set(bench, token, "918273")
            _ = try await unlock(bench, token, "918274")
            _ = try await unlock(bench, token, "918273")
            let log = bench.bench.lines.text
            // A PIN is too short to search for: the digits of an id may contain it by chance.
            let words = Set(log.split { !$0.isLetter && !$0.isNumber })
            #expect(words.isDisjoint(with: ["918273", "918274"]))
            let kinds = bench.bench.lines.audit.compactMap { $0["event"]?.string }
            #expect(kinds.contains("pin-changed") && kinds.contains("pin-failed") && kinds.contains("session-unlocked"))
        }
    }
}
