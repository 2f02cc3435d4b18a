import Crypto
import Foundation
import HTTPMessages
import OAuth
import Synchronization

@testable import LatchKit

/// A strict authorization server of OAuth 2.1, for ``ScriptedServer``: S256 only, codes that work once, exact redirects
/// with any port of a loopback address, refresh tokens that change with each use, and no second chance for a stolen one.
/// It can also protect everything else at its address.
final class OAuthScript: Sendable {
    /// What differs between servers.
    struct Settings: Sendable {
        /// The metadata document's members that a test changes. Null removes one.
        var metadata: [String: JSONValue] = [:]
        /// Where the metadata are.
        var places = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
        /// Whether every other path needs a token, and the metadata say so.
        var protects = false
        /// The issuer that the protected address names. Nil for the address itself.
        var authorizationServer: String?
        /// The `resource` that tokens must be for. Nil when the parameter must be absent.
        var resource: String?
        /// The scopes in the metadata of the resource.
        var resourceScopes = ""
        /// Whether the server issues refresh tokens.
        var refreshes = true
        /// The lifetime of access tokens in seconds.
        var lifetime = 300
        /// Whether a repeated refresh gets the same response until the new token was used.
        var repeats = false
        /// Whether every token must be bound to a key, and the metadata say so.
        var binds = false
        /// Whether proofs must contain a nonce, which changes with each token response.
        var requiresNonces = false
        /// The server's time, which it tells, and from which the time of a proof differs by a minute at most.
        var time: Date?
        /// What a registration returns besides the client id.
        var registration: [String: JSONValue] = ["token_endpoint_auth_method": "none"]
        /// What the userinfo endpoint returns.
        var person: JSONValue = [
            "sub": "sub-7", "email": "Ada@Example.org", "email_verified": true, "name": "Ada Lovelace",
        ]
    }

    /// A sign-in of a person at a client: what was issued for it ends together.
    struct Family: Sendable {
        var client: String
        var redirect: String
        var challenge: String
        var nonce: String?
        var codeIsUsed = false
        var isLive = true
        var access: [String] = []
        var refresh: [String] = []
        /// The key that the authorization request named, and all proofs must be signed with.
        var key: String?
    }

    struct State: Sendable {
        var settings: Settings
        var clients: [String: [String]] = [:]
        var families: [String: Family] = [:]
        var count = 0
        /// How often something that only a thief sends was received.
        var thefts = 0
        var refreshed = 0
        var revoked = 0
        /// What a correct client never does.
        var violations: [String] = []
        /// The ids of the proofs that were received.
        var proofs: Set<String> = []
        /// How often a request was refused because its proof had no current nonce.
        var nonceRefusals = 0
        /// How often a request was refused because of the time of its proof.
        var timeRefusals = 0
        /// The address at which the metadata were requested last.
        var issuer = ""
        var override: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?
    }

    let state: Mutex<State>

    init(_ settings: Settings = Settings()) { state = Mutex(State(settings: settings)) }

    /// What has happened so far.
    var seen: State { state.withLock { $0 } }

    func change(_ body: (inout Settings) -> Void) { state.withLock { body(&$0.settings) } }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: (@Sendable (ScriptedServer.Request) -> ScriptedServer.Response?)?) {
        state.withLock { $0.override = response }
    }

    /// Registers a client by hand.
    func add(client: String, redirects: [String]) { state.withLock { $0.clients[client] = redirects } }

    /// Ends every session, as an administrator does.
    func endAll() {
        state.withLock { state in for code in state.families.keys { state.families[code]?.isLive = false } }
    }

    /// Takes the access tokens that were issued so far no more, but renews them.
    func expireAccess() {
        state.withLock { state in for code in state.families.keys { state.families[code]?.access = [] } }
    }

    static func base(of request: ScriptedServer.Request) -> String {
        let host = request.headers["Host"] ?? ""
        return (host == "home.test" ? "https://" : "http://") + host
    }

    func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        if let response = state.withLock(\.override)?(request) { return response }
        let path = String(request.path.prefix { $0 != "?" })
        return state.withLock { state in
            if state.settings.places.contains(path) {
                state.issuer = Self.base(of: request)
                return .json(state.metadata(state.issuer))
            }
            return switch (request.method, path) {
            case ("GET", "/oauth/authorize"): state.authorize(request)
            case ("POST", "/oauth/token"): state.token(request)
            case ("GET", "/oauth/userinfo"): state.userInfo(request)
            case ("POST", "/oauth/revoke"): state.revoke(request)
            case ("POST", "/oauth/register"): state.register(request)
            default: state.resource(request, path)
            }
        }
    }
}

extension OAuthScript.State {
    /// The metadata document.
    fileprivate func metadata(_ base: String) -> String {
        var members: [String: JSONValue] = [
            "issuer": .string(base), "authorization_endpoint": .string(base + "/oauth/authorize"),
            "token_endpoint": .string(base + "/oauth/token"), "userinfo_endpoint": .string(base + "/oauth/userinfo"),
            "revocation_endpoint": .string(base + "/oauth/revoke"),
            "registration_endpoint": .string(base + "/oauth/register"), "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["openid", "email", "profile", "offline_access", "secret"],
            "authorization_response_iss_parameter_supported": true,
        ]
        if settings.binds { members["dpop_signing_alg_values_supported"] = ["EdDSA", "ES256"] }
        members.merge(settings.metadata) { $1 }
        let object = JSONValue.object(members.filter { $0.value != .null }.map { .init($0.key, $0.value) })
        return String(decoding: object.encoded(), as: UTF8.self).replacing("BASE", with: base)
    }

    /// Everything else at the address.
    fileprivate mutating func resource(_ request: ScriptedServer.Request, _ path: String) -> ScriptedServer.Response {
        let base = OAuthScript.base(of: request)
        guard settings.protects else { return .json(#"{"detail":"Not Found"}"#, 404) }
        let place = "/.well-known/oauth-protected-resource"
        if path == place {
            let server = settings.authorizationServer ?? base
            let scopes = settings.resourceScopes.isEmpty ? "" : #","scopes_supported":\#(settings.resourceScopes)"#
            return .json(
                #"{"resource":"\#(settings.resource ?? base)","authorization_servers":["\#(server)"]\#(scopes)}"#)
        }
        if settings.binds, let refusal = proofRefusal(request) { return refusal }
        if isLive(request) { return .json(#"{"who":"ada@example.org"}"#) }
        return refusal(#"resource_metadata="\#(base)\#(place)""#)
    }

    private func refusal(_ parameters: String) -> ScriptedServer.Response {
        ScriptedServer.Response(
            status: 401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token", \#(parameters)"#])
    }

    private func isLive(_ request: ScriptedServer.Request) -> Bool {
        guard let token = settings.binds ? request.boundToken : request.token else { return false }
        return families.values.contains { $0.isLive && $0.access.contains(token) }
    }

    fileprivate mutating func userInfo(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        if settings.binds, let refusal = proofRefusal(request) { return refusal }
        guard isLive(request) else { return refusal(#"realm="people""#) }
        return .json(String(decoding: settings.person.encoded(), as: UTF8.self))
    }

    fileprivate mutating func authorize(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        let query = request.query
        func problem(_ text: String) -> ScriptedServer.Response {
            violations.append("authorize: " + text)
            return .page(400)
        }
        guard Set(query.pairs.map(\.name)).count == query.pairs.count else { return problem("a parameter twice") }
        guard query["response_type"] == "code", query["code_challenge_method"] == "S256",
            let challenge = query["code_challenge"], PKCE.Challenge(challenge) != nil
        else { return problem("no code with S256") }
        guard let client = query["client_id"], let redirects = clients[client] else { return problem("client") }
        guard let redirect = query["redirect_uri"], redirects.contains(where: { Self.matches(redirect, $0) }) else {
            return problem("redirect")
        }
        guard let state = query["state"], state.count >= 16 else { return problem("state") }
        guard query["resource"] == settings.resource else { return problem("resource") }
        let scopes = Set((query["scope"] ?? "").split(separator: " ").map(String.init))
        guard scopes == ["openid", "email", "profile", "offline_access"], query["nonce"] != nil,
            query["prompt"] == "consent"
        else { return problem("scope \(scopes)") }
        count += 1
        let code = "code-number-\(count)-of-the-server"
        families[code] = OAuthScript.Family(
            client: client, redirect: redirect, challenge: challenge, nonce: query["nonce"], key: query["dpop_jkt"])
        let answer = [("code", code), ("state", state), ("iss", issuer)]
        return .redirect(redirect + "?" + FormURLEncoded.encode(answer))
    }

    /// Whether a redirect address is a registered one. The port of a loopback address does not matter.
    private static func matches(_ redirect: String, _ registered: String) -> Bool {
        func stable(_ text: String) -> String {
            let start = "http://127.0.0.1:"
            guard text.hasPrefix(start) else { return text }
            return String(start.dropLast() + text.dropFirst(start.count).drop { $0 != "/" })
        }
        return redirect == registered || stable(redirect) == stable(registered)
    }

    fileprivate mutating func token(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        guard request.headers["Content-Type"] == FormURLEncoded.mediaType, request.headers["Authorization"] == nil,
            let form = try? FormURLEncoded.decode(request.body),
            Set(form.pairs.map(\.name)).count == form.pairs.count
        else { return refuse("invalid_request", "token: no form, or a token in the header") }
        guard let client = form["client_id"], clients[client] != nil else {
            return .json(#"{"error":"invalid_client"}"#, 401)
        }
        guard form["resource"] == settings.resource else { return refuse("invalid_target", "token: resource") }
        if settings.binds {
            let family = families.first {
                $0.key == form["code"] || $0.value.refresh.contains(form["refresh_token"] ?? "")
            }
            if let family, let refusal = proofRefusal(request, of: family.value) { return refusal }
        }
        switch form["grant_type"] {
        case "authorization_code": return exchange(form, client)
        case "refresh_token": return refresh(form["refresh_token"] ?? "", client)
        default: return refuse("unsupported_grant_type", "token: grant type")
        }
    }

    private mutating func refuse(_ error: String, _ violation: String) -> ScriptedServer.Response {
        violations.append(violation)
        return .json(#"{"error":"\#(error)"}"#, 400)
    }

    private mutating func exchange(_ form: FormFields, _ client: String) -> ScriptedServer.Response {
        guard let code = form["code"], let family = families[code] else {
            return .json(#"{"error":"invalid_grant"}"#, 400)
        }
        guard !family.codeIsUsed else {
            families[code]?.isLive = false
            thefts += 1
            return refuse("invalid_grant", "token: a code twice")
        }
        families[code]?.codeIsUsed = true
        guard family.client == client, family.redirect == form["redirect_uri"] else {
            return refuse("invalid_grant", "token: another client or redirect")
        }
        guard let verifier = form["code_verifier"].flatMap({ PKCE.Verifier($0) }),
            PKCE.Challenge(family.challenge)?.matches(verifier) == true
        else { return refuse("invalid_grant", "token: PKCE") }
        return issue(code)
    }

    private mutating func issue(_ code: String) -> ScriptedServer.Response {
        count += 1
        families[code]?.access.append("access-token-number-\(count)")
        if settings.refreshes { families[code]?.refresh.append("refresh-token-number-\(count)") }
        return answer(code)
    }

    private func answer(_ code: String) -> ScriptedServer.Response {
        let family = families[code]
        let refresh = family?.refresh.last.map { #","refresh_token":"\#($0)""# } ?? ""
        let type = settings.binds ? "DPoP" : "Bearer"
        var response = ScriptedServer.Response.json(
            #"""
            {"access_token":"\#(family?.access.last ?? "")","token_type":"\#(type)",\#
            "expires_in":\#(settings.lifetime)\#(refresh)}
            """#)
        if settings.requiresNonces { response.headers["DPoP-Nonce"] = nonce }
        return response
    }

    private mutating func refresh(_ token: String, _ client: String) -> ScriptedServer.Response {
        refreshed += 1
        guard let (code, family) = families.first(where: { $0.value.refresh.contains(token) }) else {
            return refuse("invalid_grant", "refresh: not a refresh token")
        }
        guard family.client == client else { return refuse("invalid_grant", "refresh: another client") }
        guard family.isLive else { return .json(#"{"error":"invalid_grant"}"#, 400) }
        if token == family.refresh.last { return issue(code) }
        if settings.repeats, token == family.refresh.dropLast().last { return answer(code) }
        thefts += 1
        families[code]?.isLive = false
        return .json(#"{"error":"invalid_grant","error_description":"used before"}"#, 400)
    }

    fileprivate mutating func revoke(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        guard let form = try? FormURLEncoded.decode(request.body), request.headers["Authorization"] == nil,
            let token = form["token"]
        else { return refuse("invalid_request", "revoke: no token in the form") }
        let found = families.first { $0.value.refresh.contains(token) || $0.value.access.contains(token) }
        // As django-allauth does: an empty page.
        let done = ScriptedServer.Response(headers: ["Content-Type": "text/html; charset=utf-8"])
        guard let (code, family) = found else { return done }
        guard family.client == form["client_id"] else { return refuse("invalid_client", "revoke: another client") }
        revoked += 1
        families[code]?.isLive = false
        return done
    }

    fileprivate mutating func register(_ request: ScriptedServer.Request) -> ScriptedServer.Response {
        guard request.headers["Content-Type"] == JSON.mediaType,
            let body = try? JSONValue(parsing: Array(request.body.utf8)), body["application_type"] == "native",
            body["token_endpoint_auth_method"] == "none",
            body["grant_types"] == ["authorization_code", "refresh_token"],
            let redirects = body["redirect_uris"]?.array?.compactMap(\.string), !redirects.isEmpty
        else { return refuse("invalid_client_metadata", "register") }
        count += 1
        let id = "client-number-\(count)"
        clients[id] = redirects
        var members: [JSONValue.Member] = [.init("client_id", .string(id))]
        members += settings.registration.filter { $0.value != .null }.map { .init($0.key, $0.value) }
        return .json(String(decoding: JSONValue.object(members).encoded(), as: UTF8.self), 201)
    }
}
