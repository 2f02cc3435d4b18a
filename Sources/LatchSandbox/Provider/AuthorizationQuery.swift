import HTTPMessages
import OAuth

/// A valid request to the authorization endpoint, from a known client with a registered redirect URI.
///
/// Source: OpenID Connect Core §3.1.2.1; RFC 7636 §4.3; OAuth 2.0 Form Post Response Mode §2.
struct AuthorizationQuery: Sendable {
    /// How the authorization response is returned.
    enum ResponseMode: String, CaseIterable, Sendable {
        case query
        case formPost = "form_post"
    }

    let client: RegisteredClient
    let redirect: String
    let responseMode: ResponseMode
    let state: String?
    let nonce: String?
    let scopes: [String]
    let challenge: PKCE.Challenge?
    let prompts: Set<String>
    let loginHint: String?
    let maximumAge: Int?

    /// An error that cannot be reported to the client. It is shown to the person only.
    struct UnreportableError: Error {
        let sentence: String
    }

    /// An error that is reported to the client.
    struct Refusal: Error, Equatable {
        let error: String
        let description: String
    }

    /// The client and the address of its authorization response.
    struct Return: Sendable {
        let client: RegisteredClient
        let redirect: String
        let responseMode: ResponseMode
        let state: String?
    }

    /// Returns the client and the address of its authorization response.
    static func returnDestination(
        _ fields: FormFields, client: (String) -> RegisteredClient?
    ) throws(UnreportableError) -> Return {
        for name in ["client_id", "redirect_uri"] where fields.values(name).count != 1 {
            throw UnreportableError(sentence: "The request must have exactly one \(name).")
        }
        guard let found = client(fields["client_id"] ?? "") else {
            throw UnreportableError(sentence: "No client with this client_id is registered here.")
        }
        guard let redirect = fields["redirect_uri"], found.allows(redirect) else {
            throw UnreportableError(
                sentence: "This redirect_uri is not registered for the client \(found.id); it must match "
                    + "character by character.")
        }
        let state = fields.values("state")
        return Return(
            client: found, redirect: redirect,
            responseMode: fields["response_mode"].flatMap(ResponseMode.init) ?? .query,
            state: state.count == 1 ? state[0] : nil)
    }

    init(_ fields: FormFields, to destination: Return) throws(Refusal) {
        try Self.checkShape(fields)
        scopes = (fields["scope"] ?? "").split(separator: " ").map(String.init)
        guard scopes.contains("openid") else {
            throw Refusal(error: "invalid_scope", description: "The scope must contain openid.")
        }
        challenge = try Self.challenge(fields, isPublic: destination.client.secret == nil)
        prompts = try Self.prompts(fields)
        if let text = fields["max_age"] {
            guard let age = Int(text), age >= 0 else { throw .invalid("The max_age is not a number of seconds.") }
            maximumAge = age
        } else {
            maximumAge = nil
        }
        client = destination.client
        redirect = destination.redirect
        responseMode = destination.responseMode
        state = destination.state
        nonce = fields["nonce"]
        loginHint = fields["login_hint"]
    }

    private static func checkShape(_ fields: FormFields) throws(Refusal) {
        for name in Set(fields.map(\.name)) where fields.values(name).count > 1 {
            throw .invalid("The parameter \(name) occurs more than once.")
        }
        if fields["request"] != nil {
            throw Refusal(error: "request_not_supported", description: "Request objects are not supported.")
        }
        if fields["request_uri"] != nil {
            throw Refusal(error: "request_uri_not_supported", description: "Request objects are not supported.")
        }
        guard fields["response_type"] == "code" else {
            throw Refusal(error: "unsupported_response_type", description: "The only supported response_type is code.")
        }
        if let mode = fields["response_mode"], ResponseMode(rawValue: mode) == nil {
            throw .invalid("The response_mode must be query or form_post.")
        }
    }

    private static func challenge(_ fields: FormFields, isPublic: Bool) throws(Refusal) -> PKCE.Challenge? {
        guard let text = fields["code_challenge"] else {
            if fields["code_challenge_method"] != nil { throw .invalid("The code_challenge is missing.") }
            if isPublic { throw .invalid("A public client must send a code_challenge.") }
            return nil
        }
        guard fields["code_challenge_method"] == PKCE.Challenge.method else {
            throw .invalid("The code_challenge_method must be S256.")
        }
        guard let challenge = PKCE.Challenge(text) else { throw .invalid("The code_challenge is not a SHA-256 hash.") }
        return challenge
    }

    private static func prompts(_ fields: FormFields) throws(Refusal) -> Set<String> {
        let prompts = Set((fields["prompt"] ?? "").split(separator: " ").map(String.init))
        if prompts.contains("none"), prompts.count > 1 { throw .invalid("The prompt none must be alone.") }
        guard prompts.isSubset(of: ["none", "login", "consent", "select_account"]) else {
            throw .invalid("The prompt must be none, login, consent or select_account.")
        }
        return prompts
    }
}

extension AuthorizationQuery.Refusal {
    static func invalid(_ description: String) -> AuthorizationQuery.Refusal {
        AuthorizationQuery.Refusal(error: "invalid_request", description: description)
    }
}
