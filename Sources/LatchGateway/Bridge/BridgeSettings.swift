/// How sign-in through identity providers works.
public struct BridgeSettings: Sendable, Equatable {
    /// The addresses in apps that a sign-in may end at; see the documentation of the bridge.
    public var redirects: [String]
    /// Whether loopback addresses among them stand for every port.
    public var loopbackRedirects: Bool
    /// How long a one-time code is good.
    public var codeLifetime: Duration
    /// The file of the bridge's key; nil for `bridge.key` beside the database.
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
