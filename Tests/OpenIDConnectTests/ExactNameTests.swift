import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import Testing

@testable import OpenIDConnect

/// Names in tokens that Unicode takes for one and that are two.
struct ExactNameTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private func claims(_ issuer: String, _ audience: String, session: String? = nil) -> [UInt8] {
        let event = "http://schemas.openid.net/event/backchannel-logout"
        let value: JSONValue = [
            "iss": .string(issuer), "aud": .string(audience), "sub": "ada-1", "iat": 1_800_000_000, "jti": "1",
            "exp": 1_800_000_300, "nonce": "n", "events": .object([.init(event, [:])]),
            "sid": session.map { .string($0) } ?? .null,
        ]
        return value.encoded()
    }

    @Test("an issuer or audience in other bytes is different", arguments: [true, false])
    func logoutToken(_ isIssuer: Bool) throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let expected = LogoutToken.Expectation(
            issuer: Self.composed, clientID: Self.composed, now: now, maximumClockSkew: .seconds(60))
        let (issuer, audience) =
            isIssuer ? (Self.decomposed, Self.composed) : (Self.composed, Self.decomposed)
        var good = try JSONValue(parsing: claims(Self.composed, Self.composed)).members ?? []
        var bad = try JSONValue(parsing: claims(issuer, audience)).members ?? []
        good.removeAll { $0.name == "nonce" }
        bad.removeAll { $0.name == "nonce" }
        #expect(try LogoutToken(checking: JSONValue.object(good).encoded(), against: expected).subject == "ada-1")
        #expect(throws: OpenIDConnectError.self) {
            try LogoutToken(checking: JSONValue.object(bad).encoded(), against: expected)
        }
    }

    @Test("the id of a session has at most 255 bytes")
    func longSession() throws {
        let expected = IDToken.Expectation(
            issuer: "i", clientID: "c", trustedAudiences: [], nonce: "n",
            now: Date(timeIntervalSince1970: 1_800_000_000), maximumClockSkew: .seconds(60), accessToken: .init("a"),
            code: .init("c"))
        func session(_ id: String) throws -> String? {
            try IDToken(checking: claims("i", "c", session: id), signedBy: .es256, against: expected).sessionID
        }
        let longest = String(repeating: "s", count: 255)
        #expect(try session(longest) == longest)
        let error = #expect(throws: OpenIDConnectError.self) { _ = try session(longest + "s") }
        #expect(error?.message.contains("'sid'") == true)
    }

    @Test("an issuer or audience of an ID token in other bytes is different", arguments: [true, false])
    func idToken(_ isIssuer: Bool) throws {
        let expected = IDToken.Expectation(
            issuer: Self.composed, clientID: Self.composed, trustedAudiences: [], nonce: "n",
            now: Date(timeIntervalSince1970: 1_800_000_000), maximumClockSkew: .seconds(60), accessToken: .init("a"),
            code: .init("c"))
        let (issuer, audience) =
            isIssuer ? (Self.decomposed, Self.composed) : (Self.composed, Self.decomposed)
        let good = claims(Self.composed, Self.composed)
        #expect(try IDToken(checking: good, signedBy: .es256, against: expected).subject == "ada-1")
        #expect(throws: OpenIDConnectError.self) {
            try IDToken(checking: claims(issuer, audience), signedBy: .es256, against: expected)
        }
    }
}
