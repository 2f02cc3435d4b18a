package import HTTPMessages
import HTTPServer
import Synchronization

extension ScriptedProvider {
    /// All paths that are served. `/elsewhere` is a redirect target, and responds like the token endpoint.
    static let paths = [
        "/.well-known/openid-configuration", "/keys", "/authorize", "/token", "/userinfo", "/elsewhere", "/distributed",
    ]

    /// Responds to a request and records it.
    func response(_ request: ServerRequest) -> ServerResponse {
        var response = ownAnswer(request)
        if state.withLock({ $0.script.paddedPath == request.path }) {
            response.body = .bytes((response.body.bytes ?? []) + [UInt8](repeating: UInt8(ascii: " "), count: 300_000))
        }
        return response
    }

    private func ownAnswer(_ request: ServerRequest) -> ServerResponse {
        state.withLock { state in
            state.requests.append(request.path)
            if let response = state.script.replacements[request.path]?(request) { return response }
            do {
                switch request.path {
                case "/.well-known/openid-configuration": return .json(state.discovery)
                case "/keys": return .json(["keys": .array(try state.keys.published(state.script))] as JSONValue)
                case "/authorize": return try state.redirectBack(request)
                case "/token", "/elsewhere": return try state.tokens(request)
                case "/userinfo": return try state.userInfo(request)
                default: return .json(["email": "distributed@example.org"] as JSONValue)
                }
            } catch {
                return .json(
                    ["error": "server_error", "error_description": .string("\(error)")] as JSONValue,
                    status: .badRequest)
            }
        }
    }

    /// Returns the parameters that the browser brings to the redirect URI, by query or by form, after it was sent to
    /// `address`.
    package func callback(for address: String) throws -> FormFields {
        let query = address.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return try state.withLock { state in FormFields(try state.callback(try FormURLEncoded.decode(query))) }
    }
}

/// The reason that the provider rejects an invalid request.
struct ProviderRefusal: Error, CustomStringConvertible {
    let description: String
}

extension ScriptedProvider.State {
    fileprivate var discovery: JSONValue {
        var members = JSONMembers([
            ("issuer", .string(issuer)), ("authorization_endpoint", .string(issuer + "/authorize")),
            ("token_endpoint", .string(issuer + "/token")), ("jwks_uri", .string(issuer + "/keys")),
            ("userinfo_endpoint", .string(issuer + "/userinfo")), ("response_types_supported", ["code"]),
            ("subject_types_supported", ["public"]), ("id_token_signing_alg_values_supported", ["RS256"]),
            ("authorization_response_iss_parameter_supported", true), ("code_challenge_methods_supported", ["S256"]),
        ])
        script.discovery(&members)
        return .object(members.members)
    }

    fileprivate mutating func callback(_ fields: FormFields) throws -> [(name: String, value: String)] {
        guard fields["response_type"] == "code", fields["client_id"] == ScriptedProvider.clientID,
            let redirect = fields["redirect_uri"], fields["code_challenge_method"] == "S256",
            let challenge = fields["code_challenge"], fields["scope"]?.split(separator: " ").contains("openid") == true
        else { throw ProviderRefusal(description: "The authorization request is not right.") }
        made += 1
        let code = "code-0123456789-\(made)"
        codes[code] = ScriptedProvider.Grant(
            clientID: ScriptedProvider.clientID, redirect: redirect, challenge: challenge, nonce: fields["nonce"])
        var pairs = [(name: "code", value: code), (name: "iss", value: issuer)]
        if let sent = fields["state"] { pairs.append((name: "state", value: sent)) }
        script.callback(&pairs)
        return pairs
    }

    fileprivate mutating func redirectBack(_ request: ServerRequest) throws -> ServerResponse {
        let fields = try FormURLEncoded.decode(request.rawQuery ?? "")
        let pairs = try callback(fields).map { ($0.name, $0.value) }
        let target = (fields["redirect_uri"] ?? "") + "?" + FormURLEncoded.encode(pairs)
        return ServerResponse(status: .seeOther, headers: ["Location": target])
    }
}
