/// A piece of HTML that is escaped by construction: only what the program's own source says becomes markup.
///
/// A literal is markup as it stands, and it can only be a literal: it is a `StaticString`. Whatever is put into one is text
/// and is escaped, unless it is a piece of HTML already:
/// ```swift
/// let row: HTML = "<td title=\"\(title)\">\(name)</td>"
/// ```
/// Escaped text is right in an element and in an attribute in quotes; nowhere else, least of all in `script` and `style`. An
/// address goes in by ``StringInterpolation/appendInterpolation(link:)``, which looks at its scheme too.
///
/// Source: HTML Living Standard §13.3, "escaping a string"; OWASP Cross Site Scripting Prevention Cheat Sheet.
public struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    public let markup: String

    /// Nothing.
    public static let empty: HTML = ""

    /// Takes a literal as markup.
    public init(stringLiteral value: StaticString) {
        markup = value.description
    }

    /// Takes a literal with what was put into it.
    public init(stringInterpolation: StringInterpolation) {
        markup = stringInterpolation.markup
    }

    /// Puts pieces one after another, each on a line of its own.
    public init(lines pieces: some Sequence<HTML>) {
        markup = pieces.map(\.markup).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The markup as UTF-8.
    public var bytes: [UInt8] { Array(markup.utf8) }

    /// The markup.
    public var description: String { markup }

    /// Text as it may stand in an element, and in an attribute in single or double quotes.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 16)
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        "&<>\"'".utf8.contains(byte)
    }
}
