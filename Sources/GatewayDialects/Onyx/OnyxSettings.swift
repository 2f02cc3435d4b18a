import GatewayConfiguration

/// Settings of the Onyx dialect. Its path prefix is ``BridgeSettings/prefix``.
package struct OnyxSettings: DialectSettings {
    /// Whether the dialect is served. Default: true.
    package var isEnabled = true
    /// Whether people can register themselves. Default: false.
    package var allowsRegistration = false

    /// Creates the default settings.
    package init() {}
}

extension GatewaySettings {
    /// The settings of the Onyx dialect.
    package var onyx: OnyxSettings {
        get { self[OnyxSettings.self] }
        set { self[OnyxSettings.self] = newValue }
    }
}
