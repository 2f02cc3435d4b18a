/// The groups of an identity as the database keeps them: a line each.
///
/// Names have no control characters, so no line end either; `OpenIDConnect` leaves such out.
enum IdentityGroups {
    /// The groups in a column, or in several put together with line ends, each once and in order.
    static func read(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return Set(text.split(separator: "\n").map(String.init)).sorted()
    }

    /// The text for the column.
    static func write(_ groups: [String]) -> String {
        Set(groups.filter { !$0.isEmpty && !$0.contains("\n") }).sorted().joined(separator: "\n")
    }
}
