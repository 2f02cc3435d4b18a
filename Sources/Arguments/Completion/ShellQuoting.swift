extension String {
    /// The text as one word of bash or zsh, in single quotes.
    var quotedForShell: String {
        var quoted = "'"
        for character in self { quoted += character == "'" ? "'\\''" : String(character) }
        return quoted + "'"
    }

    /// The text as one word of fish, in single quotes, in which fish reads `\\` and `\'`.
    var quotedForFish: String {
        var quoted = "'"
        for character in self {
            if character == "'" || character == "\\" { quoted += "\\" }
            quoted.append(character)
        }
        return quoted + "'"
    }

    /// The text with a backslash before each of `characters`.
    func escaping(_ characters: Set<Character>) -> String {
        var escaped = ""
        for character in self {
            if characters.contains(character) { escaped += "\\" }
            escaped.append(character)
        }
        return escaped
    }

    /// The text as part of the name of a shell function.
    var functionName: String {
        String(map { ($0.isASCII && ($0.isLetter || $0.isNumber)) ? $0 : "_" })
    }
}
