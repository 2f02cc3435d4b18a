import ServerMessages

extension ServerFeatures {
    /// Makes features from the responses of an Immich server. Nil stands for a response that is missing.
    ///
    /// Source: IM-4, IM-18; docs/protocols/immich.md, Server information and Maintenance mode.
    init(features: ImmichFeatures?, config: ImmichConfig?, version: ImmichVersion?, at server: ServerAddress) {
        self.init(
            signsInWithPassword: features?.passwordLogin ?? true, signsInWithBrowser: features?.oauth ?? false,
            passwordRule: PasswordRule(minimumLength: ImmichDialect.minimumPasswordLength),
            hasUsers: config?.isInitialized ?? true)
        let title = SanitizedText.clean(config?.oauthButtonText ?? "")
        browserTitle = title.isEmpty ? nil : title
        self.version = version?.text
        if config?.maintenanceMode == true {
            unavailableReason = "\(server) is in maintenance, so sign-in is not possible. Try again later."
        } else if !hasUsers {
            unavailableReason = "\(server) has no administrator yet. Open it in a browser and add one, then sign in."
        } else if features == nil {
            warnings.append("The server does not announce its sign-in methods. It may refuse a password.")
        }
        if let warning = version.flatMap(ImmichVersions.warning) { warnings.append(warning) }
        let message = SanitizedText.clean(config?.loginPageMessage ?? "")
        if !message.isEmpty { warnings.append("The server's sign-in message: \(message)") }
    }
}

/// The versions of Immich that this library supports.
///
/// Source: IM-18; docs/protocols/immich.md, Versions.
enum ImmichVersions {
    /// The oldest supported version, as major and minor.
    static let oldest = (major: 1, minor: 123)
    /// The newest version that was known when this library was released, as major and minor.
    static let newest = (major: ImmichVersion.implemented.major, minor: ImmichVersion.implemented.minor)

    /// Returns a warning for a server version that may not work. Nil for a supported version.
    static func warning(_ version: ImmichVersion) -> String? {
        let server = (version.major, version.minor)
        let range = "\(oldest.major).\(oldest.minor) to \(newest.major).\(newest.minor)"
        if server < oldest {
            return "The server's version is \(version.text); this program supports Immich \(range). "
                + "Sign-in may fail: ask the server's operator to update it."
        }
        guard server > newest else { return nil }
        return "The server's version is \(version.text); this program supports Immich \(range). "
            + (version.major > newest.major
                ? "Sign-in may fail: update this program." : "If something does not work, update this program.")
    }

    /// Returns whether a server accepts the client's own `state` and PKCE challenge. Nil when the version cannot be
    /// read.
    ///
    /// Source: docs/protocols/immich.md, Versions.
    static func takesState(_ version: String) -> Bool? {
        let numbers = version.drop { $0 == "v" }.split(separator: ".").prefix(2).compactMap { Int($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) >= (1, 132) : nil
    }
}
