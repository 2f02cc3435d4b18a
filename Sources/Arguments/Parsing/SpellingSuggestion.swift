import Primitives

/// Finds the word that was probably meant.
public enum SpellingSuggestion {
    /// The known word that is nearest to `word`.
    ///
    /// Distance counts insertions, deletions, replacements and swaps of neighbours. A third of the longer word may
    /// differ, at least one letter; a known word that begins with a `word` of three letters or more counts as near.
    ///
    /// - Returns: The nearest word, the first of several; nil when none is near.
    public static func nearest(to word: String, among known: [String]) -> String? {
        let wanted = Array(word.lowercased())
        // Nothing we know is this long, and the table below grows with the product of both lengths.
        guard wanted.count <= 128 else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let letters = Array(candidate.lowercased())
            let distance = EditDistance.between(wanted, letters)
            let allowed = max(1, max(wanted.count, letters.count) / 3)
            let isNear = distance <= allowed || (wanted.count >= 3 && letters.starts(with: wanted))
            if isNear, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }
}
