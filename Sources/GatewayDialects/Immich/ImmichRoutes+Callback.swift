import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import OAuth
import OpenIDConnect
import SignInBridge

extension ImmichRoutes {
    /// `POST /oauth/callback`: exchanges the address that the browser was redirected to for a session.
    ///
    /// For an invalid code, state or verifier, version 3.1.0 sends 500 `Failed to finish oauth`. The response here is
    /// 400, because the request is wrong.
    ///
    /// Source: IM-7; docs/protocols/immich.md, Sign-in through a provider.
    package func callback(_ request: ServerRequest) async throws -> ServerResponse {
        let bridge = try requiredBridge()
        let device = ImmichDevice(request)
        let client = client(of: request, device.device)
        let (record, provider) = try await identity(of: request, bridge, client)
        let credential: SessionCredential
        do {
            credential = try await bridge.signIn(record, at: provider, client: client)
        } catch is BridgeFailure {
            guard record.identity.email != nil else {
                throw ImmichRefusal(.badRequest, "OAuth profile does not have an email address")
            }
            throw Self.failed
        }
        await bridge.end(cookies.isOwn(request) ? cookies.token(in: request) : nil, request.id)
        services.metrics.signIn(.succeeded)
        return deletingSignInCookies(try await signedIn(credential, by: .oauth, on: device, for: request), request)
    }

    /// `POST /oauth/link`: links an identity to the person who is signed in.
    ///
    /// Source: docs/protocols/immich.md, Sign-in through a provider; NIST SP 800-63B §6.1.2.1.
    package func link(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.session(of: request)
        let bridge = try requiredBridge()
        try services.requireRecentSignIn(for: .linkIdentity, caller.session)
        let (record, provider) = try await identity(of: request, bridge, client(of: request))
        do {
            try await services.people.link(
                caller.person.id, to: record.identity.subject, at: provider.configuration, allowsUnseen: true,
                unproved: .kept)
        } catch let error as GatewayError where error.code == .identityRefused {
            throw ImmichRefusal(.badRequest, "This OAuth account has already been linked to another user.")
        } catch let error as GatewayError where error.code == .unknownPerson {
            throw ImmichRefusal(.unauthorized, "Invalid user token")
        }
        return deletingSignInCookies(try await user(caller.person), request)
    }

    /// `POST /oauth/unlink`: removes all identities of the person, and ends every other session of the person.
    package func unlink(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.session(of: request, change: .endsAccess)
        _ = try requiredBridge()
        try services.requireRecentSignIn(for: .unlinkIdentity, caller.session)
        guard services.settings.passwordsEnabled else {
            throw ImmichRefusal(
                .badRequest, "This server accepts no passwords, so you could not sign in again without this account.")
        }
        guard try await services.people.hasPassword(caller.person.id) else {
            throw ImmichRefusal(.badRequest, "Set a password first. Without it you could not sign in again.")
        }
        if try await services.people.unlinkAll(caller.person.id) > 0 {
            try await services.sessions.endOthers(than: caller.session.id, of: caller.person.id)
        }
        return try await user(caller.person)
    }

    /// Exchanges the address in a request body for an identity.
    private func identity(
        of request: ServerRequest, _ bridge: Bridge, _ client: RequestOrigin
    ) async throws -> (record: IdentityRecord, provider: BridgeProvider) {
        if let wait = exchanges.consume(.from(client.address)) { throw ImmichRefusal(wait: wait) }
        var body = ImmichBody(request)
        let url = body.text("url", atLeast: 1)
        let (sentState, sentVerifier) = (body.optionalText("state"), body.optionalText("codeVerifier"))
        try body.check()
        let fields = Self.query(of: url)
        let ownState = url.hasPrefix(ImmichSettings.specifiedRedirect) ? fields["state"] : nil
        guard let state = sentState ?? cookies.value(ImmichCookies.stateName, in: request) ?? ownState else {
            throw ImmichRefusal(.badRequest, "OAuth state is missing")
        }
        guard let verifier = sentVerifier ?? cookies.value(ImmichCookies.verifierName, in: request) else {
            throw ImmichRefusal(.badRequest, "OAuth code verifier is missing")
        }
        let (states, codes) = (fields.values("state"), fields.values("code"))
        guard states.count == 1, codes.count == 1, State(states[0]) == State(state) else { throw Self.failed }
        let found = try await bridge.identity(for: OneTimeCode(codes[0]), verifier: verifier, client: client)
        guard let found else { throw Self.failed }
        return found
    }

    private static let failed = ImmichRefusal(.badRequest, "OAuth authentication failed")

    /// Returns the query of an address. The part before the query is ignored.
    private static func query(of url: String) -> FormFields {
        let text = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return (try? FormURLEncoded.decode(String(Substring(text)))) ?? FormFields()
    }

    private func deletingSignInCookies(_ response: ServerResponse, _ request: ServerRequest) -> ServerResponse {
        guard cookies.value(ImmichCookies.stateName, in: request) != nil else { return response }
        var response = response
        for cookie in cookies.endSignIn(for: request) { response.headers.append("Set-Cookie", cookie) }
        return response
    }
}
