package import GatewayCore

/// The settings of a dialect: what the operator sets, and what the rest of the gateway must know about the dialect.
///
/// The rest of the gateway names no dialect. It goes through ``GatewaySettings/dialects`` and asks each one.
///
/// Source: ARCHITECTURE.md, Dialects.
package protocol DialectSettings: Sendable, Equatable {
    /// The keys of the configuration that set these values. Each begins with `dialects.` and the dialect's name.
    static var configurationKeys: [ConfigurationKey] { get }
    /// The rules between these values and others.
    static var configurationRules: [ConfigurationRule] { get }

    /// Creates the default settings.
    init()

    /// Whether the dialect is served.
    var isEnabled: Bool { get }

    /// Returns the path prefix of the dialect's routes: empty, or `/` followed by text without a trailing `/`.
    func prefix(in settings: GatewaySettings) -> String

    /// Returns the app addresses where a sign-in through a provider may end, in addition to `bridge.redirects`.
    func redirects(in settings: GatewaySettings) -> [String]

    /// Returns the redirect addresses to register at a provider, in addition to ``GatewaySettings/callback(of:)``.
    func callbacks(of provider: ProviderConfiguration, in settings: GatewaySettings) -> [String]

    /// Returns warnings about settings that are valid but may not do what the operator wants, one sentence each.
    func warnings(in settings: GatewaySettings) -> [String]

    /// Returns the path of the address that `latch login` takes. Nil when this dialect offers no sign-in.
    func signInPath(in settings: GatewaySettings) -> String?

    /// The enabled settings by which people may use an e-mail address that nobody verified, as keys.
    var unverifiedAddressKeys: [String] { get }

    /// Whether tokens of this dialect can be introspected and revoked below its prefix.
    var hasTokenEndpoints: Bool { get }

    /// The path of the public keys that verify the dialect's tokens, below its prefix. Nil when they are not signed.
    ///
    /// Only the first enabled dialect with such a path issues signed tokens, because a gateway has one set of keys.
    var keysPath: String? { get }

    /// Returns the audience of the dialect's signed tokens. Nil when they are not signed, or when `public_url`, which is
    /// the default audience, is not configured.
    func tokenAudience(in settings: GatewaySettings) -> String?

    /// The `client_id` in the dialect's signed tokens, which no client of the authorization server can have. Nil when
    /// they are not signed.
    var tokenClientID: String? { get }

    /// Whether the apps of a protected backend sign in with this dialect.
    var servesProtectedBackends: Bool { get }

    /// The titles of the dialect's apps on the pages, by the beginnings of the device names that they send, in lower
    /// case.
    var appTitles: [String: String] { get }

    /// Whether people have a PIN, which they set on their account page.
    var usesPINs: Bool { get }

    /// Whether people make keys for programs, which they see on their account page.
    var usesAPIKeys: Bool { get }

    /// Where people can change their password, as the end of a sentence. Nil when they cannot in this dialect.
    var passwordChangePlace: String? { get }
}

extension DialectSettings {
    /// Default: no additional rules.
    package static var configurationRules: [ConfigurationRule] { [] }
    /// Default: the dialect redirects to no app.
    package func redirects(in settings: GatewaySettings) -> [String] { [] }
    /// Default: the dialect has no callback paths.
    package func callbacks(of provider: ProviderConfiguration, in settings: GatewaySettings) -> [String] { [] }
    /// Default: no warnings.
    package func warnings(in settings: GatewaySettings) -> [String] { [] }
    /// Default: no key allows unverified addresses.
    package var unverifiedAddressKeys: [String] { [] }
    /// Default: false. The dialect has no token endpoints.
    package var hasTokenEndpoints: Bool { false }
    /// Default: nil. The tokens are not signed.
    package var keysPath: String? { nil }
    /// Default: nil. The tokens are not signed.
    package func tokenAudience(in settings: GatewaySettings) -> String? { nil }
    /// Default: nil. The tokens are not signed.
    package var tokenClientID: String? { nil }
    /// Default: false. The dialect serves no protected backends.
    package var servesProtectedBackends: Bool { false }
    /// Default: the apps have no titles of their own.
    package var appTitles: [String: String] { [:] }
    /// Default: false. The dialect has no PINs.
    package var usesPINs: Bool { false }
    /// Default: false. The dialect issues no API keys.
    package var usesAPIKeys: Bool { false }
    /// Default: nil. People cannot change their password in this dialect.
    package var passwordChangePlace: String? { nil }
}

extension GatewaySettings {
    /// Returns the path for `latch login` of a dialect whose routes are below `/api`, which `latch` adds itself. Nil
    /// when nobody could sign in, or the prefix ends otherwise.
    package func signInPath(removingAPIFrom prefix: String) -> String? {
        guard passwordsEnabled || !providers.isEmpty, prefix.hasSuffix("/api") else { return nil }
        return String(prefix.dropLast(4))
    }

    /// The settings of one dialect. Settings of a dialect that is not in ``dialects`` are added when they are set.
    package subscript<Settings: DialectSettings>(_ dialect: Settings.Type) -> Settings {
        get { dialects.lazy.compactMap { $0 as? Settings }.first ?? Settings() }
        set {
            guard let index = dialects.firstIndex(where: { $0 is Settings }) else { return dialects.append(newValue) }
            dialects[index] = newValue
        }
    }

    /// The settings of the dialects that are served.
    package var enabledDialects: [any DialectSettings] { dialects.filter(\.isEnabled) }

    /// The audiences of the signed tokens of the served dialects. No other kind of token has them.
    package var dialectAudiences: [String] { enabledDialects.compactMap { $0.tokenAudience(in: self) } }

    /// The ids that stand for programs of this server in tokens and requests, so that no client can have them.
    package var reservedClientIDs: [String] {
        enabledDialects.compactMap(\.tokenClientID)
            + (authorizationServer.servesDialectsToDevices ? [RegisteredClient.latch.id] : [])
    }

    /// The titles of all dialects' apps, by the beginnings of the device names that they send.
    package var appTitles: [String: String] {
        dialects.reduce(into: [:]) { $0.merge($1.appTitles) { first, _ in first } }
    }
}
