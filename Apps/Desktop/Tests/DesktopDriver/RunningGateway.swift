import Foundation

/// A real `latchd serve` with a database and a certificate of its own, which no system trusts.
package final class RunningGateway: Sendable {
    /// The address, with https.
    package let address: String
    /// The person who must choose a new password at the first sign-in.
    package let person = (email: "eve@example.org", password: "chosen by the administrator")
    private let program: ChildProgram
    private let folder: URL

    /// Starts a gateway on a free port, and returns when it accepts connections.
    package init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-gateway-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = (certificate: folder.path + "/certificate.pem", key: folder.path + "/key.pem")
        try await Self.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", files.certificate,
                "-keyout", files.key,
            ], folder: folder)
        let environment = [
            "HOME": folder.path, "XDG_DATA_HOME": folder.path + "/data", "XDG_CONFIG_HOME": folder.path + "/config",
            "LATCHD_LISTEN": "127.0.0.1:0", "LATCHD_TLS_CERTIFICATE": files.certificate, "LATCHD_TLS_KEY": files.key,
            "LATCHD_DATABASE": folder.path + "/latchd.db", "LATCHD_DIALECTS_ONYX_ENABLED": "false",
            "LATCHD_DIALECTS_IMMICH_ENABLED": "true",
        ]
        try await Self.run(
            "/bin/sh",
            [
                "-c",
                "printf '%s\n' '\(person.password)' | '\(Programs.gateway)' user add '\(person.email)' "
                    + "--name Eve --must-change-password --password-stdin",
            ], environment, folder: folder)
        program = try ChildProgram(Programs.gateway, ["serve"], environment: environment, folder: folder)
        var address: String?
        while address == nil, let line = await program.firstLine() {
            address = line.split(separator: " ").first { $0.hasPrefix("https://") }.map(String.init)
        }
        guard let address else { throw DriverError("The gateway did not start: \(program.errors)") }
        self.address = address
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Ends the gateway and removes its files.
    package func stop() async { await program.end() }

    private static func run(
        _ path: String, _ arguments: [String], _ environment: [String: String] = [:], folder: URL
    ) async throws {
        let tool = try ChildProgram(path, arguments, environment: environment, folder: folder)
        guard await tool.exitCode() == 0 else { throw DriverError("\(path) failed: \(tool.errors)") }
    }
}
