/// A value of a YAML file and where it stands.
public struct YAMLNode: Sendable, Equatable {
    /// What a node is.
    public enum Content: Sendable, Equatable {
        /// Text. `isPlain` tells it was written without quotes, so that it may mean a number, a boolean or null.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// Keys and values in the order of the file; no key stands twice.
        case mapping([YAMLEntry])
    }

    /// What the node is.
    public let content: Content
    /// Where it begins; for the content of an alias, where the alias stands.
    public let mark: YAMLMark

    /// Makes a node.
    public init(_ content: Content, at mark: YAMLMark) {
        self.content = content
        self.mark = mark
    }

    /// The text of a scalar.
    public var text: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }

    /// The nodes of a sequence.
    public var items: [YAMLNode]? {
        if case .sequence(let items) = content { items } else { nil }
    }

    /// The entries of a mapping.
    public var entries: [YAMLEntry]? {
        if case .mapping(let entries) = content { entries } else { nil }
    }

    /// Whether the node says nothing: an empty plain scalar, `~` or `null`.
    ///
    /// Source: YAML 1.1 type repository, `null`.
    public var isNull: Bool {
        if case .scalar(let text, true) = content {
            ["", "~", "null", "Null", "NULL"].contains(text)
        } else {
            false
        }
    }

    /// The value of a key of a mapping; nil when there is none or the node is no mapping.
    public subscript(key: String) -> YAMLNode? {
        entries?.first { $0.key == key }?.value
    }
}
