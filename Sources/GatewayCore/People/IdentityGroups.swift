import Primitives

/// The database format of an identity's groups: one name per line.
///
/// Names contain no line feeds, because `OpenIDConnect` drops names with control characters.
enum IdentityGroups {
    /// Returns the groups in a column, or in several columns joined with line feeds. Each group appears once, in sorted
    /// order.
    static func read(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return sorted(text.split(atByte: "\n").map(String.init))
    }

    /// Returns the text for the column.
    static func write(_ groups: [String]) -> String {
        sorted(groups.filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "\n")) }).joined(separator: "\n")
    }

    /// Returns each name once. Two Unicode spellings of one name are two groups.
    private static func sorted(_ names: [String]) -> [String] {
        Set(names.map { ExactText($0) }).map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
