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
    var allowsDevice = false
    var credential = ClientSecretDraft()
    var requiresProof = false
    var keys: ClientKeys?
    var fileKeys: ClientKeys?
    var signOut = ClientSignOutSettings()
    var accessTokens = AccessTokenForm.opaque
    var settings = ClientSettings()

    /// Whether the client authenticates, with a secret or with keys.
    var isConfidential: Bool { credential.value != nil || keys != nil || fileKeys != nil }

    /// Returns the mistake in how the client at a path authenticates, if there is one, with the key to report it at.
    func credentialMistake(at path: String) -> ProviderDraft.Mistake? {
        if keys != nil, fileKeys != nil {
            return ("\(path).jwks", "\(path) has jwks and a jwks_file", "remove one of them")
        }
        if let mistake = credential.mistake(at: path) { return mistake }
        guard credential.value != nil, keys ?? fileKeys != nil else { return nil }
        return (
            "\(path).\(keys == nil ? "jwks_file" : "jwks")", "\(path) has a secret and keys", "remove one of them"
        )
    }
}

extension DaemonConfiguration {
    mutating func resolveIntrospection() {
        settings.introspectionClients = introspection.all.compactMap { name, draft in
            draft.value.flatMap { try? IntrospectionClient(id: name, secret: $0) }
        }
    }

    mutating func resolveOAuthClients() {
        settings.authorizationServer.registration.secret = registration.value
        settings.authorizationServer.clients = oauthClients.all.map { id, draft in
            RegisteredClient(
                id: id, name: draft.name ?? id, secretHash: draft.credential.value.map { SHA256.digest($0) },
                redirects: draft.redirects, allowsDevice: draft.allowsDevice, requiresProof: draft.requiresProof,
                keys: draft.keys ?? draft.fileKeys, signOut: draft.signOut, accessTokens: draft.accessTokens,
                settings: draft.settings)
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
                draft.redirects.isEmpty && !draft.allowsDevice && !isUnread(key)
                ? (key, "\(path) has no redirects", "add the addresses at which the client's sign-in may end") : nil
            let reserved: ProviderDraft.Mistake? =
                settings.reservedClientIDs.contains { ExactText($0) == ExactText(id) }
                ? (key, "\(path) has an id that this server uses for a program of its own", "choose another id") : nil
            let unused: ProviderDraft.Mistake? =
                draft.settings.requiresPushedRequests && draft.redirects.isEmpty && draft.allowsDevice && !isUnread(key)
                ? (
                    "\(path).require_pushed_authorization_requests",
                    "\(path).require_pushed_authorization_requests has no effect without redirects", "remove it"
                ) : nil
            let contradictions = draft.settings.problems(
                in: settings, isConfidential: draft.isConfidential
            ).map { problem -> ProviderDraft.Mistake in
                ("\(path).\(problem.setting)", "\(path): \(problem.problem)", problem.remedy)
            }
            return [draft.credentialMistake(at: path), missing, reserved, unused].compactMap { $0 } + contradictions
        }
        return introspection + oauth + [registration.mistake(at: "oauth.registration")].compactMap { $0 }
    }

    /// Whether `public_url` can be the issuer of an authorization server.
    ///
    /// Source: RFC 8414 §2, which requires `https`.
    var hasIssuer: Bool {
        guard let url = settings.publicURL else { return false }
        return url.hasPrefix("https://") || Self.isLoopback(url)
    }
}
