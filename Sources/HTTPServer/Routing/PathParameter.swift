package import FoundationEssentials

/// A type of path parameters. A component that cannot be converted results in a 404.
package protocol PathParameter: Sendable {
    /// Creates a value from a percent-decoded component. Returns nil when the component does not fit.
    init?(pathComponent: String)
}

extension String: PathParameter {
    /// Accepts any component that is not empty.
    package init?(pathComponent: String) {
        guard !pathComponent.isEmpty else { return nil }
        self = pathComponent
    }
}

extension Int: PathParameter {
    /// Accepts a decimal number without a `+` sign or leading zeros, so that each number has exactly one address.
    package init?(pathComponent: String) {
        guard let value = Int(pathComponent), String(value) == pathComponent else { return nil }
        self = value
    }
}

extension UUID: PathParameter {
    /// Accepts the 36-character form in upper or lower case.
    package init?(pathComponent: String) {
        self.init(uuidString: pathComponent)
    }
}
