/// An entity tag, as it stands in `ETag`.
///
/// Source: RFC 9110 §8.8.3.
struct EntityTag: Equatable {
    let isWeak: Bool
    /// What is between the quotation marks.
    let opaque: String

    /// Whether both are strong and the same.
    ///
    /// Source: RFC 9110 §8.8.3.2.
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether both have the same value, strong or weak.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }
}

/// What `If-Match` or `If-None-Match` names: any representation, or a list of tags.
///
/// Source: RFC 9110 §13.1.1 and §13.1.2.
enum EntityTags: Equatable {
    case any
    case list([EntityTag])

    /// Reads the values of one field's lines; what stands behind something that is no tag is not read.
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
            while let byte = rest.first, Token.isSpace(byte) || byte == UInt8(ascii: ",") { rest.removeFirst() }
            guard let tag = EntityTag(readingFrom: &rest) else { return tags }
            tags.append(tag)
            // Between two tags there is a comma.
            while let byte = rest.first, Token.isSpace(byte) { rest.removeFirst() }
            guard rest.first == UInt8(ascii: ",") else { return tags }
        }
    }
}

extension EntityTag {
    /// Reads a value that is one tag and nothing else; nil for any other.
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
        // Any byte but blanks, controls and the quotation mark itself.
        guard inside.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        opaque = String(Substring(inside))
        rest = text[text.index(after: end)...]
    }
}
