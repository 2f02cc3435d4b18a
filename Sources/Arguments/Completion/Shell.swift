/// A shell for which a completion script can be generated.
package enum Shell: String, CaseIterable, ArgumentValue {
    /// GNU bash, 4.0 or later.
    case bash
    /// zsh, 5.0 or later.
    case zsh
    /// fish, 3.0 or later.
    case fish
}
