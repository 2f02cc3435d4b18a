import Foundation
import HTTPServer
import LatchGateway
import Wire

/// What `latchd serve` says on its first screen: what it did, and what to do next.
struct Welcome {
    let file: ConfigurationFile
    let addresses: [BoundAddress]
    let isNew: Bool
    let stores: GatewayStores

    func lines() async throws -> [String] {
        let people = try await stores.people.list().count
        let sessions = try await stores.sessions.liveCount()
        let database = file.configuration.settings.databasePath ?? "in memory"
        var lines = ["latchd \(Version.current)"]
        for address in addresses { lines.append("  listening      \(url(address))") }
        lines += [
            "  database       \(database) (\(isNew ? "new" : "\(count(people, "person", "people")), \(count(sessions, "live session"))"))",
            "  configuration  \(file.source)",
        ]
        for address in addresses where !isLocal(address) {
            lines.append("  warning        \(address) is open to the network without TLS: put a TLS proxy before it.")
        }
        if let path = file.configuration.settings.databasePath, isOpenToOthers(path) {
            lines.append("  warning        others on this machine may read \(path): chmod 600 '\(path)'")
        }
        lines.append("")
        if people == 0 { lines.append("Add a person:  latchd user add you@example.org") }
        if let first = addresses.first(where: { $0.port != nil }) {
            lines.append("Sign in:       latch login \(url(first))")
        }
        lines += ["Stop:          Ctrl-C", ""]
        return lines
    }

    private func url(_ address: BoundAddress) -> String {
        address.port == nil ? "\(address)" : "http://\(address)"
    }

    private func isOpenToOthers(_ path: String) -> Bool {
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        return (mode ?? 0) & 0o077 != 0
    }

    private func isLocal(_ address: BoundAddress) -> Bool {
        guard case .tcp(let address, _) = address else { return true }
        return address.isLoopback
    }

    private func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}
