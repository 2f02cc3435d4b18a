import LatchKit
public import Observation

/// Asks for the passphrase of the sealed file in which the secrets of the accounts are stored.
@MainActor @Observable
public final class PassphraseScreen {
    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Open your accounts"
        /// The name of the field.
        public static let passphrase = "Passphrase"
        /// The button that opens the file.
        public static let open = "Open"
    }

    /// What the passphrase is for, as a sentence.
    public let reason: String
    /// The passphrase. Empty again as soon as it was used.
    public var passphrase = ""
    /// Whether ``open()`` does anything.
    public var canOpen: Bool { !passphrase.isEmpty }

    @ObservationIgnored private var answer: CheckedContinuation<Secret?, Never>?
    @ObservationIgnored private let onAnswer: @MainActor () -> Void

    init(path: String, answer: CheckedContinuation<Secret?, Never>, onAnswer: @escaping @MainActor () -> Void) {
        reason = "The secrets of your accounts are in the file '\(ScreenText.line(path))'. Enter its passphrase."
        self.answer = answer
        self.onAnswer = onAnswer
    }

    /// Uses the passphrase.
    public func open() {
        guard canOpen else { return }
        let secret = Secret(passphrase)
        passphrase = ""
        finish(secret)
    }

    /// Answers the question. Nil for no passphrase.
    func finish(_ secret: Secret?) {
        answer?.resume(returning: secret)
        answer = nil
        onAnswer()
    }
}
