package import Crypto

/// Prompts the person at the terminal, if there is one.
package struct Prompter: Sendable {
    /// The terminal. Nil without a terminal or when prompts are disabled.
    package let terminal: Terminal?

    /// Creates a prompter for a terminal. Nil for a prompter that cannot ask.
    package init(terminal: Terminal?) {
        self.terminal = terminal
    }

    /// A prompter without a terminal. Every question throws an error.
    package static let unavailable = Prompter(terminal: nil)

    /// Whether there is a terminal to prompt on.
    package var isAvailable: Bool { terminal != nil }

    /// Prompts for a line that is echoed. `instead` tells in an error how to pass the value without a terminal.
    package func ask(_ question: String, suggestion: String? = nil, instead: String) async throws -> String {
        try await required(question, instead).ask(question, suggestion: suggestion)
    }

    /// Prompts for a line that is not echoed. `instead` tells in an error how to pass the value without a terminal.
    package func askSecret(_ question: String, instead: String? = nil) async throws -> Secret {
        try await required(question, instead).askSecret(question)
    }

    /// Prompts for confirmation, with no as the default. Returns false without a terminal.
    package func confirm(_ question: String) async throws -> Bool {
        try await terminal?.confirm(question) ?? false
    }

    private func required(_ question: String, _ instead: String?) throws(TerminalError) -> Terminal {
        if let terminal { return terminal }
        let remedy = instead ?? "Run it in a terminal"
        throw TerminalError(.noTerminal, "\(question): there is no terminal for this prompt. \(remedy).")
    }
}
