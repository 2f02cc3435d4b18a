import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import JOSE
import OAuth
import TestSupport

@testable import AuthorizationServer
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway
@testable import OpenIDConnect
@testable import SignInBridge

/// A place that takes texts of one kind or a few, and refuses all others.
struct TokenVerifier: Sendable {
    let name: String
    let accepts: Set<TokenKind>
    /// Whether a text is accepted. It may be used up.
    let check: @Sendable (String) async throws -> Bool
}

extension TokenKinds {
    /// Every place of this server that takes such a text.
    var verifiers: [TokenVerifier] { routes + endings + grants + steps }

    private func bearer(
        _ path: String, _ accepts: Set<TokenKind>, scheme: String = "Bearer", fields: [(String, String)] = []
    ) -> TokenVerifier {
        TokenVerifier(name: "\(scheme) at \(path)", accepts: accepts) { [http = base.http] text in
            try await http.send("GET", path, headers: [("Authorization", "\(scheme) \(text)")] + fields).status == 200
        }
    }

    private func field(
        _ name: String, _ prefix: String = "", at path: String, _ accepts: Set<TokenKind>
    ) -> TokenVerifier {
        TokenVerifier(name: "\(name): \(prefix) at \(path)", accepts: accepts) { [http = base.http] text in
            try await http.send("GET", path, headers: [(name, prefix + text)]).status == 200
        }
    }

    private static let forwarded = [
        ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
        ("X-Forwarded-Uri", "/"),
    ]

    private var routes: [TokenVerifier] {
        [
            bearer("/api/me", .sessions), bearer("/im/users/me", .sessions), bearer("/auth/me", .allSessions),
            bearer("/rm/api/profile", .sessions.union([.apiKey])),
            bearer("/rm/api/profile", [.apiKey], scheme: "ApiKey"),
            bearer(
                "/auth/verify", .allSessions.union([.accessTokenForResource, .signedTokenForResource]),
                fields: Self.forwarded),
            bearer("/oauth2/userinfo", .bearers), bearer("/oauth2/register/" + registered.id, [.registrationToken]),
            field("Cookie", "latchd_session=", at: "/latch/account", .sessions),
            field("Cookie", "latchd_session=", at: "/api/me", .sessions),
            field("Cookie", "latchd_session=", at: "/oauth2/userinfo", []),
            field("Cookie", "immich_access_token=", at: "/im/users/me", .sessions),
            field("x-immich-user-token", at: "/im/users/me", .sessions),
            field("x-api-key", at: "/im/users/me", .sessions),
            introspection("/oauth2/introspect", .bearers.union([.boundToken])),
            introspection("/api/auth/introspect", .allSessions), introspection("/auth/introspect", .allSessions),
        ]
    }

    private func introspection(_ path: String, _ accepts: Set<TokenKind>) -> TokenVerifier {
        TokenVerifier(name: path, accepts: accepts) { [http = base.http] text in
            let form = [("token", text), ("client_id", "backend"), ("client_secret", TimeTrackerFixture.clientSecret)]
            return try await http.send(
                "POST", path, headers: [("Content-Type", FormURLEncoded.mediaType)], body: FormURLEncoded.encode(form)
            ).json?["active"] == true
        }
    }

    /// Places that end what a text stands for: a session or a key.
    private var endings: [TokenVerifier] {
        let own = Set<TokenKind>([.accessToken, .accessTokenForResource, .boundToken, .refreshToken])
        return [
            ending("POST", "/oauth2/revoke", own, [("client_id", "app")]),
            ending("POST", "/api/auth/revoke", .allSessions, []), ending("POST", "/auth/revoke", .allSessions, []),
            ending("POST", "/api/auth/mobile/logout", .allSessions), ending("POST", "/auth/logout", .allSessions),
            ending("POST", "/im/auth/logout", .sessions),
        ]
    }

    private func ending(
        _ method: String, _ path: String, _ accepts: Set<TokenKind>, _ form: [(String, String)]? = nil
    ) -> TokenVerifier {
        TokenVerifier(name: path, accepts: accepts) { [base] text in
            func count() async throws -> Int {
                try await base.gateway.stores.sessions.liveCount() + base.gateway.stores.apiKeys.list().count
            }
            let before = try await count()
            _ = try await base.http.send(
                method, path,
                headers: [("Content-Type", FormURLEncoded.mediaType)]
                    + (form == nil ? GatewayFixture.bearer(text) : []),
                body: form.map { FormURLEncoded.encode($0 + [("token", text)]) } ?? "")
            return try await count() < before
        }
    }

    private var grants: [TokenVerifier] {
        let verifier = oauth.verifier.secret.reveal()
        return [
            grant("authorization_code", "code", [.authorizationCode], [("code_verifier", verifier)]),
            grant("refresh_token", "refresh_token", [.refreshToken]),
            grant(OAuthFixture.deviceGrant, "device_code", [.deviceCode], client: "tv"),
            TokenVerifier(name: "client_assertion", accepts: [.assertion]) { [oauth] text in
                let form = AssertionMaker.credentials(text) + [("grant_type", "refresh_token"), ("refresh_token", "x")]
                return try await oauth.post("token", form).json?["error"] == "invalid_grant"
            },
            TokenVerifier(name: "client_secret", accepts: []) { [oauth] text in
                let form = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "keyed")]
                return try await oauth.post("token", form + [("client_secret", text)]).json?["error"] == "invalid_grant"
            },
            TokenVerifier(name: "DPoP", accepts: [.proof]) { [oauth] text in
                let form = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "app")]
                return try await oauth.post("token", form, headers: [("DPoP", text)]).json?["error"] == "invalid_grant"
            },
            TokenVerifier(name: "nonce of a proof", accepts: [.proofNonce]) { [base] text in
                try ProofNonces(key: base.gateway.services.keys.orThrow.nonce).isValid(text, at: base.clock.now)
            },
        ]
    }

    private func grant(
        _ type: String, _ name: String, _ accepts: Set<TokenKind>, _ more: [(String, String)] = [],
        client: String = "app"
    ) -> TokenVerifier {
        TokenVerifier(name: "grant \(type)", accepts: accepts) { [oauth] text in
            let form = [("grant_type", type), (name, text), ("client_id", client)]
            return try await oauth.post("token", form + more).status == 200
        }
    }

    /// Steps of sign-ins and sign-outs, and forms.
    private var steps: [TokenVerifier] {
        [
            TokenVerifier(name: "request_uri", accepts: [.pushedRequest]) { [oauth] text in
                try await oauth.open([("client_id", "app"), ("request_uri", text)]).status == 200
            },
            TokenVerifier(name: "user_code", accepts: [.userCode]) { [oauth] text in
                try await oauth.enter(text).text.contains("value=\"allow\"")
            },
            TokenVerifier(name: "exchange of the bridge", accepts: [.bridgeCode]) { [self] text in
                try await bridge.exchange(text, app.verifier).status == 200
            },
            TokenVerifier(name: "exchange of Time Tracker", accepts: []) { [self] text in
                let link = try await timeTrackerLink()
                return try await exchange(text, state: link["state"]).status == 200
            },
            TokenVerifier(name: "state of Time Tracker", accepts: []) { [self] text in
                let link = try await timeTrackerLink()
                return try await exchange(link["code"], state: text).status == 200
            },
            TokenVerifier(name: "state of the bridge", accepts: [.bridgeState]) { [self] text in
                // A wrong state ends the sign-in, so each has one of its own.
                var (browser, request) = pending
                if text != request["state"] {
                    browser = bridge.browser()
                    request = try await bridge.begin(app, in: browser)
                }
                let answer = try bridge.google.approve(request).filter { $0.0 != "state" } + [("state", text)]
                let response = try await bridge.returnToGateway(answer, in: browser)
                return response.headers["Location"]?.contains("code=") ?? false
            },
            TokenVerifier(name: "form_token", accepts: [.formToken]) { [oauth] text in
                let keys = try oauth.gateway.gateway.services.keys.orThrow
                let cookie = try oauth.browser.browser.cookies["latchd_session"].orThrow
                let session = try await oauth.gateway.gateway.issuer.authenticate(cookie).session.orThrow
                return FormTokens(keys).accepts(text, of: .session(session.id))
            },
            TokenVerifier(name: "id_token_hint", accepts: [.idToken]) { [self] text in
                try IDTokenHint(text, issuer: OAuthFixture.issuer, keys: await publishedKeys()) != nil
            },
        ]
    }

    private func publishedKeys() async throws -> JSONWebKeySet {
        try JSONWebKeySet(parsing: try await base.http.send("GET", "/oauth2/jwks").body)
    }
}

extension TokenKinds {
    /// The checks of our own relying party, at a provider that is this gateway.
    func partyVerifiers(_ client: HTTPClient) throws -> [TokenVerifier] {
        let port = base.http.port
        let metadata = try ProviderMetadata(
            parsing: Array(
                """
                {"issuer":"\(OAuthFixture.issuer)","authorization_endpoint":"http://127.0.0.1:\(port)/a",
                "token_endpoint":"http://127.0.0.1:\(port)/t","jwks_uri":"http://127.0.0.1:\(port)/oauth2/jwks"}
                """.utf8), issuer: OAuthFixture.issuer)
        let party = RelyingParty(
            ProviderSettings(issuer: OAuthFixture.issuer, clientID: "app"), metadata: metadata, client: client,
            now: { [clock = base.clock] in clock.now })
        func presented(
            _ name: String, _ accepts: Set<TokenKind>, _ expected: AccessTokenExpectation
        ) -> TokenVerifier {
            let verifier = AccessTokenVerifier(party, expecting: expected)
            return TokenVerifier(name: name, accepts: accepts) { text in
                try await Self.isAccepted { _ = try await verifier.identity(of: Secret(text)) }
            }
        }
        return [
            presented(
                "access tokens for a server", [.signedTokenForResource],
                AccessTokenExpectation(audiences: [OAuthFixture.resource])),
            presented(
                "access tokens with the audience of Time Tracker", [.timeTracker],
                AccessTokenExpectation(audiences: [OAuthFixture.issuer])),
            presented("ID tokens of requests", [.idToken], AccessTokenExpectation(.id, audiences: ["app"])),
            TokenVerifier(name: "logout tokens", accepts: [.logoutToken]) { text in
                try await Self.isAccepted { _ = try await party.logoutToken(Secret(text)) }
            },
            TokenVerifier(name: "ID tokens of a sign-in", accepts: [.idToken]) { text in
                try await Self.isAccepted {
                    let signature = try await party.verified(Secret(text), what: "The token", from: metadata)
                    let token = try JSONValue(parsing: signature.payload)
                    // The access token of the sign-in is not at hand, so its hash is not compared.
                    let claims = (token.members ?? []).filter { $0.name != "at_hash" }
                    _ = try IDToken(
                        checking: JSONValue.object(claims).encoded(),
                        signedBy: signature.header.algorithm ?? .es256,
                        against: IDToken.Expectation(
                            issuer: OAuthFixture.issuer, clientID: "app", trustedAudiences: [], nonce: "the nonce",
                            now: party.now(), maximumClockSkew: .seconds(60), accessToken: Secret(""),
                            code: Secret("")))
                }
            },
        ]
    }

    private static func isAccepted(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch let error as OpenIDConnectError where error.code == .invalidToken {
            return false
        }
    }
}
