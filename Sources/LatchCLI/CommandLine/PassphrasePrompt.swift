import Crypto
import LatchKit
import Terminal

/// Asks for the passphrase of the sealed file, if there is a terminal.
struct PassphrasePrompt: Sendable {
    let prompter: Prompter

    /// Returns the passphrase. Nil selects a key file.
    ///
    /// - Throws: ``LatchError/Code/noTerminal`` when the file has a passphrase and there is no terminal.
    func prompt(_ need: DeviceSecrets.PassphraseNeed) async throws -> Secret? {
        do {
            return try await ask(need)
        } catch let error as TerminalError {
            throw LatchError(describing: error)
        }
    }

    private func ask(_ need: DeviceSecrets.PassphraseNeed) async throws -> Secret? {
        switch need {
        case .existing(let path):
            return try await prompter.askSecret(
                "Passphrase of \(path)",
                instead: "Run it in a terminal, or use a key file for the secrets (--secrets-key)")
        case .new(let path):
            return prompter.isAvailable ? try await newPassphrase(path) : nil
        }
    }

    private func newPassphrase(_ path: String) async throws -> Secret? {
        let first = try await prompter.askSecret(
            "New passphrase for \(path) (empty: use a key file next to it that only you can read)")
        guard first.count > 0 else { return nil }
        guard first == (try await prompter.askSecret("Repeat the passphrase")) else {
            throw LatchError(.invalidInput, "The passphrases differ. Nothing was created. Run the command again.")
        }
        return first
    }
}
