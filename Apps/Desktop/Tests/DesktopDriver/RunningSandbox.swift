import Foundation

/// A real `latchd sandbox`: a gateway of each dialect with example people.
package final class RunningSandbox: Sendable {
    /// The address of the gateway of each dialect, such as `onyx`.
    package let addresses: [String: String]
    /// The password of each person by e-mail address.
    package let passwords: [String: String]
    private let program: ChildProgram
    private let folder: URL

    private struct Description: Decodable {
        struct Person: Decodable {
            var email: String
            var password: String
        }
        var users: [Person]
    }

    /// Starts a sandbox on free ports, and returns when it accepts connections.
    package init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-sandbox-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        program = try ChildProgram(
            Programs.gateway, ["sandbox", "--json"], environment: ["TMPDIR": folder.path], folder: folder)
        guard let line = await program.firstLine() else {
            throw DriverError("The sandbox did not start: \(program.errors)")
        }
        let people = try JSONDecoder().decode(Description.self, from: Data(line.utf8)).users
        passwords = Dictionary(uniqueKeysWithValues: people.map { ($0.email, $0.password) })
        let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        addresses = members.compactMapValues { ($0 as? [String: Any])?["url"] as? String }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Ends the sandbox and removes its files.
    package func stop() async { await program.end() }
}
