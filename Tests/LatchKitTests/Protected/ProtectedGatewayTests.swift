import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import HTTPClient
import HTTPServer
import LatchGateway
import TestSupport
import Testing

@testable import GatewayHTTP
@testable import LatchKit

/// Signing in to something that knows nothing of sign-in, behind a real gateway.
@Suite(.timeLimit(.minutes(20))) struct ProtectedGatewayTests {
    private let home: HomeFixture

    init() throws { home = try HomeFixture() }

    private func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (ProtectingProxy) async throws -> Void
    ) async throws {
        let proxy = try await ProtectingProxy(now: { [clock = home.clock] in clock.now }, change)
        try await attempt {
            try await body(proxy)
        } finally: {
            await proxy.close()
        }
    }

    private func signIn(_ latch: LatchClient, _ address: String, _ email: String = "ada@example.org") async throws
        -> Account
    {
        let server = try await latch.probe(ServerAddress(address)).requireServer()
        return try await latch.signIn(
            PasswordSignIn(email: email, password: Secret(ProtectingProxy.password)), to: server)
    }

    @Test("a protected address's 401 leads to its gateway, which is shown before the sign-in")
    func found() async throws {
        try await with { proxy in
            let latch = try await home.open()

            let report = try await latch.probe(ServerAddress(proxy.url))

            let server = try report.requireServer()
            #expect(server.dialect.id.rawValue == "latchd" && server.address.url == proxy.url)
            #expect(server.dialect.details == ["gateway": proxy.gatewayURL])
            #expect(server.features.gateway?.url == proxy.gatewayURL && server.features.signsInWithPassword)
            let step = try #require(report.steps.last { $0.kind == .dialect && $0.outcome == .passed })
            #expect(step.message.contains("localhost:\(proxy.wire.port) is protected by 127.0.0.1:"))
            let below = try await latch.probe(ServerAddress(proxy.url + "/photos")).requireServer()
            #expect(below.address.url == proxy.url + "/photos" && below.dialect.id.rawValue == "latchd")
        }
    }

    @Test("RFC 8628 a code that is entered on another device signs in to a protected address")
    func device() async throws {
        try await with({
            $0.pages.isEnabled = true
            $0.authorizationServer.isEnabled = true
            $0.authorizationServer.servesDialectsToDevices = true
        }) { proxy in
            let latch = try await home.open()
            let server = try await latch.probe(ServerAddress(proxy.url)).requireServer()
            let account = try await latch.signIn(onDeviceTo: server, at: proxy.gateway)
            #expect(account.dialect.rawValue == "latchd" && account.serverURL.url == proxy.url)
            let response = try await latch.session(for: account).client.send(.get, "/things")
            #expect(String(decoding: response.body, as: UTF8.self).contains("ada@example.org"))
            #expect(try await latch.signOut(account).isRevoked)
        }
    }

    @Test(
        "RFC 9449 the token is bound to a key, and requests to the protected address have proofs",
        arguments: [false, true])
    func bound(requiresNonces: Bool) async throws {
        try await with({
            $0.pages.isEnabled = true
            $0.authorizationServer.isEnabled = true
            $0.authorizationServer.requiresProofNonces = requiresNonces
        }) { proxy in
            let latch = try await home.open()
            let account = try await signIn(latch, proxy.url)
            #expect(account.dialect.rawValue == "latchd")
            let session = try latch.session(for: account)
            #expect(try await session.identity().email == "ada@example.org")
            let response = try await session.client.send(.get, "/things?page=2")
            #expect(String(decoding: response.body, as: UTF8.self).contains("ada@example.org"))
            try await session.refresh()
            #expect(try await session.client.send(.get, "/own-401").status == .unauthorized)
            #expect(session.state.isSignedIn)

            let token = try await session.validToken()
            let http = try HTTPClient()
            let stolen = try await http.send(
                ClientRequest(
                    method: .get, url: proxy.url + "/things", headers: ["Authorization": "Bearer " + token.reveal()]))
            #expect(stolen.status == .unauthorized)
            await http.close()
            #expect(try await latch.signOut(account).isRevoked)
        }
    }

    @Test("calls reach the backend as the right person, and sessions are renewed and ended at the gateway")
    func endToEnd() async throws {
        try await with { proxy in
            let latch = try await home.open()
            let ada = try await signIn(latch, proxy.url)
            let eve = try await signIn(latch, proxy.url, "eve@example.org")
            let session = try latch.session(for: ada)

            let response = try await session.client.send(.get, "/things")
            #expect(
                response.status == .ok && String(decoding: response.body, as: UTF8.self).contains("ada@example.org"))
            let other = try await latch.session(for: eve).client.send(.get, "/things")
            #expect(String(decoding: other.body, as: UTF8.self).contains("eve@example.org"))
            #expect(try await session.identity().email == "ada@example.org")
            home.clock.advance(by: 601)
            #expect(try await session.client.send(.get, "/things").status == .ok)

            #expect(try await latch.signOut(ada).isRevoked)
            #expect(try await proxy.gateway.stores.sessions.liveCount() == 1)
            let next = try await home.open()
            #expect(try await next.session(for: eve).client.send(.get, "/things").status == .ok)
        }
    }

    @Test(
        "a refusal of the backend ends no session, and a refusal of the gateway does",
        arguments: ["/own-401", "/own-403"])
    func refusals(path: String) async throws {
        try await with { proxy in
            let latch = try await home.open()
            let account = try await signIn(latch, proxy.url)
            let session = try latch.session(for: account)

            #expect([401, 403].contains(try await session.client.send(.get, path).status.rawValue))
            #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

            for live in try await proxy.gateway.stores.sessions.list() where live.ended == nil {
                _ = try await proxy.gateway.stores.sessions.revoke(live.id)
            }
            let error = try await #require(throws: LatchError.self) { try await session.client.send(.get, path) }
            #expect(error.code == .sessionEnded)
            #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
        }
    }

    @Test("a challenge that the gateway does not confirm ends no session")
    func falseChallenge() async throws {
        try await with { proxy in
            let latch = try await home.open()
            let account = try await signIn(latch, proxy.url)
            let url = proxy.url
            proxy.wire.script { _ in
                let metadata = "\(url)/.well-known/oauth-protected-resource"
                return ScriptedServer.Response(
                    status: 401,
                    headers: ["WWW-Authenticate": #"Bearer error="invalid_token", resource_metadata="\#(metadata)""#])
            }

            #expect(try await latch.session(for: account).client.send(.get, "/things").status == .unauthorized)
            #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)
        }
    }

    @Test("an unreachable gateway ends no session, and the message names it")
    func gatewayDown() async throws {
        try await with { proxy in
            let latch = try await home.open()
            let account = try await signIn(latch, proxy.url)
            await proxy.server.stop(drain: .zero)

            let error = try await #require(throws: LatchError.self) {
                try await latch.session(for: account).identity()
            }
            #expect(error.code == .connectionRefused && error.message.contains(String(proxy.gatewayURL.dropFirst(7))))
            #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)
        }
    }
}
