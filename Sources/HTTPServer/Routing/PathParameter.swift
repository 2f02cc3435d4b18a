public import FoundationEssentials

/// A type that a component of a path can be read as; a component that does not fit is a 404.
public protocol PathParameter: Sendable {
    /// Reads a percent-decoded component; nil when it does not fit.
    init?(pathComponent: String)
}

extension String: PathParameter {
    /// Takes any component that is not empty.
    public init?(pathComponent: String) {
        guard !pathComponent.isEmpty else { return nil }
        self = pathComponent
    }
}

extension Int: PathParameter {
    /// Takes a decimal number without sign `+` or leading zeros, so that each number has one address.
    public init?(pathComponent: String) {
        guard let value = Int(pathComponent), String(value) == pathComponent else { return nil }
        self = value
    }
}

extension UUID: PathParameter {
    /// Takes the 36-character form, either case.
    public init?(pathComponent: String) {
        self.init(uuidString: pathComponent)
    }
}
