/// Formats values of desktop entries.
///
/// Source: Desktop Entry Specification 1.5, "The Exec key".
package enum DesktopEntry {
    /// Returns the path of a program, or an argument, in the format of the key `Exec`. Quotes are added only where they
    /// are required, because `xdg-open` on an unknown desktop takes them for a part of the name.
    package static func quoted(_ program: String) -> String {
        var quoted = ""
        var isPlain = true
        for character in program.unicodeScalars {
            switch character {
            // Escaped once for the quotes and once for the file. A percent sign would start a field code.
            case "\\": quoted += "\\\\\\\\"
            case "\"", "`", "$": quoted += "\\\\\(character)"
            case "%": quoted += "%%"
            default: quoted.unicodeScalars.append(character)
            }
            let isWord = character.properties.isAlphabetic || character.properties.numericType != nil
            if !isWord, !"/._-+%@:,=".unicodeScalars.contains(character) { isPlain = false }
        }
        return isPlain ? quoted : "\"\(quoted)\""
    }
}
