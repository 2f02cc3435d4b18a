/// Parses YAML 1.1 with libyaml, limited to what configuration files need.
///
/// The input is one UTF-8 document of at most 1 MiB. Keys must be scalars and unique within their mapping. Aliases are
/// resolved, and each one counts as many nodes as it refers to. A tree with more than ``maximumNodes`` nodes or deeper
/// than ``maximumDepth`` is rejected, so that a small file cannot expand into a large tree. Tags and directives are
/// rejected.
///
/// Source: YAML 1.1 §3; `yaml_parser_parse`.
package enum YAML {
    /// The maximum size of a file: 1 MiB, in bytes.
    package static let maximumBytes = 1 << 20
    /// The maximum number of nodes in a tree. Nodes behind an alias count each time the alias is used.
    package static let maximumNodes = 10_000
    /// The maximum nesting depth of sequences and mappings.
    package static let maximumDepth = 64

    /// Parses one document.
    ///
    /// - Returns: The tree. For a file without a document, a null scalar at line 1.
    /// - Throws: ``YAMLError`` with the line and column of the first error.
    package static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        guard bytes.count <= maximumBytes else {
            throw YAMLError(.tooLarge, at: .start, "the file is larger than 1 MiB")
        }
        var builder = YAMLTreeBuilder(events: try YAMLEvents(bytes))
        return try builder.document()
    }
}
