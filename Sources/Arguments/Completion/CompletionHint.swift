/// What a shell offers in the place of a value.
public enum CompletionHint: Sendable, Equatable {
    /// Nothing; the person types it.
    case none
    /// One of these words.
    case words([String])
    /// The name of a file.
    case file
    /// The name of a folder.
    case folder
    /// The lines that the program itself prints when it is called with these arguments, one candidate a line.
    ///
    /// The arguments are words that every shell leaves alone: letters, digits, `-`, `_`, `.`, `/`, `=`.
    case output(of: [String])
}
