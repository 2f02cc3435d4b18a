extension ConfigurationKey {
    static let oauth = [
        ConfigurationKey(
            "oauth.enabled", \.settings.authorizationServer.isEnabled, as: .boolean,
            summary: "Whether clients of OAuth 2.1 and OpenID Connect can sign people in."),
        ConfigurationKey(
            "oauth.access_token_lifetime", \.settings.authorizationServer.accessTokenLifetime,
            as: .duration(.seconds(60)...(.seconds(3_600))),
            summary: "The lifetime of an access token. A client gets another one with its refresh token."),
        ConfigurationKey(
            "oauth.dpop.nonce", \.settings.authorizationServer.requiresProofNonces,
            as: .choice([("none", false), ("required", true)]),
            summary: "Whether proofs of possession (DPoP) must contain a nonce of this server. Some clients do not "
                + "support nonces."),
    ]
}

extension ConfigurationFamily {
    /// The clients of the authorization server, by their `client_id`.
    static let oauthClients = ConfigurationFamily(path: "oauth.clients") { name in
        [
            ConfigurationKey(
                "oauth.clients.\(name).name", \.oauthClients[name].name, as: .shown,
                summary: "The name that people see when they sign in to the client.", defaultValue: "the id"),
            ConfigurationKey(
                list: "oauth.clients.\(name).redirects", \.oauthClients[name].redirects, of: .redirect,
                summary: "The addresses at which the client's sign-in may end, compared character by character; at "
                    + "http://127.0.0.1 and http://[::1] with any port."),
            ConfigurationKey(
                "oauth.clients.\(name).secret", \.oauthClients[name].credential.secret, as: .secret,
                summary: "The client_secret, of at least 32 bytes. A file is safer. An app on people's devices has "
                    + "none."),
            ConfigurationKey(
                "oauth.clients.\(name).secret_file", \.oauthClients[name].credential.fileSecret, as: .secretFile,
                summary: "A file that contains only the client_secret."),
            ConfigurationKey(
                "oauth.clients.\(name).dpop", \.oauthClients[name].requiresProof,
                as: .choice([("optional", false), ("required", true)]),
                summary: "Whether the client gets only tokens that are bound to a key (DPoP)."),
        ]
    }
}
