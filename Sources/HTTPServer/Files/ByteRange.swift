/// The range that a `Range` field requests.
///
/// Source: RFC 9110 §14.1.2 and §14.2.
enum ByteRange: Equatable {
    /// The bytes from `first` to `last` inclusive, or to the end when `last` is nil.
    case from(first: Int, last: Int?)
    /// The last bytes, with their number.
    case suffix(Int)

    /// The result of applying a range to a file of a certain size.
    enum Resolved: Equatable {
        /// A part of the file.
        case part(Range<Int>)
        /// The whole file. Used for the last bytes of an empty file, for which there is no `Content-Range`.
        case whole
        /// No bytes: the response is 416.
        case unsatisfiable
    }

    /// Parses the value of a `Range` field. Returns nil for a value that is ignored: another unit, several ranges or an
    /// invalid range.
    ///
    /// Numbers that do not fit in an `Int` count as the largest `Int`.
    init?(_ value: String) {
        let text = value.utf8
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")),
            HTTPUnit.areEqual(text[..<equals], "bytes")
        else { return nil }
        // A recipient must ignore empty list elements. See RFC 9110 §5.6.1.2.
        let specifiers = text[text.index(after: equals)...].split(separator: UInt8(ascii: ",")).map(Self.trimmed)
            .filter { !$0.isEmpty }
        guard specifiers.count == 1, let specifier = specifiers.first,
            let dash = specifier.firstIndex(of: UInt8(ascii: "-"))
        else { return nil }
        let (before, after) = (specifier[..<dash], specifier[specifier.index(after: dash)...])
        if before.isEmpty {
            guard let count = Self.number(after) else { return nil }
            self = .suffix(count)
        } else {
            guard let first = Self.number(before) else { return nil }
            guard !after.isEmpty else {
                self = .from(first: first, last: nil)
                return
            }
            guard let last = Self.number(after), last >= first else { return nil }
            self = .from(first: first, last: last)
        }
    }

    /// Applies the range to a file of `size` bytes.
    func resolved(_ size: Int) -> Resolved {
        switch self {
        case .from(let first, let last):
            guard first < size else { return .unsatisfiable }
            return .part(first..<(min(last ?? size, size - 1) + 1))
        case .suffix(let count):
            guard count > 0 else { return .unsatisfiable }
            return size == 0 ? .whole : .part(max(0, size - count)..<size)
        }
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, alsoOverflows) = product.addingReportingOverflow(Int(digit - 0x30))
            value = overflows || alsoOverflows ? .max : sum
            if value == .max { break }
        }
        // The loop ends at an overflow, so the bytes after it are not checked yet.
        return digits.allSatisfy { (0x30...0x39).contains($0) } ? value : nil
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text
        while let first = text.first, Token.isSpace(first) { text.removeFirst() }
        while let last = text.last, Token.isSpace(last) { text.removeLast() }
        return text
    }
}

/// The unit of a range. Units are compared without regard to case.
private enum HTTPUnit {
    static func areEqual(_ unit: Substring.UTF8View, _ known: StaticString) -> Bool {
        Token.isName(String(Substring(unit)), known)
    }
}
