/// The classes that the HTML in a Swift source gives to elements: those of `class="…"`, with every text inside an
/// interpolation there, and those of `attribute: "class", …`.
struct ClassAttributes {
    private(set) var names: Set<String> = []
    private var rest: Substring

    init(in source: String) {
        rest = source[...]
        while let attribute = rest.firstRange(of: #/ class=\\?"|attribute: "class",/#) {
            let isCall = rest[attribute].hasSuffix(",")
            rest = rest[attribute.upperBound...]
            if isCall { readExpression() } else { readAttribute() }
        }
    }

    /// Reads the value of an attribute up to its quotation mark, which a literal of one line escapes.
    private mutating func readAttribute() {
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\" else {
                text.append(character)
                continue
            }
            guard rest.popFirst() == "(" else { break }
            readExpression()
        }
        insert(text)
    }

    /// Reads a Swift expression up to the parenthesis that closes it, and all words of the literals in it that are
    /// results: the text that a comparison has is none.
    private mutating func readExpression() {
        var depth = 1
        var before = ""
        while depth > 0, let character = rest.popFirst() {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "\"":
                let text = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(text.count + 1)
                if !before.hasSuffix("== ") { insert(String(text)) }
            default: break
            }
            before.append(character)
        }
    }

    private mutating func insert(_ text: String) {
        names.formUnion(text.split(separator: " ").map(String.init))
    }
}
