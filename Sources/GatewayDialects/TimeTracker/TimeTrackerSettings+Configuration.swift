package import GatewayConfiguration
package import GatewayCore
import JOSE
import OpenIDConnect

extension TimeTrackerSettings {
    package static let configurationKeys = [
        ConfigurationKey(
            "dialects.timetracker.enabled", \.settings.timeTracker.isEnabled, as: .boolean,
            summary: "Whether clients of Time Tracker can sign in."),
        ConfigurationKey(
            "dialects.timetracker.prefix", \.settings.timeTracker.prefix, as: .prefix,
            summary: "The path prefix of the Time Tracker dialect."),
        ConfigurationKey(
            list: "dialects.timetracker.redirects", \.settings.timeTracker.redirects, of: .redirect,
            summary: "The app addresses that a sign-in may redirect to, compared character by character."),
        ConfigurationKey(
            "dialects.timetracker.callback", \.settings.timeTracker.callback,
            as: .choice(TimeTrackerSettings.Callback.allCases.map { ($0.rawValue, $0) }),
            summary: "Where the identity provider redirects the browser: to the app, or to the gateway, which "
                + "redirects it to the app."),
        ConfigurationKey(
            "dialects.timetracker.token_lifetime", \.settings.timeTracker.tokenLifetime,
            as: .duration(.seconds(60)...(.seconds(3650 * 86_400))),
            summary: "The lifetime of a token, or sessions.maximum if that is less."),
        ConfigurationKey(
            "dialects.timetracker.audience", \.settings.timeTracker.audience, as: .optionalText("a word"),
            summary: "The audience of tokens, 'aud'.", defaultValue: "public_url with the prefix"),
        ConfigurationKey(
            "dialects.timetracker.starts_per_minute", \.settings.timeTracker.startRate.requests,
            as: .number(1...100_000),
            summary: "The maximum number of sign-ins that one address may start per minute."),
        ConfigurationKey(
            "tokens.key_rotation", \.settings.signingKeys.rotation,
            as: .duration(.seconds(3_600)...(.seconds(3650 * 86_400))),
            summary: "The age at which a key that signs tokens is replaced."),
        ConfigurationKey(
            "tokens.algorithm", \.settings.signingKeys.algorithm, as: .choice([("ES256", .es256), ("EdDSA", .edDSA)]),
            summary: "The signature algorithm of new keys."),
    ]

    package func prefix(in settings: GatewaySettings) -> String { prefix }

    package func callbacks(of provider: ProviderConfiguration, in settings: GatewaySettings) -> [String] {
        let own =
            (settings.publicURL ?? "") + prefix
            + TimeTrackerRoutes.callbackPath(of: provider, among: settings.providers.count)
        let isPosted = provider.settings.responseMode == .formPost
        return [own] + (callback == .app && !isPosted ? redirects : [])
    }

    package func warnings(in settings: GatewaySettings) -> [String] {
        let provider =
            "dialects.timetracker.enabled is true without an identity provider, so no one can sign in there. "
            + "Configure one in providers."
        return (settings.providers.isEmpty ? [provider] : []) + tokenWarnings(in: settings)
    }

    /// Warnings about other tokens that a server could take for those of this dialect.
    private func tokenWarnings(in settings: GatewaySettings) -> [String] {
        guard settings.authorizationServer.isEnabled, let issuer = settings.publicURL else { return [] }
        let clients = settings.authorizationServer.clients
        let audience = tokenAudience(in: settings).map(ExactText.init)
        let names = clients.map(\.id) + [issuer + "/oauth2/userinfo"]
        let other = names.first { ExactText($0) == audience }.map {
            "dialects.timetracker.audience is '\($0)', which is the audience of tokens of oauth too, so a server could "
                + "take one for the other. Choose another audience."
        }
        let signed = prefix.isEmpty ? clients.first { $0.accessTokens == .signed } : nil
        let pair = signed.map {
            "The tokens of dialects.timetracker and those of oauth.clients.\($0.id), which has access_tokens: jwt, have "
                + "the same issuer and keys. Let each server that verifies them compare aud, and those of Time Tracker "
                + "also client_id (docs/timetracker-dialect.md), or set dialects.timetracker.prefix."
        }
        return [other, pair].compactMap { $0 }
    }

    package func tokenAudience(in settings: GatewaySettings) -> String? {
        audience ?? settings.publicURL.map { PublicAddress($0, isTLS: false).link(prefix) }
    }

    package var tokenClientID: String? { TimeTrackerRoutes.clientID }

    package func signInPath(in settings: GatewaySettings) -> String? { settings.providers.isEmpty ? nil : prefix }

    package var hasTokenEndpoints: Bool { true }
    package var keysPath: String? { TimeTrackerRoutes.keysPath }
}
