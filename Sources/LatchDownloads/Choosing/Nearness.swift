/// Whether a name may have been meant by another.
enum Nearness {
    /// One holds the other, or few letters differ.
    static func isNear(_ name: String, _ text: String) -> Bool {
        let (name, text) = (Array(name.lowercased().prefix(80)), Array(text.lowercased().prefix(80)))
        guard !name.isEmpty, !text.isEmpty else { return false }
        if text.count >= 3, contains(name, text) { return true }
        if name.count >= 3, contains(text, name) { return true }
        return distance(name, text) <= max(1, min(name.count, text.count) / 3)
    }

    private static func contains(_ text: [Character], _ part: [Character]) -> Bool {
        part.count <= text.count && (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    /// How many letters must be put in, taken out or changed.
    ///
    /// Source: Wagner and Fischer, "The String-to-String Correction Problem", 1974.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, second) in other.enumerated() {
                let change = diagonal + (letter == second ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
