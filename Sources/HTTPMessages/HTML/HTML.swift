/// A piece of HTML that is escaped by construction: only text from the program's own source code becomes markup.
///
/// A literal is markup. It can only be a literal, because it is a `StaticString`. Interpolated values are text and are
/// escaped, unless they are pieces of HTML already:
/// ```swift
/// let row: HTML = "<td title=\"\(title)\">\(name)</td>"
/// ```
/// Escaped text is safe in an element and in an attribute with quotes. It is not safe elsewhere, in particular in
/// `script` and `style`. Insert an address with ``StringInterpolation/appendInterpolation(link:)``, which also checks
/// its scheme.
///
/// Source: HTML Living Standard §13.3, "escaping a string"; OWASP Cross Site Scripting Prevention Cheat Sheet.
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup as text.
    package let markup: String

    /// An empty piece.
    package static let empty: HTML = ""

    /// Creates a piece from a literal, which is used as markup.
    package init(stringLiteral value: StaticString) {
        markup = value.description
    }

    /// Creates a piece from a literal with interpolations.
    package init(stringInterpolation: StringInterpolation) {
        markup = stringInterpolation.markup
    }

    /// Joins pieces in order, each on its own line. Empty pieces are left out.
    package init(lines pieces: some Sequence<HTML>) {
        markup = pieces.map(\.markup).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The markup as UTF-8.
    package var bytes: [UInt8] { Array(markup.utf8) }

    /// The markup.
    package var description: String { markup }

    /// Escapes text for use in an element, or in an attribute with single or double quotes.
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
