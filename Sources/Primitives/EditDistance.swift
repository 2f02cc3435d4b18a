/// Computes the edit distance between words.
package enum EditDistance {
    /// Returns the number of insertions, deletions, replacements and swaps of adjacent characters that turn one word
    /// into the other.
    ///
    /// The running time is proportional to the product of both lengths, so limit the lengths before the call.
    ///
    /// Source: optimal string alignment distance, Boytsov 2011 §2.1.
    package static func between(_ one: [Character], _ other: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[other.count]
    }
}
