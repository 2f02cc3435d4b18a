import Glibc

/// Emphasis, where it can be seen and is wanted.
///
/// Source: no-color.org; ECMA-48 §8.3.117 (SGR).
public struct Style: Sendable {
    /// Whether emphasis is used at all.
    public let isOn: Bool

    /// Emphasis on a terminal that knows it, unless `NO_COLOR` is set and not empty.
    public init(descriptor: Int32, environment: [String: String]) {
        isOn =
            Descriptor.isTerminal(descriptor) && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    /// Bold.
    public func strong(_ text: String) -> String { wrap(text, "1") }
    /// Faint.
    public func faint(_ text: String) -> String { wrap(text, "2") }
    /// Green.
    public func good(_ text: String) -> String { wrap(text, "32") }
    /// Yellow.
    public func warning(_ text: String) -> String { wrap(text, "33") }
    /// Bold red.
    public func bad(_ text: String) -> String { wrap(text, "1;31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
