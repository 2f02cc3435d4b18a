import Crypto
import GatewayCore

/// The secret of a client while the configuration is read.
package struct ClientSecretDraft: Sendable {
    var secret: Secret?
    var fileSecret: Secret?

    /// The secret. Nil when there is none.
    var value: Secret? { secret ?? fileSecret }

    /// Returns the mistake in the secret of the client at a path, if there is one, with the key to report it at.
    func mistake(at path: String) -> ProviderDraft.Mistake? {
        switch (secret, fileSecret) {
        case (.some, .some):
            ("\(path).secret", "\(path) has a secret and a secret_file", "remove one of them")
        case (let secret?, nil) where secret.count < IntrospectionClient.minimumSecretBytes:
            ("\(path).secret", Self.tooShort("\(path).secret"), Self.makeOne)
        case (nil, let secret?) where secret.count < IntrospectionClient.minimumSecretBytes:
            ("\(path).secret_file", Self.tooShort("the secret in \(path).secret_file"), Self.makeOne)
        default: nil
        }
    }

    private static func tooShort(_ what: String) -> String {
        "\(what) is shorter than \(IntrospectionClient.minimumSecretBytes) bytes"
    }

    private static let makeOne = "generate one with: openssl rand -hex 32"
}

/// The values of one client of the authorization server while the configuration is read.
package struct OAuthClientDraft: Sendable {
    var name: String?
    var redirects: [String] = []
    var credential = ClientSecretDraft()
    var requiresProof = false
}

extension DaemonConfiguration {
    mutating func resolveIntrospection() {
        settings.introspectionClients = introspection.all.compactMap { name, draft in
            draft.value.flatMap { try? IntrospectionClient(id: name, secret: $0) }
        }
    }

    mutating func resolveOAuthClients() {
        settings.authorizationServer.clients = oauthClients.all.map { id, draft in
            RegisteredClient(
                id: id, name: draft.name ?? id, secretHash: draft.credential.value.map { SHA256.digest($0) },
                redirects: draft.redirects, requiresProof: draft.requiresProof)
        }
    }

    /// Returns the mistakes in introspection clients and clients of the authorization server, each with the key to
    /// report it at.
    func clientMistakes(isUnread: (String) -> Bool) -> [ProviderDraft.Mistake] {
        let introspection = introspection.all.compactMap { $1.mistake(at: "introspection.clients.\($0)") }
        let oauth = oauthClients.all.flatMap { id, draft in
            let path = "oauth.clients.\(id)"
            let key = "\(path).redirects"
            let missing: ProviderDraft.Mistake? =
                draft.redirects.isEmpty && !isUnread(key)
                ? (key, "\(path) has no redirects", "add the addresses at which the client's sign-in may end") : nil
            return [draft.credential.mistake(at: path), missing].compactMap { $0 }
        }
        return introspection + oauth
    }

    /// Whether `public_url` can be the issuer of an authorization server.
    ///
    /// Source: RFC 8414 §2, which requires `https`.
    var hasIssuer: Bool {
        guard let url = settings.publicURL else { return false }
        return url.hasPrefix("https://") || Self.isLoopback(url)
    }
}
