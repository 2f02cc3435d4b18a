import CLibrary

/// One line on standard error that shows how far a command is. It shows nothing when standard error is not a terminal, or
/// its lines cannot be overwritten.
///
/// Source: ECMA-48 §8.3.41 (EL).
package struct ProgressLine: Sendable {
    private let isShown: Bool

    /// Creates a line that is still empty.
    package init(environment: [String: String]) {
        isShown = Descriptor.canOverwrite(Descriptor.errors, environment: environment)
    }

    /// Replaces the line. What does not fit into the width of the terminal is cut off.
    ///
    /// - Parameter text: The new line, of characters that each have one column.
    package func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let width = (Descriptor.columns(of: Descriptor.errors) ?? 80) - 1
        write("\r\u{1B}[K" + text().prefix(width))
    }

    /// Removes the line. Call it before anything else is written to the terminal.
    package func remove() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        try? Descriptor.write(Array(text.utf8), to: Descriptor.errors)
    }
}
