extension String {
    /// The text as one bash or zsh word in single quotes.
    var quotedForShell: String {
        var quoted = "'"
        for character in unicodeScalars { quoted += character == "'" ? "'\\''" : String(character) }
        return quoted + "'"
    }

    /// The text as one fish word in single quotes, with `\\` and `\'` escaped.
    var quotedForFish: String {
        var quoted = "'"
        for character in unicodeScalars {
            if character == "'" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "'"
    }

    /// Returns the text with a backslash before each of `characters`.
    func escaping(_ characters: Set<Unicode.Scalar>) -> String {
        var escaped = ""
        for character in unicodeScalars {
            if characters.contains(character) { escaped += "\\" }
            escaped.unicodeScalars.append(character)
        }
        return escaped
    }

    /// The text with each character that is not valid in the name of a shell function replaced by `_`.
    var functionName: String {
        String(map { ($0.isASCII && ($0.isLetter || $0.isNumber)) ? $0 : "_" })
    }
}
