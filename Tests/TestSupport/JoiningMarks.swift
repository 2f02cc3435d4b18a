/// Marks that form one character with an ASCII character beside them, which hides the ASCII character from parsers that
/// compare characters.
///
/// Source: Unicode Standard Annex #29, rules GB9 and GB9b.
public enum JoiningMarks {
    /// Marks that join the character after them (U+0600, U+06DD and U+110BD) or the character before them.
    public static let all = ["\u{600}", "\u{6DD}", "\u{110BD}", "\u{301}", "\u{338}", "\u{200D}", "\u{FE0F}"]
}
