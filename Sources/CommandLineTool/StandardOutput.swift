package import Terminal

/// Standard output for results, and standard error for messages.
package enum StandardOutput {
    /// Writes bytes to standard output. A closed pipe ends the program without a message, as it ends other programs.
    package static func write(_ bytes: [UInt8]) throws(Descriptor.Failure) {
        do throws(Descriptor.Failure) {
            try Descriptor.write(bytes, to: Descriptor.output)
        } catch {
            if error.number == Descriptor.Failure.brokenPipe { Signals.endByClosedPipe() }
            throw error
        }
    }

    /// Prints a message in addition to the result, as a line on standard error.
    package static func printMessage(_ text: String) {
        try? Descriptor.write(Array((text + "\n").utf8), to: Descriptor.errors)
    }
}
