/// A value in a YAML file and its position.
package struct YAMLNode: Sendable, Equatable {
    /// The content of a node.
    package enum Content: Sendable, Equatable {
        /// A text. `isPlain` is true when it was written without quotes, so that it may stand for a number, a boolean
        /// or null.
        case scalar(String, isPlain: Bool)
        /// A list of nodes.
        case sequence([YAMLNode])
        /// Keys and values in the order of the file. Keys are unique.
        case mapping([YAMLEntry])
    }

    /// The content of the node.
    package let content: Content
    /// The position where the node begins. For the content of an alias, the position of the alias.
    package let mark: YAMLMark

    /// Creates a node.
    package init(_ content: Content, at mark: YAMLMark) {
        self.content = content
        self.mark = mark
    }

    /// The text of a scalar. Nil for other nodes.
    package var text: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }

    /// The nodes of a sequence. Nil for other nodes.
    package var items: [YAMLNode]? {
        if case .sequence(let items) = content { items } else { nil }
    }

    /// The entries of a mapping. Nil for other nodes.
    package var entries: [YAMLEntry]? {
        if case .mapping(let entries) = content { entries } else { nil }
    }

    /// Whether the node is null: an empty plain scalar, `~` or `null`.
    ///
    /// Source: YAML 1.1 type repository, `null`.
    package var isNull: Bool {
        if case .scalar(let text, true) = content {
            ["", "~", "null", "Null", "NULL"].contains(text)
        } else {
            false
        }
    }

    /// Returns the value of a key. Nil when the mapping has no such key or the node is not a mapping.
    package subscript(key: String) -> YAMLNode? {
        entries?.first { $0.key == key }?.value
    }
}
