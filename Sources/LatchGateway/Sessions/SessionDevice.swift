import Primitives

/// The device that a session was started from, as it called itself, and where from.
public struct SessionDevice: Sendable, Equatable {
    /// What the device or program is called, at most 80 characters.
    public let name: String?
    /// What kind it is, such as `Linux`, at most 40 characters.
    public let kind: String?

    /// The address that the person signed in from, as ``ClientAddress`` writes it; nil where that is not known.
    public internal(set) var address: String?

    /// Takes what a device said of itself; control and formatting characters are dropped, too long text is cut. A
    /// browser's text becomes its name, such as `Firefox on Linux`.
    public init(name: String? = nil, kind: String? = nil, address: String? = nil) {
        let browser = name.flatMap(BrowserName.name)
        self.name = browser ?? name.flatMap { $0.displayName(limit: 80) }
        self.kind = kind.flatMap { $0.displayName(limit: 40) } ?? (browser == nil ? nil : "Browser")
        self.address = address
    }
}
