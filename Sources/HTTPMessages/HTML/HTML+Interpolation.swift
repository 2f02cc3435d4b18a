extension HTML {
    /// Builds a piece of HTML from a literal with interpolations. The compiler creates it.
    package struct StringInterpolation: StringInterpolationProtocol {
        var markup = ""

        /// Creates an empty piece with reserved capacity.
        package init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Appends markup from the source code.
        package mutating func appendLiteral(_ literal: StaticString) {
            markup += literal.description
        }

        /// Appends text, escaped.
        package mutating func appendInterpolation(_ text: String) {
            // Without quotes, a space would end the value, and the text after it would become an attribute.
            assert(markup.utf8.last != UInt8(ascii: "="), "A value needs quotes.")
            markup += HTML.escaped(text)
        }

        /// Appends a number.
        package mutating func appendInterpolation(_ number: Int) {
            markup += String(number)
        }

        /// Appends a piece of HTML unchanged.
        package mutating func appendInterpolation(_ html: HTML) {
            markup += html.markup
        }

        /// Appends a piece of HTML unchanged, or nothing for nil.
        package mutating func appendInterpolation(_ html: HTML?) {
            if let html { markup += html.markup }
        }

        /// Appends pieces in order, each on its own line.
        package mutating func appendInterpolation(_ pieces: [HTML]) {
            markup += HTML(lines: pieces).markup
        }

        /// Appends a text from the source code unchanged, such as a style sheet.
        package mutating func appendInterpolation(source: StaticString) {
            markup += source.description
        }

        /// Appends the escaped address of a link, a form or a picture. An address that ``HTML/isLink(_:)`` does not
        /// allow is replaced by `about:invalid`, which loads nothing.
        package mutating func appendInterpolation(link address: String) {
            appendInterpolation(HTML.isLink(address) ? address : "about:invalid")
        }

        /// Appends an attribute with a space before it, or nothing when the value is nil.
        package mutating func appendInterpolation(attribute name: StaticString, _ value: String?) {
            if let value { markup += " \(name)=\"\(HTML.escaped(value))\"" }
        }

        /// Appends an attribute without a value, such as `checked`, with a space before it. Appends nothing when
        /// `isThere` is false.
        package mutating func appendInterpolation(flag name: StaticString, _ isThere: Bool) {
            if isThere { markup += " \(name)" }
        }
    }

    /// Returns whether an address is allowed in a link: a path, a query, a fragment, or an address whose scheme runs
    /// nothing in the page. The schemes of apps are allowed.
    ///
    /// Source: URL Standard §4.4: browsers drop tabs and line ends and treat `\` as `/`, so an address must not contain
    /// them.
    package static func isLink(_ address: String) -> Bool {
        guard address.utf8.allSatisfy({ $0 > 32 && $0 != 127 && $0 != UInt8(ascii: "\\") }) else { return false }
        let head = address.utf8.prefix { !"/?#".utf8.contains($0) }
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else {
            // Compares bytes, because a combining mark after a slash forms another character with it.
            return !address.utf8.starts(with: "//".utf8)
        }
        let scheme = String(Substring(head[..<colon])).lowercased()
        return isScheme(scheme) && !refusedSchemes.contains(scheme)
    }

    /// Schemes that run their content in the page, or open files of the person's machine.
    private static let refusedSchemes: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source",
    ]

    /// Returns whether a lower-case text is a valid scheme.
    ///
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
