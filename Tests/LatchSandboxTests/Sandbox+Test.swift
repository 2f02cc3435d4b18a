import HTTPClient
import LatchSandbox
import TestSupport

extension Sandbox {
    /// Runs `body` with a sandbox and a client, and closes both after it.
    static func with(_ body: (Sandbox, HTTPClient) async throws -> Void) async throws {
        let sandbox = try await Sandbox.open()
        let http = try HTTPClient()
        try await attempt {
            try await body(sandbox, http)
        } finally: {
            await http.close()
            await sandbox.close()
        }
    }
}
