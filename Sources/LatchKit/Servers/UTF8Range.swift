extension Collection<UInt8> {
    /// Returns the range of the first occurrence of a text. Intended for texts of a few letters.
    package func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start != endIndex {
            if let end = end(of: text.utf8, from: start) { return start..<end }
            formIndex(after: &start)
        }
        return nil
    }

    private func end(of wanted: String.UTF8View, from start: Index) -> Index? {
        var index = start
        for byte in wanted {
            guard index != endIndex, self[index] == byte else { return nil }
            formIndex(after: &index)
        }
        return index
    }
}
