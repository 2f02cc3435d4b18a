import FoundationEssentials
import SecretStorage

/// The environment variables that choose the secret store. All programs that share the accounts read them.
package struct SecretsEnvironment: Sendable {
    /// The variable that requires one kind of store, with one of ``words``.
    package static let storeVariable = "LATCH_SECRETS"
    /// The variable that names the key file of the sealed file.
    package static let keyFileVariable = "LATCH_SECRETS_KEY"
    /// The words for a kind of store.
    package static let words = [SecretStorageChoice.service, .file].map(\.rawValue)

    /// The required store. An empty or missing variable requires none.
    package let store: SecretStorageChoice
    /// The absolute path of the key file. Nil for the file next to the sealed file.
    package let keyFile: String?

    /// Reads the variables.
    ///
    /// - Parameter environment: The environment variables.
    /// - Throws: ``LatchError/Code/invalidRequest`` for a word that is not one of ``words``.
    package init(_ environment: [String: String]) throws(LatchError) {
        let word = environment[Self.storeVariable] ?? ""
        guard word.isEmpty || Self.words.contains(word) else {
            throw LatchError(
                .invalidRequest,
                "The variable \(Self.storeVariable) must be \(Self.words.joined(separator: " or ")). Correct or remove it, "
                    + "and start the program again.")
        }
        store = SecretStorageChoice(rawValue: word) ?? .automatic
        let path = environment[Self.keyFileVariable] ?? ""
        keyFile = path.isEmpty ? nil : Folders.absolute(path)
    }
}
