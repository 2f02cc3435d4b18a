/// What a shell suggests for a value.
package enum CompletionHint: Sendable, Equatable {
    /// Offers no suggestions.
    case none
    /// A fixed list of words.
    case words([String])
    /// File names.
    case file
    /// Folder names.
    case folder
    /// The lines that the program prints when it is called with these arguments, one candidate per line.
    ///
    /// The arguments may only contain characters that no shell treats specially: letters, digits, `-`, `_`, `.`, `/`,
    /// `=`.
    case output(of: [String])
}
