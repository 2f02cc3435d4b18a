import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Signing in with a password, being signed in and signing out, at servers of every generation.
@Suite(.timeLimit(.minutes(20))) struct ImmichSessionTests {
    @Test(
        "IM-5 IM-8 IM-9 IM-10 IM-11 a person signs in, is still signed in after a restart, and signs out",
        arguments: ImmichGeneration.all)
    func endToEnd(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        var latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let login = try #require(fixture.asked("/api/auth/login").first)
        #expect(login.headers["deviceModel"] == "test" && login.headers["deviceType"] == "Linux")
        #expect(login.json?["email"]?.string == "ada@example.org")
        #expect(account.displayName == "Ada" && account.isSignedIn && !account.mustChangePassword)
        await latch.close()

        latch = try await fixture.home.open()
        let session = try await latch.activeSession()
        #expect(await session.restore() == .signedIn(.verified))
        let me = try #require(fixture.asked("/api/users/me").last)
        #expect(me.headers["Authorization"] == "Bearer token-number-1" && me.headers["x-immich-user-token"] == nil)
        #expect(fixture.wire.requests.allSatisfy { $0.headers["Cookie"] == nil })
        #expect(try fixture.home.files(holding: "token-number-1").isEmpty)
        #expect(try await session.client.send(.get, "/api/users/me").status == .ok)

        #expect(try await latch.signOut(account).isRevoked)
        #expect(fixture.immich.state.withLock(\.live).isEmpty)
        #expect(try await latch.accounts.accounts().isEmpty)
        await latch.close()
    }

    struct Refusal: Sendable {
        var email = "ada@example.org"
        var password = "correct horse"
        var passwordLogin = true
        var code: LatchError.Code
        var says: String
    }

    @Test(
        "IM-16 IM-17 a refused sign-in is reported, in the error format of both generations",
        arguments: [
            Refusal(password: "wrong", code: .wrongCredentials, says: "does not accept this e-mail and password"),
            Refusal(
                passwordLogin: false, code: .passwordLoginDisabled, says: "does not support sign-in with a password"),
        ], [ImmichGeneration(1, 123, 0), .newest])
    func refused(_ row: Refusal, _ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        var server = try await fixture.server(latch)
        fixture.immich.set { $0.passwordLogin = row.passwordLogin }
        server = Server(address: server.address, dialect: server.dialect, features: server.features)
        let found = server
        let error = try await #require(throws: LatchError.self) {
            try await latch.signIn(PasswordSignIn(email: row.email, password: Secret(row.password)), to: found)
        }
        #expect(error.code == row.code && error.message.contains(row.says))
        #expect(try await latch.accounts.accounts().isEmpty)
    }

    @Test(
        "IM-16 the server's message is reported, for both generations",
        arguments: [ImmichGeneration(1, 123, 0), .newest])
    func serverMessages(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        fixture.immich.intercept { request in
            request.path == "/api/auth/login" ? generation.invalid("email", "must be an email") : nil
        }
        let latch = try await fixture.home.open()
        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error.code == .serverRefused)
        #expect(error.message.contains(generation.hasBareErrors ? "email: must be an email" : "email must be an email"))
    }

    @Test("IM-9 with a configured Authorization header the token is sent in x-immich-user-token")
    func ownAuthorization() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            request.headers["Authorization"] == "Basic YTpi"
                ? nil
                : ScriptedServer.Response(status: 401, headers: ["WWW-Authenticate": "Basic"], body: "no")
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(
            latch, connection: ConnectionOptions(extraHeaders: ["Authorization": "Basic YTpi"]))
        let session = try latch.session(for: account)
        #expect(try await session.identity().email == "ada@example.org")
        let me = try #require(fixture.asked("/api/users/me").last)
        #expect(me.headers["x-immich-user-token"] == "token-number-1" && me.headers["Authorization"] == "Basic YTpi")
        #expect(try await latch.signOut(account).isRevoked)
    }

    @Test("IM-10 a session that the server has ended is signed out with its reason", arguments: ImmichGeneration.all)
    func ended(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.immich.set { $0.live = [:] }
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(error.code == .sessionEnded && error.message.contains("no longer knows the session"))
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == false)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var path = "/api/users/me"
        var response: @Sendable (ImmichGeneration) -> ScriptedServer.Response
        var testDescription: String { name }
    }

    static let harmless = [
        Case(name: "elevation is wanted", path: "/api/timeline/buckets") {
            $0.error(401, "Elevated permission is required")
        },
        Case(name: "no such asset", path: "/api/assets/7") { $0.error(400, "Not found or no asset.read access") },
        Case(name: "not an administrator", path: "/api/admin/users") { $0.error(403, "Forbidden") },
        Case(name: "a key without permission", path: "/api/albums") {
            $0.error(403, "Missing required permission: album.read")
        },
        Case(name: "a share key", path: "/api/albums") { $0.error(401, "Invalid share key") },
        Case(name: "maintenance", path: "/api/albums") { $0.error(404, "Not Found") },
        Case(name: "a picture in another size", path: "/api/assets/7/thumbnail") { _ in
            .redirect("/api/assets/7/original")
        },
    ]

    @Test(
        "IM-10 a response that does not concern the token is returned, and ends no session", arguments: harmless,
        [
            ImmichGeneration(1, 123, 0), ImmichGeneration(2, 4, 1), .newest,
        ])
    func unrelatedResponses(_ row: Case, _ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let response = row.response(generation)
        fixture.immich.intercept { $0.path == row.path ? response : nil }
        #expect(try await session.client.send(.get, row.path).status.rawValue == response.status)
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == true)
    }

    static let unknown = [
        Case(name: "maintenance") { $0.error(404, "Not Found") },
        Case(name: "no such person") { $0.error(400, "User not found") },
        Case(name: "a fault") { $0.error(500, "Internal server error") },
        Case(name: "a proxy without its server") { _ in .page(502) },
        Case(name: "a login page") { _ in .page(200) },
        Case(name: "a login page with 401") { _ in .page(401) },
        Case(name: "another program's refusal") { _ in .json(#"{"detail":"Unauthorized"}"#, 401) },
        Case(name: "a vague refusal that the server does not confirm", path: "/api/albums") {
            $0.error(401, "Authentication required")
        },
    ]

    @Test(
        "IM-10 maintenance, faults and other servers' responses end no session", arguments: unknown,
        [
            ImmichGeneration(1, 123, 0), .newest,
        ])
    func keepsSession(_ row: Case, _ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.immich.intercept { $0.path == row.path ? row.response(generation) : nil }
        if row.path == session.dialect.identity.path {
            _ = await session.restore()
        } else {
            _ = try? await session.client.send(.get, row.path)
        }
        #expect(session.state.isSignedIn)
        fixture.immich.intercept(nil)
        #expect(try await session.identity().email == "ada@example.org")
    }

    @Test("IM-10 an ambiguous refusal ends the session if the server repeats it for the identity request")
    func confirmed() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.immich.intercept { request in
            request.path == "/api/albums" ? ImmichGeneration.newest.error(401, "Authentication required") : nil
        }
        fixture.immich.set { $0.live = [:] }
        let error = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/albums") }
        #expect(error.code == .sessionEnded)
        #expect(!fixture.asked("/api/server/ping").isEmpty)
    }

    @Test(
        "IM-11 signing out leaves nothing here if the session has ended or the server is in maintenance",
        arguments: [true, false])
    func signOutAnyway(_ isGone: Bool) async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        fixture.immich.set { if isGone { $0.live = [:] } else { $0.inMaintenance = true } }
        let report = try await latch.signOut(account)
        #expect(report.isRevoked == isGone)
        if !isGone { #expect(report.failure?.message.contains("maintenance") == true) }
        #expect(try await latch.accounts.accounts().isEmpty)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
    }
}
