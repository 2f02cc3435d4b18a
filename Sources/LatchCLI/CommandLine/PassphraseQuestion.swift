import LatchKit
import Terminal

/// Asks for the passphrase of the sealed file, if there is a terminal.
struct PassphraseQuestion: Sendable {
    let person: Prompter

    /// Returns the passphrase. Nil selects a key file.
    ///
    /// - Throws: ``LatchError/Code/noTerminal`` when the file has a passphrase and there is no terminal.
    func answer(_ need: DeviceSecrets.PassphraseNeed) async throws -> Secret? {
        do {
            return try await ask(need)
        } catch let error as TerminalError {
            throw LatchError(telling: error)
        }
    }

    private func ask(_ need: DeviceSecrets.PassphraseNeed) async throws -> Secret? {
        switch need {
        case .existing(let path):
            return try await person.askSecret(
                "Passphrase of \(path)",
                instead: "Run it at a terminal, or keep the secrets under a key file (--secrets-key)")
        case .new(let path):
            return person.isThere ? try await newPassphrase(path) : nil
        }
    }

    private func newPassphrase(_ path: String) async throws -> Secret? {
        let first = try await person.askSecret(
            "New passphrase for \(path) (empty: a key file beside it that only you may read)")
        guard first.count > 0 else { return nil }
        guard first == (try await person.askSecret("The same again")) else {
            throw LatchError(.invalidInput, "The passphrases differ. Nothing was made; run it again.")
        }
        return first
    }
}
