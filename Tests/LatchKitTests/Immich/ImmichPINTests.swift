import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// The PIN of a person at servers of every generation.
@Suite(.timeLimit(.minutes(20))) struct ImmichPINTests {
    @Test(
        "IM-15 a PIN is set, changed, used and removed, with any success status", arguments: ImmichGeneration.all
    )
    func pin(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let (dialect, client) = (ImmichDialect(), session.client)
        let (first, second) = (try PIN(Secret("123456")), try PIN(Secret("654321")))
        guard generation.hasPIN else {
            let none = try await #require(throws: LatchError.self) {
                try await dialect.perform(.set(first), with: client)
            }
            #expect(none.code == .serverRefused && none.message.contains("from version 1.133"))
            return
        }
        #expect(try await dialect.pinState(with: client) == PINState(isSet: false, isUnlocked: false))
        func refused(_ act: PINAction) async throws -> LatchError.Code {
            try await #require(throws: LatchError.self) { try await dialect.perform(act, with: client) }.code
        }
        #expect(try await refused(.remove(.pin(first))) == .serverRefused)
        try await dialect.perform(.set(first), with: client)
        #expect(try await refused(.set(second)) == .serverRefused)
        #expect(try await refused(.unlock(second)) == .wrongPIN)
        try await dialect.perform(.unlock(first), with: client)
        #expect(try await dialect.pinState(with: client).isUnlocked)
        try await dialect.perform(.lock, with: client)
        #expect(try await !dialect.pinState(with: client).isUnlocked)
        #expect(try await refused(.change(to: second, .password(Secret("wrong")))) == .wrongCredentials)
        #expect(try await refused(.change(to: second, .pin(second))) == .wrongPIN)
        try await dialect.perform(.change(to: second, .password(Secret("correct horse"))), with: client)
        try await dialect.perform(.remove(.pin(second)), with: client)
        #expect(try await !dialect.pinState(with: client).isSet)
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == true)
    }

    @Test("IM-15 if the released routes are missing, the specification's are used")
    func specifiedPIN() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            switch (request.method, request.path) {
            case ("POST", "/api/auth/pin-code"): ImmichGeneration.newest.error(405, "no")
            case ("POST", "/api/auth/session/unlock"): ImmichGeneration.newest.error(404, "no")
            case ("PUT", "/api/auth/pin-code"), ("POST", "/api/auth/pin-code/verify"): .json("{}")
            default: nil
            }
        }
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let pin = try PIN(Secret("123456"))
        try await ImmichDialect().perform(.set(pin), with: session.client)
        try await ImmichDialect().perform(.unlock(pin), with: session.client)
        #expect(
            fixture.wire.requests.filter { $0.path.hasPrefix("/api/auth/") }.suffix(4).map {
                $0.method + $0.path.dropFirst(9)
            } == [
                "POST/pin-code", "PUT/pin-code", "POST/session/unlock", "POST/pin-code/verify",
            ])
    }

    @Test("IM-15 a lock-out is reported with its time, and ends no session")
    func lockOut() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            guard request.path == "/api/auth/session/unlock" else { return nil }
            return ScriptedServer.Response(
                status: 429, headers: ["Content-Type": "application/json", "Retry-After": "30"],
                body: #"{"message":"x"}"#)
        }
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let error = try await #require(throws: LatchError.self) {
            try await ImmichDialect().perform(.unlock(try PIN(Secret("123456"))), with: session.client)
        }
        #expect(error.code == .rateLimited && error.retryAfter == .seconds(30) && error.message.contains("30 seconds"))
        #expect(session.state.isSignedIn)
    }

    @Test("IM-15 a PIN of four digits is accepted by the specification's routes, and reported as too short elsewhere")
    func shortPIN() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let pin = try PIN(Secret("1234"))
        fixture.immich.intercept { request in
            let isPIN = request.path.hasPrefix("/api/auth/pin-code") || request.path == "/api/auth/session/unlock"
            return isPIN ? ImmichGeneration.newest.invalid("pinCode", "must match") : nil
        }
        let error = try await #require(throws: LatchError.self) {
            try await ImmichDialect().perform(.set(pin), with: session.client)
        }
        #expect(error.code == .invalidRequest && error.message.contains("exactly six digits"), "\(error)")

        fixture.immich.intercept { request in
            switch (request.method, request.path) {
            case ("POST", "/api/auth/pin-code"): ImmichGeneration.newest.error(405, "no")
            case ("POST", "/api/auth/session/unlock"): ImmichGeneration.newest.error(404, "no")
            case ("PUT", "/api/auth/pin-code"), ("POST", "/api/auth/pin-code/verify"):
                request.json == ["pinCode": "1234"] ? .json("{}") : .json("{}", 400)
            default: nil
            }
        }
        try await ImmichDialect().perform(.set(pin), with: session.client)
        try await ImmichDialect().perform(.unlock(pin), with: session.client)
    }

    @Test("IM-15 four to six digits are a PIN", arguments: ["", "123", "1234567", "12345a", "１２３４５６", "12 456"])
    func noPIN(_ text: String) throws {
        #expect(throws: LatchError.self) { try PIN(Secret(text)) }
    }
}
