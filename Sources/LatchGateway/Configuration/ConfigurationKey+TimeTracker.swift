import JOSE

extension ConfigurationKey {
    static let timeTracker = [
        ConfigurationKey(
            "dialects.timetracker.enabled", \.settings.timeTracker.isEnabled, .boolean,
            "Whether clients of Time Tracker can sign in."),
        ConfigurationKey(
            "dialects.timetracker.prefix", \.settings.timeTracker.prefix, .prefix,
            "What stands before the paths of the Time Tracker dialect."),
        ConfigurationKey(
            list: "dialects.timetracker.redirects", \.settings.timeTracker.redirects, of: .redirect,
            "The addresses in apps that a sign-in may end at, compared character by character."),
        ConfigurationKey(
            "dialects.timetracker.callback", \.settings.timeTracker.callback,
            .choice(TimeTrackerSettings.Callback.allCases.map { ($0.rawValue, $0) }),
            "Who receives the browser from the identity provider: the app itself, or the gateway, which goes on to the app."
        ),
        ConfigurationKey(
            "dialects.timetracker.token_lifetime", \.settings.timeTracker.tokenLifetime,
            .duration(.seconds(60)...(.seconds(3650 * 86_400))),
            "How long a token is good; sessions.maximum where that is less."),
        ConfigurationKey(
            "dialects.timetracker.audience", \.settings.timeTracker.audience, .optionalWord("a word"),
            "Whom tokens are for, 'aud'.", defaultValue: "public_url with the prefix"),
        ConfigurationKey(
            "dialects.timetracker.starts_per_minute", \.settings.timeTracker.startRate.requests, .number(1...100_000),
            "How many sign-ins may be begun from one address in a minute."),
        ConfigurationKey(
            "tokens.key_rotation", \.settings.signingKeys.rotation,
            .duration(.seconds(3_600)...(.seconds(3650 * 86_400))),
            "How old a key that tokens are signed with may be before another takes its place."),
        ConfigurationKey(
            "tokens.algorithm", \.settings.signingKeys.algorithm, .choice([("ES256", .es256), ("EdDSA", .edDSA)]),
            "What new keys sign by."),
    ]
}
