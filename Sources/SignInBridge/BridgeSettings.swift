/// The settings of sign-in through identity providers.
package struct BridgeSettings: Sendable, Equatable {
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`. Default: `/api`.
    ///
    /// Its routes are those of Onyx, so `dialects.onyx.prefix` sets it, and it is the prefix of the Onyx dialect too.
    package var prefix = "/api"
    /// The addresses in apps that a sign-in may end at; see the documentation of the bridge. Default:
    /// `onyx://auth/callback`.
    package var redirects: [String]
    /// Whether the loopback addresses among them are allowed with any port. Default: false.
    package var loopbackRedirects: Bool
    /// How long a one-time code is valid. Default: 60 seconds.
    package var codeLifetime: Duration
    /// The path of the file with the bridge's secret. Default: nil, `bridge.key` in the database's folder.
    package var keyFile: String?

    /// Makes settings.
    package init(
        redirects: [String] = ["onyx://auth/callback"], loopbackRedirects: Bool = false,
        codeLifetime: Duration = .seconds(60), keyFile: String? = nil
    ) {
        self.redirects = redirects
        self.loopbackRedirects = loopbackRedirects
        self.codeLifetime = codeLifetime
        self.keyFile = keyFile
    }
}
