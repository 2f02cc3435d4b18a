import Glibc

/// Text emphasis with escape sequences.
///
/// Source: no-color.org; ECMA-48 §8.3.117 (SGR).
public struct Style: Sendable {
    /// Whether emphasis is used.
    public let isOn: Bool

    /// Enables emphasis on a terminal that supports it, unless `NO_COLOR` is set and not empty.
    public init(descriptor: Int32, environment: [String: String]) {
        isOn =
            Descriptor.isTerminal(descriptor) && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    /// Returns the text in bold.
    public func strong(_ text: String) -> String { wrap(text, "1") }
    /// Returns the text in faint.
    public func faint(_ text: String) -> String { wrap(text, "2") }
    /// Returns the text in green.
    public func good(_ text: String) -> String { wrap(text, "32") }
    /// Returns the text in yellow.
    public func warning(_ text: String) -> String { wrap(text, "33") }
    /// Returns the text in bold red.
    public func bad(_ text: String) -> String { wrap(text, "1;31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
