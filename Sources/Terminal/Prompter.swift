public import Crypto

/// Who can be asked: the person at the terminal, or nobody.
public struct Prompter: Sendable {
    /// The terminal; nil when the program runs without one or was told to ask nothing.
    public let terminal: Terminal?

    /// Makes the person at a terminal, or nobody.
    public init(terminal: Terminal?) {
        self.terminal = terminal
    }

    /// Nobody: every question is an error at once.
    public static let nobody = Prompter(terminal: nil)

    /// Whether somebody is there.
    public var isThere: Bool { terminal != nil }

    /// Asks for a line that may be seen; `instead` tells how to give the answer without a terminal.
    public func ask(_ question: String, suggestion: String? = nil, instead: String) async throws -> String {
        try await required(question, instead).ask(question, suggestion: suggestion)
    }

    /// Asks for a line that nobody shall see; `instead` tells how to give the answer without a terminal.
    public func askSecret(_ question: String, instead: String? = nil) async throws -> Secret {
        try await required(question, instead).askSecret(question)
    }

    /// Asks a question whose safe answer is no; no without a terminal.
    public func confirm(_ question: String) async throws -> Bool {
        try await terminal?.confirm(question) ?? false
    }

    private func required(_ question: String, _ instead: String?) throws(TerminalError) -> Terminal {
        if let terminal { return terminal }
        let remedy = instead ?? "Run it at a terminal"
        throw TerminalError(.noTerminal, "\(question): there is no terminal to ask at. \(remedy).")
    }
}
