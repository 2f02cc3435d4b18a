/// A key-value pair of a mapping.
public struct YAMLEntry: Sendable, Equatable {
    /// The text of the key.
    public let key: String
    /// The position of the key.
    public let mark: YAMLMark
    /// The value.
    public let value: YAMLNode

    /// Creates an entry.
    public init(key: String, at mark: YAMLMark, value: YAMLNode) {
        self.key = key
        self.mark = mark
        self.value = value
    }
}
