import Foundation
import HTTPMessages
import HTTPServer
import ScriptedProvider
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Signing in at a server of OAuth 2.1.
@Suite(.timeLimit(.minutes(20))) struct OAuthSignInTests {
    @Test("a sign-in registers the program, stores the account, and its token is accepted")
    func signIn() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        #expect(account.userEmail == "ada@example.org" && account.displayName == "Ada Lovelace")
        #expect(account.personID == "sub-7" && account.dialect.rawValue == "oauth" && account.isSignedIn)
        #expect(account.capabilities == [.browserSignIn])
        let session = try latch.session(for: account)
        #expect(try await session.identity().id == "sub-7")

        let seen = fixture.script.seen
        #expect(seen.violations.isEmpty && seen.thefts == 0 && seen.families.count == 1)
        let redirects = try #require(seen.clients.values.first)
        #expect(redirects.count == 2 && redirects[1] == "http://127.0.0.1/callback")
        #expect(redirects[0].hasPrefix("http://127.0.0.1:") && redirects[0].hasSuffix("/callback"))
        #expect(fixture.pathsWithRefreshTokens.isEmpty)
        for token in seen.families.values.flatMap({ $0.access + $0.refresh }) {
            #expect(try fixture.home.files(holding: token).isEmpty)
        }
        await latch.close()
    }

    @Test("a registered client id is stored with the account and used again, while the server knows it")
    func clientIsKept() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        let first = try await fixture.signIn(latch)
        let second = try await fixture.signIn(latch)
        #expect(first.id == second.id && fixture.wire.count(OAuthFixture.register) == 1)
        // The session that was replaced has ended.
        #expect(fixture.script.seen.families.values.count { $0.isLive } == 1)
        #expect(fixture.script.seen.violations.isEmpty)

        fixture.script.state.withLock { $0.clients = [:] }
        let third = try await fixture.signIn(latch)
        #expect(third.id == first.id && fixture.wire.count(OAuthFixture.register) == 2)
        #expect(third.details["client_id"] != second.details["client_id"])
        #expect(try await latch.session(for: third).identity().id == "sub-7")
        await latch.close()
    }

    @Test("another redirect address needs another registration")
    func otherRedirect() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        _ = try await fixture.signIn(latch)
        _ = try await fixture.signIn(latch, callback: .scheme)
        #expect(fixture.wire.count(OAuthFixture.register) == 2)
        #expect(fixture.script.seen.clients.values.contains(["io.github.latchstring://oauth/callback"]))
        #expect(fixture.script.seen.violations.isEmpty)
        await latch.close()
    }

    @Test("a server that does not register programs needs a client id, which is used again")
    func clientID() async throws {
        var settings = OAuthScript.Settings()
        settings.metadata = ["registration_endpoint": .null]
        let fixture = try OAuthFixture(settings)
        fixture.script.add(client: "by-hand", redirects: ["http://127.0.0.1/callback"])
        let latch = try await fixture.home.open()
        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error.code == .clientIDRequired && error.message.contains("http://127.0.0.1/callback"))

        let account = try await fixture.signIn(latch, clientID: "by-hand")
        #expect(account.details["client_id"] == "by-hand")
        #expect(try await fixture.signIn(latch).id == account.id)
        #expect(fixture.script.seen.violations.isEmpty && fixture.wire.count(OAuthFixture.register) == 0)
        await latch.close()
    }

    @Test("a registration that the server refuses asks for a client id, and one with a secret is not used")
    func registrationRefused() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        fixture.script.intercept { request in
            request.path == OAuthFixture.register ? .json(#"{"error":"invalid_token"}"#, 401) : nil
        }
        let refused = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(refused.code == .clientIDRequired)

        fixture.script.intercept(nil)
        fixture.script.change {
            $0.registration = ["client_secret": "x", "token_endpoint_auth_method": "client_secret_basic"]
        }
        let secret = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(secret.code == .serverRefused && secret.message.contains("only with a secret"), "\(secret)")
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
    }

    @Test("another family takes no client id")
    func otherFamily() async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        var signIn = fixture.person.signIn()
        signIn.clientID = "one"
        let given = signIn
        let error = try await #require(throws: LatchError.self) { try await latch.signIn(given, to: server) }
        #expect(error.code == .invalidRequest && error.message.contains("needs no client id"))
        await latch.close()
    }

    @Test("RFC 9207 a callback from another issuer, or without an announced one, ends the sign-in")
    func issuer() async throws {
        for (announces, sent) in [(true, "https://evil.example"), (true, ""), (false, "https://evil.example")] {
            var settings = OAuthScript.Settings()
            settings.metadata = ["authorization_response_iss_parameter_supported": .bool(announces)]
            let fixture = try OAuthFixture(settings)
            fixture.script.intercept { request in
                guard request.path.hasPrefix("/oauth/authorize") else { return nil }
                let query = request.query
                let answer = [("code", "x"), ("state", query["state"] ?? "")] + (sent.isEmpty ? [] : [("iss", sent)])
                return .redirect("\(query["redirect_uri"] ?? "")?" + FormURLEncoded.encode(answer))
            }
            let latch = try await fixture.home.open()
            let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
            #expect(error.code == .callbackInvalid && error.message.contains("does not come from"), "\(error)")
            #expect(fixture.wire.count(OAuthFixture.token) == 0)
            await latch.close()
        }
    }

    @Test("RFC 8707 tokens for a protected address name it as the resource, and reach it and nothing else")
    func resource() async throws {
        let server = try OAuthFixture()
        let issuer = "http://localhost:\(server.wire.port)"
        let fixture = try OAuthFixture.protecting {
            $0.places = []
            $0.authorizationServer = issuer
        }
        server.script.change { $0.resource = fixture.address.url }
        fixture.wire.script { request in
            guard request.path == "/things" else { return fixture.script.response(request) }
            let isLive = server.script.seen.families.values.contains { family in
                family.isLive && family.access.contains(request.token ?? "")
            }
            return isLive
                ? .json(#"{"who":"ada"}"#)
                : ScriptedServer.Response(status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        #expect(account.serverURL == fixture.address && account.userEmail == "ada@example.org")
        let session = try latch.session(for: account)
        #expect(try await session.client.send(.get, "/things").status == .ok)

        // The protected address rejects the token: it is renewed, and the request is sent again.
        server.script.expireAccess()
        #expect(try await session.client.send(.get, "/things").status == .ok)
        #expect(server.script.seen.refreshed == 1 && server.script.seen.violations.isEmpty)
        #expect(try await latch.signOut(account).isRevoked)
        #expect(server.script.seen.families.values.allSatisfy { !$0.isLive })
        #expect(server.pathsWithRefreshTokens == [OAuthFixture.token, OAuthFixture.revoke])
        let refresh = server.script.seen.families.values.flatMap(\.refresh)
        #expect(
            fixture.wire.requests.allSatisfy { request in
                !refresh.contains { (request.path + request.body + (request.token ?? "")).contains($0) }
            })
        await latch.close()
    }

    @Test("a code that the server does not accept, and a person without an address, create no account")
    func refused() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        fixture.script.intercept { request in
            request.path == OAuthFixture.token && request.body.contains("authorization_code")
                ? .json(#"{"error":"invalid_grant","error_description":"too late"}"#, 400) : nil
        }
        let late = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(late.code == .codeRefused && late.message.contains("(too late)"), "\(late)")

        fixture.script.intercept(nil)
        fixture.script.change { $0.person = ["sub": "sub-7"] }
        let unknown = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(unknown.code == .identityUnknown, "\(unknown)")
        #expect(fixture.script.seen.families.values.allSatisfy { !$0.isLive || $0.access.isEmpty })
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
    }

    @Test("tokens with characters that RFC 6749 does not allow are refused", arguments: ["a b", "a\\nb", "é", ""])
    func badToken(_ token: String) async throws {
        let fixture = try OAuthFixture()
        fixture.script.intercept { request in
            request.path == OAuthFixture.token
                ? .json(#"{"access_token":"good","token_type":"Bearer","refresh_token":"\#(token)"}"#) : nil
        }
        let latch = try await fixture.home.open()
        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error.code == .interceptedResponse, "\(error)")
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
    }

    @Test("without a userinfo endpoint the ID token says who signed in, if it is valid")
    func idToken() async throws {
        let home = try HomeFixture()
        let person = BrowserPerson(home: home)
        for isValid in [true, false] {
            var script = ProviderScript()
            script.discovery = { $0["userinfo_endpoint"] = nil }
            script.claims = { claims in
                claims["email"] = "ada@example.org"
                if !isValid { claims["nonce"] = "another" }
            }
            script.isClient = { request, form in
                request.headers["Authorization"] == nil && form["client_id"] == ScriptedProvider.clientID
            }
            let provider = try await ScriptedProvider.start(script, at: Date().timeIntervalSince1970)
            let latch = try await home.open()
            let server = try await latch.probe(ServerAddress(provider.issuer)).requireServer()
            var signIn = person.signIn()
            signIn.clientID = ScriptedProvider.clientID
            let given = signIn
            async let signingIn = latch.signIn(given, to: server)
            _ = try await person.visit(await person.link(from: await person.address()))
            if isValid {
                let account = try await signingIn
                #expect(account.userEmail == "ada@example.org" && account.personID == ScriptedProvider.subject)
                #expect(try await latch.session(for: account).identity().id == ScriptedProvider.subject)
                let report = try await latch.signOut(account)
                #expect(!report.isRevoked && report.failure?.code == .notOffered, "\(report)")
            } else {
                do {
                    _ = try await signingIn
                    Issue.record("The ID token was accepted.")
                } catch let error as LatchError {
                    #expect(error.code == .providerUntrusted && error.message.contains("'nonce'"), "\(error)")
                }
                #expect(try await latch.accounts.rowIDs().isEmpty)
            }
            await latch.close()
            await provider.stop()
        }
    }
}
