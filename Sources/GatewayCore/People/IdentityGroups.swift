/// The database format of an identity's groups: one name per line.
///
/// Names contain no line feeds, because `OpenIDConnect` drops names with control characters.
enum IdentityGroups {
    /// Returns the groups in a column, or in several columns joined with line feeds. Each group appears once, in sorted
    /// order.
    static func read(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return Set(text.split(separator: "\n").map(String.init)).sorted()
    }

    /// Returns the text for the column.
    static func write(_ groups: [String]) -> String {
        Set(groups.filter { !$0.isEmpty && !$0.contains("\n") }).sorted().joined(separator: "\n")
    }
}
