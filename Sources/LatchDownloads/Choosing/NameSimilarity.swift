import Primitives

/// Compares names for suggestions after a typing error.
enum NameSimilarity {
    /// Whether one name contains the other, or only a few letters differ.
    static func isNear(_ name: String, _ text: String) -> Bool {
        let (name, text) = (Array(name.lowercased().prefix(80)), Array(text.lowercased().prefix(80)))
        guard !name.isEmpty, !text.isEmpty else { return false }
        if text.count >= 3, contains(name, text) { return true }
        if name.count >= 3, contains(text, name) { return true }
        return EditDistance.between(name, text) <= max(1, min(name.count, text.count) / 3)
    }

    private static func contains(_ text: [Character], _ part: [Character]) -> Bool {
        part.count <= text.count && (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
