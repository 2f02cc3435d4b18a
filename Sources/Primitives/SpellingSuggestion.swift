/// Suggests corrections for misspelled words.
package enum SpellingSuggestion {
    /// Returns the known word that is most similar to `word`.
    ///
    /// The distance counts insertions, deletions, replacements and swaps of adjacent characters. It may be up to a
    /// third of the longer word, and at least 1. A known word that begins with `word` also counts as similar, if `word`
    /// has three or more letters.
    ///
    /// - Returns: The most similar word, the first one if several are equally similar. Nil when none is similar.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let wanted = Array(word.lowercased())
        // No known word is this long, and the running time is proportional to the product of both lengths.
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
