// The operations of `String` compare characters. A combining mark after a comma (U+0301), or a sign such as U+0600
// before it, forms one character with it, so `split(separator: ",")` does not find the comma. Other programs find it.
// Text from outside is therefore read with these operations, or through `utf8`.

extension Substring {
    /// Splits the text at each delimiter, whatever is before or after it.
    ///
    /// - Parameters:
    ///   - delimiter: An ASCII character.
    ///   - maxSplits: The maximum number of times that the text is split.
    ///   - omittingEmptySubsequences: Whether empty parts are left out.
    /// - Returns: The parts, in order.
    package func split(
        atByte delimiter: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        utf8.split(
            separator: UInt8(ascii: delimiter), maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptySubsequences
        ).map { Substring($0) }
    }

    /// Returns the text before and after the last delimiter, whatever is before or after it.
    ///
    /// - Parameter delimiter: An ASCII character.
    /// - Returns: The two parts, or nil if the text does not contain the delimiter.
    package func split(atLastByte delimiter: Unicode.Scalar) -> (head: Substring, tail: Substring)? {
        guard let index = utf8.lastIndex(of: UInt8(ascii: delimiter)) else { return nil }
        return (self[..<index], self[utf8.index(after: index)...])
    }

    /// Returns the text before the first of some delimiters, whatever is before or after it. Without a delimiter,
    /// returns the whole text.
    ///
    /// - Parameter delimiters: ASCII characters.
    /// - Returns: The beginning of the text.
    package func prefix(beforeBytes delimiters: StaticString) -> Substring {
        let delimiters = delimiters.description.utf8
        return Substring(utf8.prefix { !delimiters.contains($0) })
    }

    /// The text without spaces and tabs at its ends.
    package var trimmingBlanks: Substring {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var bytes = utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return Substring(bytes)
    }
}

extension String {
    /// Splits the text at each delimiter. See the operation of `Substring`.
    package func split(
        atByte delimiter: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].split(
            atByte: delimiter, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
    }

    /// Returns the text before and after the last delimiter. See the operation of `Substring`.
    package func split(atLastByte delimiter: Unicode.Scalar) -> (head: Substring, tail: Substring)? {
        self[...].split(atLastByte: delimiter)
    }

    /// Returns the text before the first of some delimiters. See the operation of `Substring`.
    package func prefix(beforeBytes delimiters: StaticString) -> Substring {
        self[...].prefix(beforeBytes: delimiters)
    }

    /// Returns the text with each occurrence of `old` replaced, whatever is before or after it. Escapes are added this
    /// way.
    package func replacingBytes(of old: String, with new: String) -> String {
        String(decoding: Array(utf8).replacing(Array(old.utf8), with: Array(new.utf8)), as: UTF8.self)
    }
}
