import FoundationEssentials
import HTTPServer
import LatchGateway
import Terminal
import Wire

/// What `latchd serve` says on its first screen: what it did, and what to do next.
struct Welcome {
    let file: ConfigurationFile
    let addresses: [BoundAddress]
    let isNew: Bool
    let stores: GatewayStores
    let certificate: TLSCertificate?

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
        if let certificate {
            lines.append("  certificate    \(certificate.coveredNames), until \(certificate.notAfter.forPeople)")
        }
        if let path = file.configuration.settings.databasePath, isOpenToOthers(path) {
            lines.append("  warning        others on this machine may read \(path): chmod 600 '\(path)'")
        }
        lines.append("")
        if people == 0 { lines.append("Add a person:  latchd user add you@example.org") }
        if let first = addresses.first(where: { $0.port != nil }) {
            lines.append("Sign in:       latch login \(nameURL(first) ?? reachable(first))")
        }
        lines += ["Stop:          Ctrl-C", ""]
        return lines
    }

    private func url(_ address: BoundAddress) -> String {
        if case .tcp = address { "http://\(address)" } else { "\(address)" }
    }

    /// The address by a name that the certificate covers: by its number a client would refuse it.
    private func nameURL(_ address: BoundAddress) -> String? {
        guard case .tls(_, let port) = address,
            let name = certificate?.names.first(where: { !$0.hasPrefix("*") && IPAddress($0) == nil })
        else { return nil }
        return "https://\(name.printable)\(port == 443 ? "" : ":\(port)")"
    }

    /// The address as others reach it: where every address of the machine is listened on, its name is theirs to fill in.
    private func reachable(_ address: BoundAddress) -> String {
        switch address {
        case .tcp(let ip, let port) where Self.isEvery(ip): "http://NAME:\(port)   (NAME: this machine's)"
        case .tls(let ip, let port) where Self.isEvery(ip): "https://NAME:\(port)   (NAME: this machine's)"
        default: url(address)
        }
    }

    private static func isEvery(_ ip: IPAddress) -> Bool {
        ["0.0.0.0", "::"].contains(ip.description)
    }

    private func isOpenToOthers(_ path: String) -> Bool {
        FilePermissions(path: path)?.allow(0o077) ?? false
    }

    private func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}
