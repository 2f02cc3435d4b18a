import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import OpenIDConnect
@testable import SignInBridge

/// Two gateways on one database whose clocks differ by a minute. Attempts are in `SharedGuardTests`, signing keys in
/// `SharedKeyTests`.
@Suite("Clocks that differ by a minute", .timeLimit(.minutes(20)))
struct ClockDifferenceTests {
    private static let differences = [-60.0, 60]
    private let origin = RequestOrigin(
        address: ClientAddress(IPAddress("192.0.2.1")), device: SessionDevice(), request: "1")

    @Test(
        "a one-time code of one gateway can be exchanged at the other, also at the end of its life",
        arguments: differences)
    func codes(difference: Double) async throws {
        try await BridgeFixture.with(codes: nil, { $0.codes = .database }) { fixture in
            try await fixture.base.addPerson()
            let other = try await fixture.base.otherGateway(ahead: difference)
            for wait in [0, 59.0] {
                let app = AppSignIn()
                let code = OneTimeCode(try #require(try await fixture.deepLink(app)["code"]))
                fixture.base.clock.advance(wait)
                await other.services.codes?.sweep()
                let session = try await other.bridge?.redeem(
                    code, verifier: app.verifier.secret.reveal(), client: origin)
                #expect(session != nil)
            }
            let app = AppSignIn()
            let code = OneTimeCode(try #require(try await fixture.deepLink(app)["code"]))
            fixture.base.clock.advance(181)
            let late = try await other.bridge?.redeem(code, verifier: app.verifier.secret.reveal(), client: origin)
            #expect(late == nil, "A code must expire.")
            await other.close()
        }
    }

    @Test("a sign-in that one gateway began can be completed at the other", arguments: differences)
    func pendingSignIns(difference: Double) async throws {
        try await BridgeFixture.with { fixture in
            let other = try await fixture.base.otherGateway(ahead: difference)
            let (one, two) = try (fixture.base.gateway.bridge.orThrow, other.bridge.orThrow)
            let state = PendingAuthorization(
                id: "id", provider: "google", startedAt: one.now(), browser: SHA256.digest("b"),
                callback: SHA256.digest("c"), returnTo: .web(next: "/"))
            let opened = try #require(PendingAuthorization(opening: try state.sealed(one.keys), two.keys))
            #expect(opened.isLive(at: two.now()))

            let started = try TimeTrackerState.make(at: one.now(), keys: one.keys)
            #expect(TimeTrackerState.open(started.text, at: two.now(), keys: two.keys) != nil)
            await other.close()
        }
    }

    @Test(
        "a session, a recent sign-in, a key and an elevation of one gateway are valid at the other",
        arguments: differences)
    func sessions(difference: Double) async throws {
        try await ImmichFixture.with { fixture in
            let gateway = fixture.base.gateway
            let person = try await fixture.person()
            let other = try await fixture.base.otherGateway(ahead: difference)
            let credential = try await gateway.issuer.issue(for: person, device: SessionDevice())
            let found = try await other.issuer.authenticate(credential.token.reveal())
            let session = try #require(found.session)
            try SensitiveAction.makeKey.requireRecent(session.authenticated, at: other.stores.now())
            #expect(try await other.issuer.refresh(credential.token.reveal()) != nil)

            try await gateway.stores.pins.set(PIN("123456"), of: person.id)
            #expect(
                try await gateway.stores.pins.unlock(credential.session, with: PIN("123456"), of: person.id) == .right)
            #expect(try await other.stores.elevations.use(credential.session) != nil)
            // The last five minutes, in which a use extends it.
            fixture.base.clock.advance(14 * minute - 1)
            #expect(try await other.stores.elevations.use(credential.session) != nil)
            other.stores.elevations.invalidateCache()
            #expect(try await gateway.stores.elevations.use(credential.session) != nil)
            await other.close()
        }
    }

    @Test(
        "guesses of a PIN at gateways with different clocks are limited, and no lock-out is endless",
        arguments: differences)
    func pins(difference: Double) async throws {
        try await ImmichFixture.with { fixture in
            let person = try await fixture.person().id
            let other = try await fixture.base.otherGateway(ahead: difference)
            let both = [fixture.base.gateway.stores.pins, other.stores.pins]
            try await both[0].set(PIN("123456"), of: person)
            var wrong = 0
            // Two minutes: at most five guesses, and five more after a lock-out of at least nothing.
            for second in 0..<120 {
                if try await both[second % 2].check(PIN("000000"), of: person) == .wrong { wrong += 1 }
                fixture.base.clock.advance(1)
            }
            #expect(wrong <= 15)
            fixture.base.clock.advance(10 * minute)
            #expect(try await both[0].check(PIN("123456"), of: person) == .right)
            await other.close()
        }
    }

    @Test(
        "a logout token is accepted by both gateways, and its replay by none as long as one accepts it",
        arguments: differences)
    func logoutTokens(difference: Double) async throws {
        try await GatewayFixture.with { fixture in
            let other = try await fixture.otherGateway(ahead: difference)
            let issued = fixture.clock.now.timeIntervalSince1970.rounded()
            let claims: JSONValue = [
                "iss": "https://id.example", "aud": "gateway", "jti": "1", "sub": "ada", "iat": .number(issued),
                "events": .object([.init("http://schemas.openid.net/event/backchannel-logout", [:])]),
            ]
            func token(at gateway: Gateway) throws -> LogoutToken {
                try LogoutToken(
                    checking: claims.encoded(),
                    against: .init(
                        issuer: "https://id.example", clientID: "gateway", now: gateway.stores.now(),
                        maximumClockSkew: .seconds(60)))
            }
            let (one, two) = (fixture.gateway, other)
            #expect(try await one.stores.sessions.signOut(by: try token(at: one), at: "google"))
            #expect(try await two.stores.sessions.signOut(by: try token(at: two), at: "google") == false)

            // The last moment at which the gateway with the late clock accepts the token.
            let late = difference < 0 ? two : one
            let early = difference < 0 ? one : two
            let last = try token(at: late)
            fixture.clock.advance(last.expires.timeIntervalSince(late.stores.now()) - 1)
            // Another token, at which the gateway with the early clock deletes expired ones.
            let unrelated = try LogoutToken(
                checking: JSONValue.object([
                    .init("iss", "https://id.example"), .init("aud", "gateway"), .init("jti", "2"),
                    .init("sub", "bob"), .init("iat", .number(early.stores.now().timeIntervalSince1970)),
                    .init("events", .object([.init("http://schemas.openid.net/event/backchannel-logout", [:])])),
                ]).encoded(),
                against: .init(
                    issuer: "https://id.example", clientID: "gateway", now: early.stores.now(),
                    maximumClockSkew: .seconds(60)))
            #expect(try await early.stores.sessions.signOut(by: unrelated, at: "google"))
            #expect(try await late.stores.sessions.signOut(by: try token(at: late), at: "google") == false)
            await other.close()
        }
    }
}
