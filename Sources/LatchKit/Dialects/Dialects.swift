/// The dialects that this library supports.
package enum Dialects {
    /// Every dialect, in the order in which a server is probed.
    package static let all: [any Dialect] = [
        OnyxDialect(),
        ImmichDialect(),
        TimeTrackerDialect(),
        RelateMailDialect(),
        ForwardAuthDialect(),
        OAuthDialect(),
    ]

    /// Returns the dialect with an id, for a server with stored ``Dialect/details``. Nil when this version has no such
    /// dialect.
    package static func named(_ id: DialectID, details: [String: String] = [:]) -> (any Dialect)? {
        all.named(id, details: details)
    }
}

extension [any Dialect] {
    /// Returns the dialect with an id, for a server with stored ``Dialect/details``. Nil when there is none.
    func named(_ id: DialectID, details: [String: String] = [:]) -> (any Dialect)? {
        first { $0.id == id }?.with(details: details)
    }
}
