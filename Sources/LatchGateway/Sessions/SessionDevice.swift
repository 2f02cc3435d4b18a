/// The device that a session was started from, as it called itself.
public struct SessionDevice: Sendable, Equatable {
    /// What the device or program is called, at most 80 characters.
    public let name: String?
    /// What kind it is, such as `Linux`, at most 40 characters.
    public let kind: String?

    /// Takes what a device said of itself; control and formatting characters are dropped, too long text is cut.
    public init(name: String? = nil, kind: String? = nil) {
        self.name = name.flatMap { DisplayText.cleaned($0, limit: 80) }
        self.kind = kind.flatMap { DisplayText.cleaned($0, limit: 40) }
    }
}
