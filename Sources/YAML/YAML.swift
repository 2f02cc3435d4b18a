/// Reads YAML 1.1 through libyaml, as configuration files need it and no more.
///
/// One document in UTF-8, at most 1 MiB. Keys are scalars and stand once. Aliases are followed and count as the nodes
/// that they stand for; a tree of more than ``maximumNodes`` or deeper than ``maximumDepth`` is refused, so no small
/// file becomes a big one. Tags and directives are refused.
///
/// Source: YAML 1.1 §3; `yaml_parser_parse`.
public enum YAML {
    /// The largest file, in bytes: 1 MiB.
    public static let maximumBytes = 1 << 20
    /// The most nodes of a tree, those behind aliases counted each time.
    public static let maximumNodes = 10_000
    /// How many sequences and mappings may stand inside each other.
    public static let maximumDepth = 64

    /// Reads one document.
    ///
    /// - Returns: The tree; for a file without a document a null scalar at line 1.
    /// - Throws: ``YAMLError`` with line and column of the first thing that is wrong.
    public static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        guard bytes.count <= maximumBytes else {
            throw YAMLError(.tooLarge, at: .start, "the file is larger than 1 MiB")
        }
        var builder = YAMLTreeBuilder(events: try YAMLEvents(bytes))
        return try builder.document()
    }
}
