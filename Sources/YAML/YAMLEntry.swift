/// A key of a mapping with its value.
public struct YAMLEntry: Sendable, Equatable {
    /// The key's text.
    public let key: String
    /// Where the key stands.
    public let mark: YAMLMark
    /// The value.
    public let value: YAMLNode

    /// Makes an entry.
    public init(key: String, at mark: YAMLMark, value: YAMLNode) {
        self.key = key
        self.mark = mark
        self.value = value
    }
}
