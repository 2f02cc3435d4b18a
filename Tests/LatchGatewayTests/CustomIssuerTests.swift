import Crypto
import FoundationEssentials
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Short access tokens with a refresh token that changes at each use: another issuer behind the same routes.
final class RotatingIssuer: SessionIssuer {
    private struct Line {
        let session: Session
        var access: String
        var refresh: String
        var accessExpires: Date
    }

    private let lines = Mutex<[SessionID: Line]>([:])
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    var cachedCount: Int { lines.withLock { $0.count } }

    func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential {
        let now = now()
        let session = Session(
            id: .random(), person: person, created: now, expires: now + .seconds(300), cap: now + .seconds(90 * day))
        return lines.withLock { lines in
            lines[session.id] = line(session)
            return credential(lines[session.id]!)
        }
    }

    func authenticate(_ token: String) async throws -> Authentication {
        let now = now()
        return lines.withLock { lines in
            guard let line = lines.values.first(where: { $0.access == token }) else { return .unrecognized }
            return now < line.accessExpires ? .valid(line.session) : .expired
        }
    }

    func refresh(_ token: String) async throws -> SessionCredential? {
        lines.withLock { lines in
            guard let old = lines.values.first(where: { $0.refresh == token }) else { return nil }
            lines[old.session.id] = line(old.session)
            return credential(lines[old.session.id]!)
        }
    }

    func end(_ token: String) async throws -> EndedSession? {
        lines.withLock { lines in
            guard let line = lines.values.first(where: { $0.access == token || $0.refresh == token }) else {
                return nil
            }
            lines[line.session.id] = nil
            return EndedSession(session: line.session.id, person: line.session.person.id)
        }
    }

    func invalidate(person: UUID) {
        lines.withLock { lines in lines = lines.filter { $0.value.session.person.id != person } }
    }

    func invalidateAll() {}
    func flush() async throws {}

    private func line(_ session: Session) -> Line {
        Line(
            session: session, access: "a." + Base64URL.encode(SecureRandom.bytes(16)),
            refresh: "r." + Base64URL.encode(SecureRandom.bytes(16)), accessExpires: now() + .seconds(300))
    }

    private func credential(_ line: Line) -> SessionCredential {
        SessionCredential(
            token: Secret(line.access), refreshToken: Secret(line.refresh), expiresIn: .seconds(300),
            session: line.session.id, person: line.session.person.id)
    }
}

@Suite(.timeLimit(.minutes(20)))
struct CustomIssuerTests {
    @Test("OX-6 another issuer, with short-lived tokens and a rotating refresh token, works with the same routes")
    func rotating() async throws {
        try await GatewayFixture.with(issuer: { stores in RotatingIssuer(now: stores.now) }) { fixture in
            let person = try await fixture.addPerson()

            let login = try await fixture.login()
            let access = try #require(login.token)
            let refresh = try #require(login.json?["refresh_token"]?.string)
            #expect(login.json?["expires_in"]?.number == 300)
            #expect(try await fixture.me(access).json?["email"]?.string == GatewayFixture.email)

            fixture.clock.advance(300)
            #expect(try await fixture.me(access).json?["error_code"]?.string == "SESSION_EXPIRED")
            let refreshed = try await fixture.refresh(refresh)
            let newAccess = try #require(refreshed.token)
            #expect(newAccess != access)
            #expect(refreshed.json?["refresh_token"]?.string != refresh)
            #expect(try await fixture.me(newAccess).status == 200)
            #expect(try await fixture.refresh(refresh).status == 401)

            #expect(try await fixture.logout(newAccess).status == 204)
            #expect(try await fixture.me(newAccess).status == 403)

            let again = try await fixture.login()
            try await fixture.gateway.stores.people.disable(person.id)
            #expect(try await fixture.me(again.token).status == 403)
        }
    }
}
