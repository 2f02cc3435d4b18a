/// The text of desktop entries.
///
/// Source: Desktop Entry Specification 1.5, "The Exec key".
public enum DesktopEntry {
    /// A program's path, or an argument, as the key `Exec` wants it. Only what must be quoted is: `xdg-open` on a desktop that it does not
    /// know takes quotes for a part of the name.
    public static func quoted(_ program: String) -> String {
        var quoted = ""
        var isPlain = true
        for character in program {
            switch character {
            // Once for the quotes, once for the file; a percent sign would begin a field.
            case "\\": quoted += "\\\\\\\\"
            case "\"", "`", "$": quoted += "\\\\\(character)"
            case "%": quoted += "%%"
            default: quoted.append(character)
            }
            if !character.isLetter, !character.isNumber, !"/._-+%@:,=".contains(character) { isPlain = false }
        }
        return isPlain ? quoted : "\"\(quoted)\""
    }
}
