import GatewayConfiguration

/// Settings of the Notes dialect.
struct NotesSettings: DialectSettings {
    static let configurationKeys = [
        ConfigurationKey(
            "dialects.notes.enabled", \.settings.notes.isEnabled, as: .boolean,
            summary: "Whether clients of Notes can sign in.")
    ]

    /// Whether the dialect is served. Default: false.
    var isEnabled = false

    func prefix(in settings: GatewaySettings) -> String { "/notes" }

    func signInPath(in settings: GatewaySettings) -> String? { settings.passwordsEnabled ? "" : nil }
}

extension GatewaySettings {
    /// The settings of the Notes dialect.
    var notes: NotesSettings {
        get { self[NotesSettings.self] }
        set { self[NotesSettings.self] = newValue }
    }
}
