import GatewayConfiguration

/// Settings of the Onyx dialect. Its path prefix is ``BridgeSettings/prefix``.
package struct OnyxSettings: DialectSettings {
    /// Whether the dialect is served. Default: true.
    package var isEnabled: Bool
    /// Whether people can register themselves. Default: false.
    package var allowsRegistration: Bool

    /// Creates the default settings.
    package init() { self.init(isEnabled: true) }

    /// Creates settings.
    package init(isEnabled: Bool = true, allowsRegistration: Bool = false) {
        self.isEnabled = isEnabled
        self.allowsRegistration = allowsRegistration
    }
}

extension GatewaySettings {
    /// The settings of the Onyx dialect.
    package var onyx: OnyxSettings {
        get { self[OnyxSettings.self] }
        set { self[OnyxSettings.self] = newValue }
    }
}
