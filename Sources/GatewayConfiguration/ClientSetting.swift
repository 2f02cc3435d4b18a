package import GatewayCore

/// One of the ``ClientSettings``, as people write it: a key of `oauth.clients.ID`, an option of `latchd clients`, and a
/// line on the administration pages. All of these read and show it in the same way.
package struct ClientSetting: Sendable {
    /// The name in the configuration, such as `session_lifetime`.
    package let name: String
    /// The name of the option, without dashes: one of a list is named for one element.
    package let option: String
    /// The placeholder for the value in the help text.
    package let placeholder: String
    /// The meaning, in one sentence.
    package let summary: String
    /// Whether the setting is a list.
    package let isList: Bool
    /// A phrase that completes "it must be …".
    let expected: String
    private let accepts: @Sendable (String) -> Bool
    private let store: @Sendable ([String], inout ClientSettings) -> Void
    private let show: @Sendable (ClientSettings) -> [String]

    /// A value that is not valid.
    package struct Invalid: Error, Equatable {
        /// The value as it was written.
        package let word: String
        /// A phrase that completes "it must be …".
        package let expected: String
    }

    private init<Value: Sendable>(
        _ name: String, _ value: any WritableKeyPath<ClientSettings, Value> & Sendable,
        as form: ConfigurationForm<Value>, placeholder: String, summary: String
    ) {
        self.name = name
        option = Self.dashed(name)
        self.placeholder = placeholder
        self.summary = summary
        isList = false
        expected = form.expected
        accepts = { form.read($0, "") != nil }
        store = { words, settings in
            if let word = words.first, let read = form.read(word, "") { settings[keyPath: value] = read }
        }
        show = { [form.show($0[keyPath: value])] }
    }

    private init(
        list name: String, option: String, _ value: any WritableKeyPath<ClientSettings, [String]> & Sendable,
        of form: ConfigurationForm<String>, placeholder: String, summary: String
    ) {
        self.name = name
        self.option = option
        self.placeholder = placeholder
        self.summary = summary
        isList = true
        expected = form.expected
        accepts = { form.read($0, "") != nil }
        store = { words, settings in settings[keyPath: value] = words.compactMap { form.read($0, "") } }
        show = { $0[keyPath: value].map(form.show) }
    }

    private static func dashed(_ name: String) -> String { String(name.map { $0 == "_" ? "-" : $0 }) }

    /// Replaces the setting.
    ///
    /// - Parameters:
    ///   - words: One value, or the elements of a list.
    ///   - settings: The settings, which an error leaves as they are.
    /// - Throws: ``Invalid``.
    package func set(_ words: [String], in settings: inout ClientSettings) throws(Invalid) {
        if let word = words.first(where: { !accepts($0) }) { throw Invalid(word: word, expected: expected) }
        store(words, &settings)
    }

    /// Makes the setting the default again.
    package func reset(in settings: inout ClientSettings) { store(show(ClientSettings()), &settings) }

    /// The setting as words that ``set(_:in:)`` accepts: one, or the elements of a list.
    package func words(of settings: ClientSettings) -> [String] { show(settings) }

    /// Whether the setting differs from the default.
    package func isChanged(in settings: ClientSettings) -> Bool { show(settings) != show(ClientSettings()) }
}

extension ClientSetting {
    /// All settings.
    package static let all = [
        ClientSetting(
            "allow", \.admission, as: .choice(ClientSettings.Admission.allCases.map { ($0.rawValue, $0) }),
            placeholder: "PEOPLE",
            summary: "Who may sign in to the client: signed-in (everybody with an account), administrators, or nobody."),
        ClientSetting(
            list: "users", option: "user", \.users, of: .accessUser, placeholder: "PERSON",
            summary: "The people who may sign in, by e-mail address or id, in addition to groups. By default, "
                + "everybody."),
        ClientSetting(
            list: "groups", option: "group", \.groups, of: .group, placeholder: "NAME",
            summary: "The groups of the identity provider whose members may sign in, in addition to users. By default, "
                + "everybody."),
        ClientSetting(
            "max_age", \.maximumAge, as: .optionalDuration(.seconds(30)...(.seconds(30 * 86_400))),
            placeholder: "TIME",
            summary: "How long ago people may have authenticated when they sign in to the client. By default, any time."
        ),
        ClientSetting(
            "acr", \.level,
            as: .choice([("none", nil)] + AuthenticationLevel.allCases.map { ($0.rawValue, $0) }), placeholder: "LEVEL",
            summary: "How people must have authenticated: multi-factor, as their identity provider reports it, or none "
                + "for any way."),
        ClientSetting(
            "access_token_lifetime", \.accessTokenLifetime,
            as: .optionalDuration(.seconds(60)...(.seconds(3_600))), placeholder: "TIME",
            summary: "The lifetime of its access tokens, at most that of the server. By default, that of the server."),
        ClientSetting(
            "session_lifetime", \.sessionLifetime, as: .optionalDuration(.seconds(60)...day * 3_650),
            placeholder: "TIME",
            summary: "The lifetime of its sessions after the last refresh, at most sessions.lifetime. By default, "
                + "sessions.lifetime."),
        ClientSetting(
            "session_maximum", \.sessionMaximum, as: .optionalDuration(.seconds(60)...day * 3_650),
            placeholder: "TIME",
            summary: "The maximum lifetime of its sessions, at most sessions.maximum. By default, sessions.maximum."),
        ClientSetting(
            "require_pushed_authorization_requests", \.requiresPushedRequests, as: .boolean, placeholder: "BOOLEAN",
            summary: "Whether the client must push each authorization request to /oauth2/par (RFC 9126)."),
        ClientSetting(
            list: "scopes", option: "scope", \.scopes, of: .scope, placeholder: "SCOPE",
            summary: "The scopes that the client may get. Others are left out. By default, all."),
        ClientSetting(
            "refresh_tokens", \.issuesRefreshTokens, as: .boolean, placeholder: "BOOLEAN",
            summary: "Whether the client gets refresh tokens. Without, its session ends with its access token."),
        ClientSetting(
            "pkce", \.requiresChallenge, as: .choice([("required", true), ("optional", false)]), placeholder: "WORD",
            summary: "Whether each request must have a code_challenge (RFC 7636): required, or optional for a client "
                + "with a secret or keys that has no PKCE."),
        ClientSetting(
            "id_token_claims", \.hasIDTokenClaims, as: .boolean, placeholder: "BOOLEAN",
            summary: "Whether its ID tokens have the claims of its scopes, such as email and groups, for a client that "
                + "does not ask UserInfo."),
    ]

    private static let day = Duration.seconds(86_400)

    /// Returns the settings that differ from the defaults, each with its words.
    package static func changed(in settings: ClientSettings) -> [(setting: ClientSetting, words: [String])] {
        all.filter { $0.isChanged(in: settings) }.map { ($0, $0.words(of: settings)) }
    }
}
