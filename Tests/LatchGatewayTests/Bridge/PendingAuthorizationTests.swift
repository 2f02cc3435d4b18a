import Crypto
import FoundationEssentials
import OAuth
import TestSupport
import Testing

@testable import GatewayCore
@testable import SignInBridge

@Suite struct PendingAuthorizationTests {
    private let keys = BridgeKeys(Secret(bytes: [UInt8](repeating: 7, count: 32)))
    private let now = Date(timeIntervalSince1970: 1_790_000_000.75)
    private let verifier = PKCE.Verifier()
    private let callback = SHA256.digest("https://id.example.org/api/auth/oauth/callback")

    private func state(_ secret: BrowserSecret, _ returnTo: PendingAuthorization.ReturnTarget? = nil)
        -> PendingAuthorization
    {
        let app = PendingAuthorization.ReturnTarget.app(
            redirect: "onyx://auth/callback", state: "s t&å", challenge: verifier.challenge)
        return PendingAuthorization(
            id: secret.id, provider: "google", startedAt: now, browser: secret.digest, callback: callback,
            returnTo: returnTo ?? app)
    }

    @Test("OX-3 a state round-trips unchanged and does not reveal its content")
    func roundTrip() throws {
        let secret = BrowserSecret(startedAt: now)
        for state in [state(secret), state(secret, .web(next: "/a?b=c")), state(secret, .web(next: ""))] {
            let text = try state.sealed(keys)

            #expect(PendingAuthorization(opening: text, keys) == state)
            #expect(try state.sealed(keys) != text)
            let bytes = try #require(Base64URL.decode(text))
            #expect(!bytes.leaks("onyx://callback"))
        }
    }

    @Test("only the state says whether the person must sign in again")
    func requiresSignIn() throws {
        let secret = BrowserSecret(startedAt: now)
        for requiresReauthentication in [true, false] {
            let state = PendingAuthorization(
                id: secret.id, provider: "google", startedAt: now, browser: secret.digest, callback: callback,
                requiresReauthentication: requiresReauthentication, returnTo: .web(next: "/"))
            #expect(
                PendingAuthorization(opening: try state.sealed(keys), keys)?.requiresReauthentication
                    == requiresReauthentication)
        }
        let fields = [
            Array("a".utf8), Array("b".utf8), [UInt8](bigEndian: Int64(1)), secret.digest.bytes, callback.bytes,
        ]
        #expect(PendingAuthorization(fields + [[1], Array("/".utf8)])?.requiresReauthentication == true)
        for flag: [UInt8] in [[], [2], [0, 1], Array("/".utf8)] {
            #expect(PendingAuthorization(fields + [flag, Array("/".utf8)]) == nil)
        }
    }

    @Test("OX-3 a modified or truncated state, or one sealed with another key, is refused")
    func forged() throws {
        let text = try state(BrowserSecret(startedAt: now)).sealed(keys)
        let bytes = try #require(Base64URL.decode(text))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(PendingAuthorization(opening: Base64URL.encode(changed), keys) == nil)
            #expect(PendingAuthorization(opening: Base64URL.encode(Array(bytes[..<index])), keys) == nil)
        }
        #expect(PendingAuthorization(opening: text, BridgeKeys(Secret.random(32))) == nil)
        #expect(PendingAuthorization(opening: text + "=", keys) == nil)
        #expect(PendingAuthorization(opening: String(repeating: "A", count: 100_000), keys) == nil)
    }

    @Test("a value sealed as a code is refused as a state, and the other way round")
    func contexts() throws {
        let code = OneTimeCode()
        let record = CodeRecord(
            challenge: verifier.challenge, person: UUID(), sessionEpoch: 3, provider: "google", expires: now)
        let box = try record.sealed(for: code, keys)

        #expect(CodeRecord(opening: box, for: code, keys)?.person == record.person)
        #expect(CodeRecord(opening: box, for: OneTimeCode(), keys) == nil, "Another code opened the record.")
        #expect(PendingAuthorization(opening: Base64URL.encode(box), keys) == nil)
    }

    @Test("a state is valid for an hour, with a tolerance of a minute for the clock")
    func expiry() {
        let state = state(BrowserSecret(startedAt: now))
        #expect(state.isLive(at: now))
        #expect(state.isLive(at: now + .seconds(3_598)))
        #expect(!state.isLive(at: now + .seconds(3_600)))
        #expect(state.isLive(at: now - .seconds(59)))
        #expect(!state.isLive(at: now - .seconds(62)))
    }

    @Test("OX-3 a state belongs to one browser, and the values for the provider derive from its secret")
    func browser() throws {
        let secret = BrowserSecret(startedAt: now)
        let other = BrowserSecret(startedAt: now)
        let state = state(secret)

        #expect(state.belongs(to: secret))
        #expect(!state.belongs(to: other))
        let again = try #require(BrowserSecret(id: secret.id, value: secret.secret.reveal()))
        #expect(again.nonce(keys) == secret.nonce(keys))
        #expect(again.verifier(keys) == secret.verifier(keys))
        #expect(other.nonce(keys) != secret.nonce(keys))
        #expect(secret.nonce(keys) != secret.verifier(keys).secret.reveal())
        #expect(secret.nonce(BridgeKeys(Secret.random(32))) != secret.nonce(keys))
    }

    @Test("ids are ordered by the start of the sign-ins")
    func order() throws {
        let ids = (0..<50).map { BrowserSecret(startedAt: now + .seconds($0 * 100)).id }
        let sorted = try ids.shuffled().sorted {
            try #require(BrowserSecret.age($0)).lexicographicallyPrecedes(try #require(BrowserSecret.age($1)))
        }
        #expect(sorted == ids)
        #expect(BrowserSecret(id: "x", value: BrowserSecret(startedAt: now).secret.reveal()) == nil)
        #expect(BrowserSecret(id: ids[0], value: "short") == nil)
    }
}
