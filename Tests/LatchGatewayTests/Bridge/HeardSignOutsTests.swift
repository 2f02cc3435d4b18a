import Crypto
import FoundationEssentials
import JOSE
import Testing
import Wire

@testable import LatchGateway
@testable import OpenIDConnect

/// What is remembered of providers' sign-outs.
@Suite
struct HeardSignOutsTests {
    private func token(_ id: String, at now: Date) throws -> LogoutToken {
        let claims: JSONValue = [
            "iss": "https://id.example", "aud": "gateway", "iat": .number(now.timeIntervalSince1970.rounded()),
            "jti": .string(id), "sub": "ada",
            "events": .object([.init("http://schemas.openid.net/event/backchannel-logout", [:])]),
        ]
        return try LogoutToken(
            checking: claims.encoded(),
            against: .init(issuer: "https://id.example", clientID: "gateway", now: now, maximumClockSkew: .seconds(60)))
    }

    @Test("a sign-out is remembered for as long as its token is good, for its provider alone")
    func remembers() throws {
        let clock = TestClock()
        let heard = HeardSignOuts(now: { clock.now })
        let token = try token("one", at: clock.now)
        heard.insert(token, of: "google")
        #expect(heard.contains(token, of: "google"))
        #expect(!heard.contains(token, of: "house"))
        clock.advance(token.expires.timeIntervalSince(clock.now) - 1)
        #expect(heard.contains(token, of: "google"))
        clock.advance(1)
        #expect(!heard.contains(token, of: "google"))
    }

    @Test("however many there are, no more than the capacity are remembered, the newest of them")
    func isBounded() throws {
        let clock = TestClock()
        let heard = HeardSignOuts(capacity: 100, now: { clock.now })
        for number in 0..<300 {
            heard.insert(try token("\(number)", at: clock.now), of: "google")
            clock.advance(1)
        }
        #expect(heard.count == 100)
        #expect(heard.contains(try token("299", at: clock.now), of: "google"))
        #expect(!heard.contains(try token("0", at: clock.now), of: "google"))
    }
}
