/// Splits a script into its statements, because the extended protocol accepts one statement at a time.
enum SQLScript {
    /// Returns the statements between the semicolons that are outside of quotes and of bodies between `$$`.
    static func statements(_ script: String) -> [String] {
        var statements: [String] = []
        var current = ""
        var quote: Character?
        var isInBody = false
        var rest = Substring(script)
        while let character = rest.popFirst() {
            if quote == nil, character == "$", rest.first == "$" {
                rest.removeFirst()
                isInBody.toggle()
                current += "$$"
            } else if isInBody {
                current.append(character)
            } else if let open = quote {
                if character == open { quote = nil }
                current.append(character)
            } else if character == ";" {
                statements.append(current)
                current = ""
            } else {
                if character == "'" || character == "\"" { quote = character }
                current.append(character)
            }
        }
        statements.append(current)
        return statements.filter { !$0.allSatisfy(\.isWhitespace) }
    }
}
