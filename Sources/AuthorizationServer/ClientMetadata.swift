import FoundationEssentials
import GatewayCore
import HTTPMessages
import OAuth
import Primitives
import SignInBridge

/// The metadata with which a client registers itself. Members that are not known are ignored.
///
/// Source: RFC 7591 §2.
struct ClientMetadata: Sendable {
    /// What is wrong with metadata.
    struct Invalid: Error, Equatable {
        /// The `error` of the response.
        let code: String
        /// One sentence that names the member and the remedy.
        let sentence: String

        static func metadata(_ sentence: String) -> Invalid {
            Invalid(code: "invalid_client_metadata", sentence: sentence)
        }

        static func redirect(_ sentence: String) -> Invalid {
            Invalid(code: "invalid_redirect_uri", sentence: sentence)
        }
    }

    let name: String
    /// The addresses that a sign-in may end at. Empty for a client that only signs devices in.
    let redirects: [String]
    /// The other addresses that the client sent, and why a sign-in cannot end there.
    let refusedRedirects: [(redirect: String, reason: String)]
    /// Whether devices without a browser may sign in to the client.
    let allowsDevice: Bool
    let method: ClientAuthenticationMethod
    /// The keys of a client that signs statements.
    let keys: ClientKeys?
    /// The addresses to which a browser may return after a sign-out.
    let signOutRedirects: [String]
    /// What the client wants for itself: whether its requests must be pushed.
    ///
    /// Source: RFC 9126 §6.
    let settings: ClientSettings

    /// The maximum number of addresses.
    static let maximumRedirects = 16
    /// The name of a client that sends none.
    private static let defaultName = "An app without a name"
    private static let maximumNameCount = 80

    /// Checks metadata.
    ///
    /// - Throws: ``Invalid``.
    init(_ value: JSONValue) throws(Invalid) {
        // A client that cannot do what clients do here must not register as if it could. What it could do in addition is
        // replaced by what the server does.
        let grants = try Self.texts(value, "grant_types") ?? [Self.codeGrant]
        let usesBrowser = grants.contains(Self.codeGrant)
        allowsDevice = grants.contains(DeviceGrant.type)
        guard usesBrowser || allowsDevice else {
            throw .metadata("The grant_types must contain \(Self.codeGrant) or \(DeviceGrant.type).")
        }
        let responses = try Self.texts(value, "response_types")
        guard !usesBrowser || responses?.contains("code") ?? true else {
            throw .metadata("The response_types must contain code.")
        }
        (redirects, refusedRedirects) =
            usesBrowser ? try Self.redirects(value["redirect_uris"], "redirect_uris") : ([], [])
        let signOut = value["post_logout_redirect_uris"]
        signOutRedirects =
            signOut == nil || signOut == .null || signOut == []
            ? [] : try Self.redirects(signOut, "post_logout_redirect_uris").valid
        name = try Self.name(value["client_name"])
        settings = try Self.settings(value["require_pushed_authorization_requests"])
        let method =
            try Self.text(value, "token_endpoint_auth_method") ?? ClientAuthenticationMethod.secretBasic.rawValue
        guard let method = ClientAuthenticationMethod(rawValue: method) else {
            throw .metadata(
                "The token_endpoint_auth_method must be none, client_secret_basic, client_secret_post or "
                    + "private_key_jwt."
            )
        }
        self.method = method
        keys = method == .signedStatement ? try Self.keys(value["jwks"]) : nil
    }

    /// Returns the grants of a client, as they are named in its metadata.
    static func grants(of client: RegisteredClient) -> [String] {
        (client.redirects.isEmpty ? [] : [codeGrant])
            + (client.settings.issuesRefreshTokens ? ["refresh_token"] : [])
            + (client.allowsDevice ? [DeviceGrant.type] : [])
    }

    private static let codeGrant = "authorization_code"

    /// Reads addresses, each once. A client with several of them gets those that are valid: it can use another one if the
    /// first is refused, as clients of the Model Context Protocol do that also have the scheme of an app.
    ///
    /// - Throws: ``Invalid`` when none is valid.
    private static func redirects(
        _ value: JSONValue?, _ name: String
    ) throws(Invalid) -> (valid: [String], refused: [(redirect: String, reason: String)]) {
        guard let elements = value?.array, (1...maximumRedirects).contains(elements.count) else {
            throw .redirect("The \(name) must be an array of 1 to \(maximumRedirects) addresses.")
        }
        var valid: [String] = []
        var refused: [(redirect: String, reason: String)] = []
        for element in elements {
            guard let redirect = element.string else { throw .redirect("One of the \(name) is not a string.") }
            if let problem = problem(with: redirect) {
                refused.append((redirect, problem))
            } else if !valid.contains(redirect) {
                valid.append(redirect)
            }
        }
        guard !valid.isEmpty else {
            throw .redirect("One of the \(name) is not valid: \(refused.first?.reason ?? "it is missing").")
        }
        return (valid, refused)
    }

    /// Returns why a client that registers itself cannot have an address. Nil when it can.
    private static func problem(with redirect: String) -> String? {
        if let problem = AllowedRedirects.problem(with: redirect, acceptsLocalhost: true) { return problem }
        // Anybody could make the page of this server open any program of the person's device. Source: RFC 8252 §7.1.
        let scheme = redirect.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" || scheme.contains(".") else {
            return "the scheme of an app must be a domain name in reverse order, such as com.example.app"
        }
        return nil
    }

    private static func settings(_ value: JSONValue?) throws(Invalid) -> ClientSettings {
        var settings = ClientSettings()
        guard let value, value != .null else { return settings }
        guard let isRequired = value.bool else {
            throw .metadata("The require_pushed_authorization_requests must be true or false.")
        }
        settings.requiresPushedRequests = isRequired
        return settings
    }

    private static func name(_ value: JSONValue?) throws(Invalid) -> String {
        guard let value, value != .null else { return defaultName }
        guard let name = value.string, name.displayName(limit: maximumNameCount) == name else {
            throw .metadata("The client_name must be a text of 1 to \(maximumNameCount) printable characters.")
        }
        return name
    }

    private static func keys(_ value: JSONValue?) throws(Invalid) -> ClientKeys {
        guard let value, let keys = ClientKeys(String(decoding: value.encoded(), as: UTF8.self)) else {
            throw .metadata(
                "The method private_key_jwt needs jwks, with 1 to \(ClientKeys.maximumCount) public keys for "
                    + "\(ClientKeys.algorithms); a jwks_uri is not read.")
        }
        return keys
    }

    private static func text(_ value: JSONValue, _ name: String) throws(Invalid) -> String? {
        guard let member = value[name], member != .null else { return nil }
        guard let text = member.string else { throw .metadata("The \(name) must be a string.") }
        return text
    }

    private static func texts(_ value: JSONValue, _ name: String) throws(Invalid) -> [String]? {
        guard let member = value[name], member != .null else { return nil }
        let texts = member.array?.compactMap(\.string)
        guard let texts, texts.count == member.array?.count else {
            throw .metadata("The \(name) must be an array of strings.")
        }
        return texts
    }
}
