/// The settings of sign-in through identity providers.
public struct BridgeSettings: Sendable, Equatable {
    /// The addresses in apps that a sign-in may end at; see the documentation of the bridge. Default:
    /// `onyx://auth/callback`.
    public var redirects: [String]
    /// Whether the loopback addresses among them are allowed with any port. Default: false.
    public var loopbackRedirects: Bool
    /// How long a one-time code is valid. Default: 60 seconds.
    public var codeLifetime: Duration
    /// The path of the file with the bridge's secret. Nil, the default, for `bridge.key` beside the database.
    public var keyFile: String?

    /// Makes settings.
    public init(
        redirects: [String] = ["onyx://auth/callback"], loopbackRedirects: Bool = false,
        codeLifetime: Duration = .seconds(60), keyFile: String? = nil
    ) {
        self.redirects = redirects
        self.loopbackRedirects = loopbackRedirects
        self.codeLifetime = codeLifetime
        self.keyFile = keyFile
    }
}
