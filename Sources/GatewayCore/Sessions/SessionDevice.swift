import Primitives

/// The device that a session was started from: its name and kind, as the client sent them, and its address.
package struct SessionDevice: Sendable, Equatable {
    /// The name of the device or program, at most 80 characters.
    package let name: String?
    /// The kind of the device, such as `Linux`, at most 40 characters.
    package let kind: String?

    /// The kind of a client of the authorization server, whose name is that of the client.
    package static let clientKind = "App"

    /// The address that the person signed in from, as ``ClientAddress`` writes it; nil when it is unknown.
    package internal(set) var address: String?

    /// Creates a device from what a client sent. Control and formatting characters are removed, and long text is
    /// truncated. The text of a browser is replaced by a short name, such as `Firefox on Linux`.
    package init(name: String? = nil, kind: String? = nil, address: String? = nil) {
        let browser = name.flatMap(BrowserName.name)
        self.name = browser ?? name.flatMap { $0.displayName(limit: 80) }
        self.kind = kind.flatMap { $0.displayName(limit: 40) } ?? (browser == nil ? nil : "Browser")
        self.address = address
    }
}
