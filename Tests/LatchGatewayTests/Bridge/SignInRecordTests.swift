import Crypto
import FoundationEssentials
import OAuth
import TestSupport
import Testing

@testable import SignInBridge

@Suite struct SignInRecordTests {
    private let keys = BridgeKeys(.random(32))
    private let start = SignInRecord(
        route: .app, provider: "google", redirect: "timetracker://oauth/callback", verifier: PKCE.Verifier(),
        nonce: "a nonce", expires: Date(timeIntervalSince1970: 1_790_000_600))

    @Test("TT-3 the record of a sign-in round-trips unchanged and does not reveal the verifier")
    func roundTrip() throws {
        let box = try start.sealed(for: "state", keys)
        #expect(SignInRecord(opening: box, for: "state", keys) == start)
        let verifier = Array(start.verifier.secret.reveal().utf8)
        #expect(!box.indices.dropLast(verifier.count).contains { box[$0...].starts(with: verifier) })
        #expect(!"\(start)".leaks(start.verifier.secret.reveal()))
    }

    @Test("A record is refused with another state or key, or with a changed byte")
    func sealed() throws {
        let box = try start.sealed(for: "state", keys)
        #expect(SignInRecord(opening: box, for: "State", keys) == nil)
        #expect(SignInRecord(opening: box, for: "state", BridgeKeys(.random(32))) == nil)
        for index in box.indices {
            var other = box
            other[index] ^= 1
            #expect(SignInRecord(opening: other, for: "state", keys) == nil)
            #expect(SignInRecord(opening: Array(box[..<index]), for: "state", keys) == nil)
        }
    }
}
