import Crypto
import HTTPClient
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Every kind of request of every family, to a server that is reached by a name that only a proxy knows, through a door that
/// lets in nobody without its client certificate, and whose own certificate one authority or a pin alone vouches for.
@Suite(.timeLimit(.minutes(20))) struct FamilyRequestTests {
    /// Why the server's certificate is believed, which nobody else vouches for.
    enum Trust: Sendable, CaseIterable { case authority, pin }

    private static let kept = "/api/kept"
    private static let file = "/api/file"

    /// What must have been asked for, besides what everybody asks for.
    private static func kinds(of family: Family) -> [String] {
        let isBrowser = family.name.hasSuffix("browser")
        return switch family.name.prefix(4) {
        case "Onyx":
            ["GET /api/auth/type", "GET /api/me", "POST /api/auth/mobile/refresh", "POST /api/auth/mobile/logout"]
                + (isBrowser ? ["POST /api/auth/mobile/sso/exchange"] : ["POST /api/auth/mobile/login"])
                + (isBrowser ? [] : ["POST /api/auth/register"])
        case "Immi":
            [
                "GET /.well-known/immich", "GET /api/server/ping", "GET /api/server/version",
                "GET /api/server/features",
                "GET /api/server/config", "GET /api/users/me", "GET /api/sessions", "DELETE /api/sessions/unknown",
                "POST /api/auth/change-password", "GET /api/auth/status", "POST /api/auth/pin-code",
                "PUT /api/auth/pin-code", "POST /api/auth/session/unlock", "POST /api/auth/session/lock",
                "DELETE /api/auth/pin-code", "POST /api/auth/logout",
            ] + (isBrowser ? ["POST /api/oauth/authorize", "POST /api/oauth/callback"] : ["POST /api/auth/login"])
        case "OAut":
            [
                "GET /.well-known/oauth-authorization-server", "POST /oauth/register", "POST /oauth/token",
                "GET /oauth/userinfo", "POST /oauth/revoke",
            ]
        case "Time": ["GET /health", "GET /auth/login", "POST /auth/token", "GET /auth/me", "POST /auth/logout"]
        case "Rela":
            [
                "GET /api/discovery", "GET /config/config.json", "GET /api/profile", "GET /api/smtp-credentials",
                "POST /api/smtp-credentials", "DELETE /api/smtp-credentials/unknown",
            ]
        default:
            [
                "GET /", "GET /.well-known/oauth-protected-resource", "GET /id/api/auth/type", "GET /id/api/me",
                "POST /id/api/auth/mobile/refresh", "POST /id/api/auth/mobile/logout",
            ] + (isBrowser ? ["POST /id/api/auth/mobile/sso/exchange"] : ["POST /id/api/auth/mobile/login"])
        }
    }

    @Test(
        "own authority or pin, client certificate, extra headers and proxy are used by every request of every kind",
        arguments: Family.all, Trust.allCases)
    func every(_ family: Family, _ trust: Trust) async throws {
        let fixture = try await family.make()
        let folder = try TemporaryDirectory()
        let front = try await TLSFront(to: UInt16(fixture.wire.port), in: folder, asksForCertificate: true)
        let proxy = try NamingProxy("home.test", leadsTo: front.port)
        let pin = try #require(CertificateFingerprint(front.fingerprint))
        let options = ConnectionOptions(
            authorities: trust == .authority ? .only(pemFile: front.certificate) : .system,
            pinnedCertificate: trust == .pin ? pin : nil,
            clientCertificate: .pem(certificate: front.certificate, key: front.key, passphrase: nil),
            proxy: "http://127.0.0.1:\(proxy.port)", extraHeaders: ["X-Key": "open sesame 12"])
        fixture.wire.script { request in Self.response(request) ?? fixture.rules(request) }
        let latch = try await fixture.home.open()

        let server = try await fixture.find(latch, options, at: ServerAddress("https://home.test"))
        if server.dialect is any RegistrationDialect, server.features.signsInWithPassword {
            let newcomer = try PasswordSignIn(email: "eve@example.org", password: Secret("correct horse 8"))
            await #expect(throws: LatchError.self) { try await latch.register(newcomer, at: server) }
        }
        let account = try await fixture.begin(latch, server) {}
        try await sendEveryRequest(latch, account, folder)
        await latch.close()
        let next = try await fixture.home.open()
        #expect(await (try next.session(for: account)).restore().isSignedIn)
        _ = try await next.signOut(account)
        await next.close()
        try await crashDuringSignIn(fixture, server)

        let asked = fixture.wire.requests.filter { $0.headers["X-Browser"] == nil }
        for request in asked {
            #expect(request.headers["X-Key"] == "open sesame 12", "\(request.method) \(request.path)")
            #expect(request.headers["Host"] == "home.test", "\(request.method) \(request.path)")
        }
        let kinds = Set(asked.map { "\($0.method) \($0.path.prefix { $0 != "?" })" })
        for kind in Self.kinds(of: family) + ["GET " + Self.kept, "GET " + Self.file] {
            #expect(kinds.contains(kind), "\(kind) is not among \(kinds.sorted())")
        }
        #expect(asked.contains { $0.headers["If-None-Match"] == "\"1\"" })
        #expect(!proxy.tunnels.isEmpty && proxy.tunnels.allSatisfy { $0 == "home.test:443" }, "\(proxy.tunnels)")
        // The identity provider is another host: by the same proxy, and with nothing that is for the server.
        #expect(proxy.heads.isEmpty == !family.hasDatedProof)
        for kind in family.hasDatedProof ? [".well-known/openid-configuration", "POST "] : [] {
            #expect(proxy.heads.contains { $0.contains(kind) }, "\(kind)")
        }
        #expect(proxy.heads.allSatisfy { !$0.leaks("open sesame 12") && !$0.contains("X-Key") })
        await fixture.stop()
    }

    /// Something that may be kept, and a file, for those who are signed in; every family has such.
    private static func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response? {
        let path = request.path
        guard path == kept || path == file else { return nil }
        guard request.headers["Authorization"] != nil || request.headers["x-immich-user-token"] != nil else {
            return .json("{}", 401)
        }
        if path == file {
            return ScriptedServer.Response(headers: ["Content-Type": "application/octet-stream"], body: "bytes")
        }
        if request.headers["If-None-Match"] == "\"1\"" { return ScriptedServer.Response(status: 304, headers: [:]) }
        return ScriptedServer.Response(headers: ["Content-Type": "application/json", "ETag": "\"1\""], body: "{}")
    }

    private func sendEveryRequest(_ latch: LatchClient, _ account: Account, _ folder: TemporaryDirectory) async throws {
        let session = try latch.session(for: account)
        #expect(try await session.identity().email == "ada@example.org")
        #expect(try await session.client.send(.get, Self.kept).status == .ok)
        for _ in 1...2 { #expect(try await session.client.cached(Self.kept).response.status == .ok) }
        let part = try DownloadPart(path: folder.file("part"))
        #expect(try await session.client.download(Self.file, into: part).status == .ok)
        if session.dialect.refresh != nil { try await session.refresh() }
        if session.dialect is any SessionListDialect {
            #expect(try await latch.remoteSessions(of: account).count == 1)
            await #expect(throws: LatchError.self) { try await latch.endRemoteSession("unknown", of: account) }
        }
        if session.dialect is any PasswordChangeDialect {
            let change = PasswordChange(current: Secret("correct horse"), new: Secret("correct horse"))
            try await latch.changePassword(change, of: account)
        }
        if let dialect = session.dialect as? any PINDialect {
            let (pin, other) = (try PIN(Secret("123456")), try PIN(Secret("654321")))
            for act in [.set(pin), .change(to: other, .pin(pin)), .unlock(other), .lock, .remove(.pin(other))]
                as [PINAction]
            {
                try await dialect.perform(act, with: session.client)
            }
            #expect(try await dialect.pinState(with: session.client).isSet == false)
        }
        if session.dialect is any KeyDialect {
            #expect(try await session.keys().contains(where: \.isCurrent))
            #expect(try await session.rotateKey().failure == nil)
            try await session.revokeKey("unknown")
        }
    }

    /// What the next start gives back goes the same way.
    private func crashDuringSignIn(_ fixture: FamilyFixture, _ server: Server) async throws {
        let latch = try await fixture.home.open(stoppingAfter: .tokenWritten)
        await #expect(throws: (any Error).self) { try await fixture.begin(latch, server) {} }
        await latch.close()
        let next = try await fixture.home.open()
        #expect(try await next.accounts.rowIDs().isEmpty)
        await next.close()
    }
}
