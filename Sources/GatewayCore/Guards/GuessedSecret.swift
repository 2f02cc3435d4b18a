package import FoundationEssentials

/// What an attempt guesses. Each has a counter of its own.
package enum GuessedSecret: Sendable {
    /// The password, or a key in place of it, of the account with an e-mail address, whether or not it exists.
    case password(EmailAddress)
    /// The codes of devices that a signed-in person enters.
    case deviceCodes(of: UUID)
}
