/// An entity tag, as in the `ETag` field.
///
/// Source: RFC 9110 §8.8.3.
struct EntityTag: Equatable {
    let isWeak: Bool
    /// The text between the quotation marks.
    let opaque: String

    /// Returns whether both tags are strong and equal.
    ///
    /// Source: RFC 9110 §8.8.3.2.
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Returns whether both tags have the same value, strong or weak.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }
}

/// The value of `If-Match` or `If-None-Match`: any representation, or a list of tags.
///
/// Source: RFC 9110 §13.1.1 and §13.1.2.
enum EntityTags: Equatable {
    case any
    case list([EntityTag])

    /// Parses the values of all lines of one field. In each line, everything after an invalid tag is ignored.
    init(_ values: [String]) {
        if values.count == 1, values[0] == "*" {
            self = .any
            return
        }
        self = .list(values.flatMap(Self.tags))
    }

    func contains(_ matches: (EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .list(let tags): tags.contains(where: matches)
        }
    }

    private static func tags(_ value: String) -> [EntityTag] {
        var rest = value.utf8[...]
        var tags: [EntityTag] = []
        while true {
            // A recipient must ignore empty list elements. See RFC 9110 §5.6.1.2.
            while let byte = rest.first, Token.isSpace(byte) || byte == UInt8(ascii: ",") { rest.removeFirst() }
            guard let tag = EntityTag(readingFrom: &rest) else { return tags }
            tags.append(tag)
            // Tags are separated by commas.
            while let byte = rest.first, Token.isSpace(byte) { rest.removeFirst() }
            guard rest.first == UInt8(ascii: ",") else { return tags }
        }
    }
}

extension EntityTag {
    /// Parses a value that consists of one tag. Returns nil for any other value.
    init?(_ value: String) {
        var rest = value.utf8[...]
        self.init(readingFrom: &rest)
        guard rest.isEmpty else { return nil }
    }

    fileprivate init?(readingFrom rest: inout Substring.UTF8View) {
        var text = rest
        isWeak = text.starts(with: "W/".utf8)
        if isWeak { text.removeFirst(2) }
        guard text.first == UInt8(ascii: "\"") else { return nil }
        text.removeFirst()
        guard let end = text.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let inside = text[..<end]
        // Any byte except white space, control characters and the quotation mark.
        guard inside.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        opaque = String(Substring(inside))
        rest = text[text.index(after: end)...]
    }
}
