import Crypto
import GatewayCore
import HTTPMessages
import OAuth
import Primitives
import SignInBridge

/// The valid parameters of an authorization request.
///
/// Source: RFC 6749 §4.1.1; RFC 7636 §4.3; RFC 8707 §2; RFC 9449 §10; OpenID Connect Core §3.1.2.1.
struct AuthorizationParameters: Sendable {
    /// How the response reaches the client.
    enum ResponseMode: String, Sendable, CaseIterable {
        /// In the query of a redirect.
        case query
        /// In a form that the browser posts.
        case formPost = "form_post"
    }

    /// What the client asks for in addition to a sign-in.
    enum Prompt: String, Sendable, CaseIterable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    /// A request whose client and redirect address are not both valid. The browser is not redirected.
    enum InvalidClient: Error {
        case client, redirect
    }

    /// Where the response goes.
    struct Destination: Sendable {
        let client: RegisteredClient
        let redirect: String
        let state: String?
        let mode: ResponseMode
    }

    let destination: Destination
    let grant: ClientGrant
    /// The code challenge. Nil for a client that need not send one.
    let challenge: PKCE.Challenge?
    let nonce: String?
    /// `dpop_jkt`: the SHA-256 of the public key that the tokens must be bound to, in base64url. Nil for none.
    let keyThumbprint: String?
    let prompts: Set<Prompt>
    /// Whether the browser loads the response into a frame, where no page is shown.
    var isInFrame = false
    /// How long ago the person may have authenticated, by the request and by the settings of the client. Nil for any
    /// time.
    let maximumAge: Duration?
    /// How strong the authentication should be, by the request and by the settings of the client. Nil for any.
    let level: AuthenticationLevel?
    /// Whether the request has an ID token of the person.
    let hasHint: Bool

    var client: RegisteredClient { destination.client }

    /// Whether the person may be asked something.
    var mayInteract: Bool { !isInFrame && !prompts.contains(.none) }

    /// Returns where the response to a request goes.
    ///
    /// - Parameters:
    ///   - fields: The parameters of the request.
    ///   - isOwn: Whether a redirect leads to a host of this server. A client that registered itself cannot use it, even
    ///     if it could when it registered.
    ///   - find: Returns a client by its id.
    /// - Returns: The destination. Its mode is ``ResponseMode/query`` if the request's mode is not known.
    /// - Throws: ``InvalidClient``; the errors of `find`.
    ///
    /// Source: RFC 6749 §4.1.2.1; RFC 9700 §4.1.
    static func destination(
        _ fields: FormFields, isOwn: (String) -> Bool, _ find: (String) async throws -> RegisteredClient?
    ) async throws -> Destination {
        let ids = fields.values("client_id")
        guard ids.count == 1, let id = ids.first, id.utf8.count <= 255, let client = try await find(id) else {
            throw InvalidClient.client
        }
        let redirects = fields.values("redirect_uri")
        guard redirects.count == 1, let redirect = redirects.first, client.allowedRedirects.allows(redirect),
            client.registration == nil || !isOwn(redirect)
        else {
            throw InvalidClient.redirect
        }
        let states = fields.values("state")
        let state = states.count == 1 && states[0].utf8.count <= maximumCount ? states[0] : nil
        let mode = fields["response_mode"].flatMap(ResponseMode.init(rawValue:)) ?? .query
        return Destination(client: client, redirect: redirect, state: state, mode: mode)
    }

    /// Checks the parameters of a request.
    ///
    /// - Parameters:
    ///   - fields: The parameters.
    ///   - destination: Where the response goes.
    ///   - ruleScopes: The scopes that are known in addition to those of OpenID Connect.
    ///   - isResource: Whether tokens can be issued for an address.
    /// - Throws: ``AuthorizationError``.
    init(
        _ fields: FormFields, to destination: Destination, ruleScopes: [String], isResource: (String) -> Bool
    ) throws(AuthorizationError) {
        guard !fields.repeatsName(except: "resource") else {
            throw .invalidRequest("A parameter occurs more than once.")
        }
        try Self.requireShort(fields)
        guard fields["request"] == nil else { throw .requestNotSupported }
        guard fields["registration"] == nil else { throw .registrationNotSupported }
        switch fields["response_type"] {
        case "code": break
        case nil: throw .invalidRequest("The parameter response_type is missing.")
        default: throw .unsupportedResponseType
        }
        if let mode = fields["response_mode"], ResponseMode(rawValue: mode) == nil {
            throw .invalidRequest("The response_mode must be query or form_post.")
        }
        challenge = try Self.challenge(fields, of: destination.client)
        nonce = fields["nonce"]
        keyThumbprint = fields[Self.thumbprintName]
        guard keyThumbprint.map({ Base64URL.decode($0)?.count == SHA256Digest.count }) ?? true else {
            throw .invalidRequest("The dpop_jkt must be a SHA-256 in base64url.")
        }
        let audience = try Self.audience(fields, isResource)
        prompts = try Self.prompts(fields["prompt"] ?? "")
        hasHint = fields["id_token_hint"] != nil
        let settings = destination.client.settings
        level = [Self.level(fields["acr_values"] ?? ""), settings.level].compactMap { $0 }.max()
        maximumAge = [try Self.maximumAge(fields), settings.maximumAge].compactMap { $0 }.min()
        self.destination = destination
        grant = ClientGrant(
            client: destination.client.id,
            scopes: try Self.scopes(fields["scope"] ?? "", ruleScopes, destination.client), audience: audience)
    }

    /// Returns the code challenge. Nil when there is none and the client need not send one.
    ///
    /// Source: RFC 7636 §4.3; RFC 9700 §2.1.1.
    private static func challenge(
        _ fields: FormFields, of client: RegisteredClient
    ) throws(AuthorizationError) -> PKCE.Challenge? {
        let names = ["code_challenge", "code_challenge_method"]
        if client.mayOmitChallenge, names.allSatisfy({ fields[$0] == nil }) {
            return nil
        }
        guard let text = fields[names[0]], let challenge = PKCE.Challenge(text),
            fields[names[1]] == PKCE.Challenge.method
        else {
            throw .invalidRequest("A code_challenge of 43 characters and the code_challenge_method S256 are required.")
        }
        return challenge
    }

    /// Returns the scopes of a list that are known and that a client may get. Others are ignored, unless that leaves
    /// none.
    ///
    /// Source: RFC 6749 §3.3; OpenID Connect Core §3.1.2.1.
    static func scopes(
        _ text: String, _ others: [String], _ client: RegisteredClient
    ) throws(AuthorizationError) -> [String] {
        let scopes = client.settings.allowed(OAuthScope.known(in: text, and: others))
        guard !scopes.isEmpty || text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) else { throw .invalidScope }
        return scopes
    }

    /// Throws when the parameters are longer than 8 KiB.
    static func requireShort(_ fields: FormFields) throws(AuthorizationError) {
        guard FormURLEncoded.encode(fields.pairs.map { ($0.name, $0.value) }).utf8.count <= maximumCount else {
            throw .invalidRequest("The parameters are longer than 8192 bytes.")
        }
    }

    /// Returns the resources that a request names, each once.
    ///
    /// Source: RFC 8707 §2.
    static func audience(
        _ fields: FormFields, _ isResource: (String) -> Bool
    ) throws(AuthorizationError) -> [String] {
        var audience: [String] = []
        for resource in fields.values("resource") where !audience.contains(resource) {
            guard audience.count < maximumResources, isResource(resource) else { throw .invalidTarget }
            audience.append(resource)
        }
        return audience
    }

    /// The name of the parameter with the thumbprint of the client's key.
    ///
    /// Source: RFC 9449 §10.
    static let thumbprintName = "dpop_jkt"

    private static let maximumResources = 8
    /// The maximum length of all parameters together, form-encoded, in bytes.
    private static let maximumCount = 8_192
    /// The parameters that this server reads. Others are ignored.
    private static let names: Set = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "resource", "request", "registration", "id_token_hint",
        "acr_values", "login_hint", thumbprintName,
    ]

    /// Returns the parameters of a request that this server reads. Only these are stored.
    static func read(_ fields: FormFields) -> FormFields { FormFields(fields.pairs.filter { names.contains($0.name) }) }

    /// Returns the lowest level of a list. Nil when it contains none that is known.
    static func level(_ text: String) -> AuthenticationLevel? {
        text.split(atByte: " ").compactMap { AuthenticationLevel(rawValue: String($0)) }.min()
    }

    /// Returns how long ago the person may have authenticated. Nil for any time.
    static func maximumAge(_ fields: FormFields) throws(AuthorizationError) -> Duration? {
        try fields["max_age"].map { text throws(AuthorizationError) in
            guard let seconds = UInt32(text) else {
                throw .invalidRequest("The max_age must be a whole number of seconds.")
            }
            return .seconds(Int64(seconds))
        }
    }

    private static func prompts(_ text: String) throws(AuthorizationError) -> Set<Prompt> {
        var prompts: Set<Prompt> = []
        for word in text.split(atByte: " ") {
            guard let prompt = Prompt(rawValue: String(word)) else {
                throw .invalidRequest("The prompt must be none, login, consent or select_account.")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw .invalidRequest("The prompt none must not be combined with others.")
        }
        return prompts
    }
}

extension RegisteredClient {
    /// The addresses that a sign-in may end at. A loopback address may have any port.
    ///
    /// Source: RFC 8252 §7.3.
    var allowedRedirects: AllowedRedirects {
        AllowedRedirects(
            redirects, anyLoopbackPort: redirects.contains { $0.hasPrefix("http://") }, acceptsLocalhost: true)
    }
}

/// An error that is returned to the client in the response to an authorization request.
///
/// Source: RFC 6749 §4.1.2.1; OpenID Connect Core §3.1.2.6; RFC 8707 §2.
enum AuthorizationError: Error, Equatable {
    case invalidRequest(String)
    case unsupportedResponseType
    case requestNotSupported
    case registrationNotSupported
    case invalidTarget
    case invalidScope
    case accessDenied
    case notAdmitted
    case loginRequired
    case consentRequired
    case interactionRequired
    case requestURINotSupported

    /// The `error` of the response.
    var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .unsupportedResponseType: "unsupported_response_type"
        case .requestNotSupported: "request_not_supported"
        case .registrationNotSupported: "registration_not_supported"
        case .invalidTarget: "invalid_target"
        case .invalidScope: "invalid_scope"
        case .accessDenied, .notAdmitted: "access_denied"
        case .loginRequired: "login_required"
        case .consentRequired: "consent_required"
        case .interactionRequired: "interaction_required"
        case .requestURINotSupported: "request_uri_not_supported"
        }
    }

    /// The `error_description` of the response: what is wrong, and the remedy.
    var sentence: String {
        switch self {
        case .invalidRequest(let sentence): sentence
        case .unsupportedResponseType: "The response_type must be code."
        case .requestNotSupported:
            "The parameter request is not supported. Send the parameters, or store them at /oauth2/par."
        case .registrationNotSupported: "The parameter registration is not supported."
        case .invalidTarget: "The server issues no tokens for this resource. Use the address of a protected server."
        case .invalidScope:
            "None of the scopes is known, or the client may get none of them. Use those in the scopes_supported of "
                + "the metadata, or leave scope out."
        case .accessDenied: "The person did not allow the sign-in."
        case .notAdmitted:
            "The person may not sign in to the client. The administrators of the server decide who may."
        case .loginRequired: "The person must sign in. Repeat the request without prompt=none."
        case .consentRequired: "The person must allow the sign-in. Repeat the request without prompt=none."
        case .interactionRequired: "The person must change the password. Repeat the request without prompt=none."
        case .requestURINotSupported: "The request_uri must come from the endpoint /oauth2/par of this server."
        }
    }
}
