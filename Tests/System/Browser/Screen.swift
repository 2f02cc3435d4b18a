import Foundation
import TestSupport

/// A display that nobody looks at, for programs that need one: Xvfb, on a number that is free.
struct Screen {
    private let server: RunningProgram
    /// What `DISPLAY` must be.
    let name: String

    /// Starts it and returns when it takes connections.
    init(_ environment: [String: String]) async throws {
        server = try RunningProgram(
            "Xvfb", ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
            environment: environment)
        // It says nothing but its number there, and that only when it is ready; warnings come in between.
        let line = try await server.line { Int($0) != nil }
        name = ":" + line
    }

    /// Ends it, and with it whatever shows itself on it.
    func close() async {
        server.send(SIGTERM)
        await server.waitForExit()
    }
}
