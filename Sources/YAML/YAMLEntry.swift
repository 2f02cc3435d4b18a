/// A key-value pair of a mapping.
package struct YAMLEntry: Sendable, Equatable {
    /// The text of the key.
    package let key: String
    /// The position of the key.
    package let mark: YAMLMark
    /// The value.
    package let value: YAMLNode

    /// Creates an entry.
    package init(key: String, at mark: YAMLMark, value: YAMLNode) {
        self.key = key
        self.mark = mark
        self.value = value
    }
}
