/// Marks that form one character with an ASCII character after them (U+0600, U+06DD and U+110BD) or before them.
enum JoiningMarks {
    static let all = ["\u{600}", "\u{6DD}", "\u{110BD}", "\u{301}", "\u{338}", "\u{200D}", "\u{FE0F}"]
}
