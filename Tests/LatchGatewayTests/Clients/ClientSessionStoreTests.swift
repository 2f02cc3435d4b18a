import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Sessions and tokens of clients", .timeLimit(.minutes(20)))
struct ClientSessionStoreTests {
    @Test("issued tokens belong to a session of the person, with the grant")
    func issued() async throws {
        try await ClientSessionFixture.with { fixture in
            let tokens = try await fixture.issue()

            let access = try #require(try await fixture.access(tokens.accessToken))
            #expect(access.grant == ClientSessionFixture.grant && access.session.person == fixture.person)
            #expect(access.session.id == tokens.session && !access.mustChangePassword)
            #expect(access.expires == fixture.clock.now + .seconds(600) && tokens.expiresIn == .seconds(600))
            #expect(tokens.person == fixture.person.id && tokens.grant == ClientSessionFixture.grant)
            let session = try await fixture.session(tokens.session)
            #expect(session.device == SessionDevice(name: "Notes", kind: "App", address: "192.0.2.7"))
            #expect(session.state(at: fixture.clock.now) == .live)
            for text in ["", tokens.refreshToken.reveal(), Base64URL.encode(SecureRandom.bytes(32))] {
                #expect(try await fixture.store.authenticate(text) == nil)
            }
        }
    }

    @Test("a person who signed out everywhere or was disabled since they were read gets no tokens")
    func issuedLate() async throws {
        try await ClientSessionFixture.with { fixture in
            try await fixture.stores.sessions.revokeAll(of: fixture.person.id)
            let error = await #expect(throws: GatewayError.self) { try await fixture.issue() }
            #expect(error?.code == .unknownPerson)
            let ada = try await fixture.stores.people.require(GatewayFixture.email)
            _ = try await fixture.issue(to: ada)
            _ = try await fixture.stores.people.disable(ada.id)
            await #expect(throws: GatewayError.self) { try await fixture.issue(to: ada) }
            #expect(try await fixture.count("client_sessions") == 1)
        }
    }

    @Test("RFC 6749 §10.5 a client whose access was removed since gets no tokens, also at the last moment")
    func consent() async throws {
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            for _ in 1...2 {
                let error = await #expect(throws: GatewayError.self) { try await fixture.issue(requiresConsent: true) }
                #expect(error?.code == .unknownClient)
                try await clients.allow(ClientSessionFixture.grant, by: fixture.person.id)
                _ = try await fixture.issue(requiresConsent: true)
                let asking = Session(now: fixture.person, fixture.base.clock.now)
                _ = try await clients.withdraw(ClientSessionFixture.grant.client, asking: asking)
            }
            #expect(try await fixture.count("client_sessions") == 2)
        }
    }

    @Test("RFC 9700 §4.14 if somebody binds the next refresh token to a key, the use of the first one ends the session")
    func boundByAnother() async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            let stolen = try #require(try await fixture.refresh(first.refreshToken, key: "thief").tokens)
            guard case .stolen = try await fixture.refresh(first.refreshToken) else {
                Issue.record("The session of two parties lives.")
                return
            }
            #expect(try await fixture.refresh(stolen.refreshToken, key: "thief").tokens == nil)
            // A client that begins to prove a key may lose a response, and a thief without the key ends nothing.
            let second = try await fixture.issue()
            let bound = try #require(try await fixture.refresh(second.refreshToken, key: "own").tokens)
            let again = try #require(try await fixture.refresh(second.refreshToken, key: "own").tokens)
            #expect(again.refreshToken.reveal() == bound.refreshToken.reveal())
            guard case .otherKey = try await fixture.refresh(bound.refreshToken) else {
                Issue.record("A bound refresh token was accepted without its key, or ended the session.")
                return
            }
            #expect(try await fixture.refresh(bound.refreshToken, key: "own").tokens != nil)
        }
    }

    @Test("a session that the identity provider signs out ends the client's that was allowed in it")
    func provider() async throws {
        try await ClientSessionFixture.with { fixture in
            let browser = try await fixture.base.gateway.issuer.issue(for: fixture.person, device: SessionDevice())
            try await fixture.stores.sessions.record(provider: "google", "their session", of: browser.session)
            let tokens = try await fixture.issue(from: browser.session)
            #expect(try await fixture.stores.sessions.provider(of: tokens.session) == "google")
            let now = fixture.clock.now
            let ended = try await fixture.stores.database.write { connection in
                try connection.all(ProviderSessionStatements.end, now, "revoked", "google", "their session")
            }
            #expect(ended.count == 2)
            #expect(try await fixture.access(tokens.accessToken) == nil)
        }
    }

    @Test("a refresh gets new tokens, and the access token before it stays valid until it expires")
    func refreshed() async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            let second = try await fixture.renewed(first.refreshToken)

            #expect(Set(first.texts).isDisjoint(with: second.texts) && second.session == first.session)
            #expect(second.grant == first.grant && second.person == first.person)
            #expect(try await fixture.access(second.accessToken) != nil)
            #expect(try await fixture.access(first.accessToken) != nil)
            fixture.clock.advance(599)
            #expect(try await fixture.access(second.accessToken) != nil)
            fixture.clock.advance(1)
            #expect(try await fixture.access(second.accessToken) == nil)
            #expect(try await fixture.access(first.accessToken) == nil)
        }
    }

    @Test("OX-6 a refresh whose response was lost gets the same tokens again")
    func lost() async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            let second = try await fixture.renewed(first.refreshToken)
            fixture.clock.advance(minute)
            for _ in 0..<3 {
                let repeated = try await fixture.renewed(first.refreshToken)
                #expect(repeated.texts == second.texts && repeated.expiresIn == .seconds(540))
            }
            // The response to the next refresh is lost too.
            let third = try await fixture.renewed(second.refreshToken)
            #expect(try await fixture.renewed(second.refreshToken).texts == third.texts)
            #expect(try await fixture.access(third.accessToken) != nil)
            #expect(fixture.revocations == [])
        }
    }

    @Test("OX-6 an old token ends the session once its successor was used", arguments: [true, false])
    func stolen(byRefreshToken: Bool) async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            let other = try await fixture.issue()
            let second = try await fixture.renewed(first.refreshToken)
            let last =
                if byRefreshToken { try await fixture.renewed(second.refreshToken) } else { second }
            if !byRefreshToken { #expect(try await fixture.access(second.accessToken) != nil) }

            #expect(try await fixture.refresh(first.refreshToken).isStolen)

            #expect(try await fixture.session(first.session).endReason == .tokenReused)
            for token in [first.accessToken, second.accessToken, last.accessToken] {
                #expect(try await fixture.access(token) == nil)
            }
            for token in [first.refreshToken, second.refreshToken, last.refreshToken] {
                #expect(try await fixture.refresh(token).isRefused)
            }
            #expect(fixture.revocations == ["token-reused"])
            let event = try #require(fixture.base.lines.audit.last { $0["event"]?.string == "revoked" })
            #expect(event["client"]?.string == "notes" && event["session"]?.string == first.session.rawValue)
            #expect(event["person"]?.string == fixture.person.id.uuidString.lowercased())
            #expect(try await fixture.access(other.accessToken) != nil)
        }
    }

    @Test("a token of another client, a forged one and one with a wrong code are refused, and change nothing")
    func forged() async throws {
        try await ClientSessionFixture.with { fixture in
            let tokens = try await fixture.issue()
            let key = try #require(fixture.base.gateway.services.keys?.refresh)
            let text = tokens.refreshToken.reveal()
            let own = try #require(RefreshToken(text, key: key))
            #expect(own.session == tokens.session && own.generation == 1)

            #expect(try await fixture.refresh(tokens.refreshToken, of: "mail").isRefused)
            #expect(try await fixture.refresh(tokens.refreshToken, of: "Notes").isRefused)
            let forged = [
                RefreshToken(session: own.session, generation: 1, key: .random(32)),
                RefreshToken(session: own.session, generation: 1, key: key),
                RefreshToken(session: own.session, generation: 2, key: key),
                RefreshToken(session: .random(), generation: 1, key: key),
            ]
            for token in forged { #expect(try await fixture.refresh(token.text).isRefused) }
            for index in stride(from: 0, to: text.utf8.count, by: 5) {
                var bytes = Array(text.utf8)
                bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(try await fixture.refresh(Secret(bytes: bytes)).isRefused, "\(index)")
            }
            for text in ["", String(text.dropLast()), text + "A", text + "="] {
                #expect(try await fixture.store.refresh(text, of: ClientSessionFixture.client()).isRefused)
            }
            #expect(fixture.revocations == [])
            #expect(try await fixture.renewed(tokens.refreshToken).session == tokens.session)
        }
    }

    @Test("tokens of an ended or expired session and of a disabled person are refused")
    func over() async throws {
        try await ClientSessionFixture.with { fixture in
            let bob = try await fixture.base.addPerson("bob@example.org")
            let disabled = try await fixture.issue(to: bob)
            let (ended, expired) = (try await fixture.issue(), try await fixture.issue())
            try await fixture.stores.sessions.revoke(ended.session)
            // Without the sessions ending, which the change of a person otherwise does.
            let now = fixture.clock.now
            _ = try await fixture.stores.database.write { connection in
                try connection.run(
                    Statement("UPDATE people SET disabled_at = ? WHERE id = ?", Date.self, UUID.self), now, bob.id)
            }
            for tokens in [ended, disabled] {
                #expect(try await fixture.access(tokens.accessToken) == nil)
                #expect(try await fixture.refresh(tokens.refreshToken).isRefused)
            }
            fixture.clock.advance(7 * day)
            #expect(try await fixture.access(expired.accessToken) == nil)
            #expect(try await fixture.refresh(expired.refreshToken).isRefused)
            #expect(try await fixture.session(expired.session).endReason == nil)
        }
    }

    @Test("each refresh extends the session by the sliding lifetime, up to its maximum")
    func lifetime() async throws {
        try await ClientSessionFixture.with({
            $0.sessions.sliding = .seconds(7 * day)
            $0.sessions.maximum = .seconds(10 * day)
        }) { fixture in
            let start = fixture.clock.now
            let first = try await fixture.issue()
            #expect(try await fixture.session(first.session).expires == start + .seconds(7 * day))
            fixture.clock.advance(6 * day)
            let second = try await fixture.renewed(first.refreshToken)
            let session = try await fixture.session(first.session)
            #expect(session.expires == start + .seconds(10 * day) && session.lastUsed == fixture.clock.now)

            // An access token does not outlive the session.
            fixture.clock.advance(4 * day - 90)
            let third = try await fixture.renewed(second.refreshToken)
            #expect(third.expiresIn == .seconds(90))
            #expect(try await fixture.access(third.accessToken) != nil)
            fixture.clock.advance(90)
            #expect(try await fixture.access(third.accessToken) == nil)
            #expect(try await fixture.refresh(third.refreshToken).isRefused)
        }
    }

    @Test("OX-6 a repeated response has a new access token if the first one has expired")
    func repeatedLate() async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            let second = try await fixture.renewed(first.refreshToken)
            fixture.clock.advance(600)

            let repeated = try await fixture.renewed(first.refreshToken)
            #expect(repeated.refreshToken == second.refreshToken && repeated.accessToken != second.accessToken)
            #expect(repeated.expiresIn == .seconds(600))
            #expect(try await fixture.renewed(first.refreshToken).texts == repeated.texts)
            #expect(try await fixture.access(second.accessToken) == nil)
            // It makes its refresh token the current one, like any other.
            #expect(try await fixture.access(repeated.accessToken) != nil)
            #expect(try await fixture.refresh(first.refreshToken).isStolen)
        }
    }
}
