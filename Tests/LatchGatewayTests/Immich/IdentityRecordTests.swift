import Crypto
import FoundationEssentials
import OAuth
import OpenIDConnect
import Testing

@testable import SignInBridge

/// What a code stands for while it is open who that is.
struct IdentityRecordTests {
    @Test("an identity with two hundred long group names round-trips unchanged, and only under its code")
    func roundTrip() throws {
        let keys = BridgeKeys(Secret.random(32))
        var identity = ProviderIdentity(
            issuer: "https://id.example.org", subject: "ada-1", email: "ada@example.org", isEmailVerified: true,
            name: "Ada", sessionID: "s-1")
        identity.groups = (0..<200).map { String(repeating: "\"", count: 250) + String($0) }
        let code = OneTimeCode()
        let record = IdentityRecord(
            challenge: PKCE.Verifier().challenge, identity: identity, provider: "google",
            identifiedAt: Date(timeIntervalSince1970: 1_789_999_940.25),
            expires: Date(timeIntervalSince1970: 1_790_000_000)
        )

        let box = try record.sealed(for: code, keys)

        let again = try #require(IdentityRecord(opening: box, for: code, keys))
        #expect(again.identity == identity && again.identifiedAt == record.identifiedAt)
        #expect(again.challenge == record.challenge && again.provider == "google" && again.expires == record.expires)
        #expect(IdentityRecord(opening: box, for: OneTimeCode(), keys) == nil)
        #expect(CodeRecord(opening: box, for: code, keys) == nil)
    }
}
