import CLibrary

/// Text emphasis with escape sequences.
///
/// Source: no-color.org; ECMA-48 §8.3.117 (SGR).
package struct Style: Sendable {
    /// Whether emphasis is used.
    package let isOn: Bool

    /// Enables emphasis on a terminal that supports it, unless `NO_COLOR` is set and not empty.
    package init(descriptor: Int32, environment: [String: String]) {
        isOn =
            Descriptor.canOverwrite(descriptor, environment: environment) && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Returns the text in bold.
    package func strong(_ text: String) -> String { wrap(text, "1") }
    /// Returns the text in faint.
    package func faint(_ text: String) -> String { wrap(text, "2") }
    /// Returns the text in green.
    package func good(_ text: String) -> String { wrap(text, "32") }
    /// Returns the text in yellow.
    package func warning(_ text: String) -> String { wrap(text, "33") }
    /// Returns the text in bold red.
    package func bad(_ text: String) -> String { wrap(text, "1;31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
