import GatewayCore

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
            "oauth.device_dialects", \.settings.authorizationServer.servesDialectsToDevices, as: .boolean,
            summary: "Whether 'latch login --device' can sign people in to the dialects of this server."),
        ConfigurationKey(
            "oauth.registration.enabled", \.settings.authorizationServer.registration.isEnabled, as: .boolean,
            summary: "Whether clients can register themselves. People see that nobody has checked them."),
        ConfigurationKey(
            "oauth.registration.maximum", \.settings.authorizationServer.registration.maximum, as: .number(4...100_000),
            summary: "The maximum number of clients that registered themselves."),
        ConfigurationKey(
            "oauth.registration.approval", \.settings.authorizationServer.registration.requiresApproval,
            as: .choice([("none", false), ("required", true)]),
            summary: "Whether people may sign in to a client that registered itself only after an administrator has "
                + "approved it."),
        ConfigurationKey(
            list: "oauth.registration.redirect_hosts", \.settings.authorizationServer.registration.redirects,
            of: .registrationRedirect,
            summary: "The hosts, and schemes of apps, of the addresses that clients may register, such as "
                + "*.example.org or com.example.app:*. By default, all."),
        ConfigurationKey(
            "oauth.registration.unused_lifetime", \.settings.authorizationServer.registration.unusedLifetime,
            as: .duration(.seconds(3_600)...(.seconds(365 * 86_400))),
            summary: "How long a client that registered itself stays without anybody signing in to it."),
        ConfigurationKey(
            "oauth.registration.idle_lifetime", \.settings.authorizationServer.registration.idleLifetime,
            as: .duration(.seconds(86_400)...(.seconds(3_650 * 86_400))),
            summary: "How long a client that registered itself stays after its last use."),
        ConfigurationKey(
            "oauth.registration.secret", \.registration.secret, as: .secret,
            summary: "The initial access token, of at least 32 bytes, without which no client can register. A file is "
                + "safer."),
        ConfigurationKey(
            "oauth.registration.secret_file", \.registration.fileSecret, as: .secretFile,
            summary: "A file that contains only the initial access token."),
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
                list: "oauth.clients.\(name).redirects", \.oauthClients[name].redirects, of: .clientRedirect,
                summary: "The addresses at which the client's sign-in may end, compared character by character; at "
                    + "http://127.0.0.1, http://[::1] and http://localhost with any port."),
            ConfigurationKey(
                "oauth.clients.\(name).device", \.oauthClients[name].allowsDevice, as: .boolean,
                summary: "Whether devices without a browser may sign in to the client with a code (RFC 8628). Such a "
                    + "client needs no redirects."),
            ConfigurationKey(
                "oauth.clients.\(name).secret", \.oauthClients[name].credential.secret, as: .secret,
                summary: "The client_secret, of at least 32 bytes. A file is safer. An app on people's devices has "
                    + "none."),
            ConfigurationKey(
                "oauth.clients.\(name).secret_file", \.oauthClients[name].credential.fileSecret, as: .secretFile,
                summary: "A file that contains only the client_secret."),
            ConfigurationKey(
                "oauth.clients.\(name).jwks", \.oauthClients[name].keys, as: .clientKeys,
                summary: "The client's public keys as a JSON Web Key Set, instead of a secret: it authenticates with "
                    + "private_key_jwt."),
            ConfigurationKey(
                "oauth.clients.\(name).jwks_file", \.oauthClients[name].fileKeys, as: .clientKeysFile,
                summary: "A file with that set."),
            ConfigurationKey(
                "oauth.clients.\(name).access_tokens", \.oauthClients[name].accessTokens,
                as: .choice(AccessTokenForm.allCases.map { ($0.rawValue, $0) }),
                summary: "The form of its access tokens: opaque, or jwt for servers that check them by themselves."),
            ConfigurationKey(
                list: "oauth.clients.\(name).sign_out_redirects", \.oauthClients[name].signOut.redirects,
                of: .clientRedirect,
                summary:
                    "The addresses to which a browser may return after a sign-out that the client asked for, compared "
                    + "character by character."),
            ConfigurationKey(
                "oauth.clients.\(name).sign_out_address", \.oauthClients[name].signOut.address, as: .noticeAddress,
                summary: "The address of the client that is told when its sessions end, as in Back-Channel Logout."),
            ConfigurationKey(
                "oauth.clients.\(name).dpop", \.oauthClients[name].requiresProof,
                as: .choice([("optional", false), ("required", true)]),
                summary: "Whether the client gets only tokens that are bound to a key (DPoP)."),
        ] + ClientSetting.all.map { ConfigurationKey($0, ofClient: name) }
    }
}
