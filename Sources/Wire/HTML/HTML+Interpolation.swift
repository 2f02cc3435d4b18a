extension HTML {
    /// Puts a piece of HTML together; the compiler makes it of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        var markup = ""

        /// Begins a piece.
        public init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Appends markup of the source.
        public mutating func appendLiteral(_ literal: StaticString) {
            markup += literal.description
        }

        /// Appends text, escaped.
        public mutating func appendInterpolation(_ text: String) {
            // Without quotes a space would end the value, and what follows would be an attribute.
            assert(markup.utf8.last != UInt8(ascii: "="), "A value needs quotes.")
            markup += HTML.escaped(text)
        }

        /// Appends a number.
        public mutating func appendInterpolation(_ number: Int) {
            markup += String(number)
        }

        /// Appends a piece of HTML as it is.
        public mutating func appendInterpolation(_ html: HTML) {
            markup += html.markup
        }

        /// Appends a piece of HTML, where there is one.
        public mutating func appendInterpolation(_ html: HTML?) {
            if let html { markup += html.markup }
        }

        /// Appends pieces one after another, each on a line of its own.
        public mutating func appendInterpolation(_ pieces: [HTML]) {
            markup += HTML(lines: pieces).markup
        }

        /// Appends a text of the source as it is, such as a style sheet.
        public mutating func appendInterpolation(source: StaticString) {
            markup += source.description
        }

        /// Appends the address of a link, a form or a picture, escaped; for one that ``HTML/isLink(_:)`` does not allow it is
        /// `about:invalid`, which leads nowhere.
        public mutating func appendInterpolation(link address: String) {
            appendInterpolation(HTML.isLink(address) ? address : "about:invalid")
        }

        /// Appends an attribute with a space before it; nothing at all without a value.
        public mutating func appendInterpolation(attribute name: StaticString, _ value: String?) {
            if let value { markup += " \(name)=\"\(HTML.escaped(value))\"" }
        }

        /// Appends an attribute without a value, such as `checked`, with a space before it, or nothing.
        public mutating func appendInterpolation(flag name: StaticString, _ isThere: Bool) {
            if isThere { markup += " \(name)" }
        }
    }

    /// Whether a link may lead to an address: to a path, a query or a fragment, or to an address with a scheme that runs
    /// nothing in the page. The schemes of apps are such.
    ///
    /// Source: URL Standard §4.4: browsers drop tabs and line ends and take `\` for `/`, so none may be there.
    public static func isLink(_ address: String) -> Bool {
        guard address.utf8.allSatisfy({ $0 > 32 && $0 != 127 && $0 != UInt8(ascii: "\\") }) else { return false }
        let head = address.utf8.prefix { !"/?#".utf8.contains($0) }
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else {
            // Bytes: a mark that combines makes another character of the slash before it.
            return !address.utf8.starts(with: "//".utf8)
        }
        let scheme = String(Substring(head[..<colon])).lowercased()
        return isScheme(scheme) && !refusedSchemes.contains(scheme)
    }

    /// Schemes that run what they hold, or open what is on the person's machine.
    private static let refusedSchemes: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source",
    ]

    /// Source: RFC 3986 §3.1.
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "+-.".utf8.contains(byte)
            }
        }
    }
}
