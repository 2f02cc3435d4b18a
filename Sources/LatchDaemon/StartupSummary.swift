import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import LatchGateway
import Primitives
import Terminal

/// The first lines that `latchd serve` prints: its state, and what to do next.
struct StartupSummary {
    let file: ConfigurationFile
    /// The configuration file that the command line names. Nil when the file is found automatically.
    let namedFile: String?
    let environment: [String: String]
    let addresses: [BoundAddress]
    let isNew: Bool
    let stores: GatewayStores
    let certificate: TLSCertificate?

    func lines() async -> [String] {
        // The count of very many sessions takes longer than a query may take, and the database may have no free
        // connection.
        let people = try? await stores.people.count()
        let sessions = try? await stores.sessions.liveCount()
        let database = file.configuration.settings.database
        let contents =
            isNew
            ? "new"
            : people.map { people in
                ([count(people, "person", plural: "people")] + (sessions.map { [count($0, "live session")] } ?? []))
                    .joined(separator: ", ")
            } ?? "does not respond"
        var lines = ["latchd \(Release.version)"]
        for address in addresses { lines.append("  listening      \(url(address))") }
        lines += [
            "  database       \(database) (\(contents))",
            "  configuration  \(file.source)",
        ]
        if let certificate {
            lines.append("  certificate    \(certificate.coveredNames), until \(certificate.notAfter.forPeople)")
        }
        if let path = file.configuration.settings.database.path, isOpenToOthers(path) {
            lines.append("  warning        other users can read \(path): chmod 600 '\(path)'")
        }
        lines.append("")
        if people == 0 { lines.append("Add a person:  \(administration) user add you@example.org") }
        let settings = file.configuration.settings
        let own = settings.publicURL.map { (address: $0, note: "") }
        if let base = own ?? addresses.first(where: { $0.port != nil }).map(reachable) {
            if let path = signInPath { lines.append("Sign in:       latch login \(base.address)\(path)\(base.note)") }
            if settings.pages.isEnabled {
                lines.append("Account page:  \(base.address)\(settings.pages.prefix)/account\(base.note)")
            }
        }
        lines += ["Stop:          Ctrl-C", ""]
        return lines
    }

    /// The command for administration with the same configuration and the same database.
    private var administration: String {
        let variable = "LATCHD_DATABASE"
        let database = environment[variable].map { "\(variable)='\($0.printable)' " } ?? ""
        return "\(database)latchd" + (namedFile.map { " --config '\($0.printable)'" } ?? "")
    }

    /// The path after the address for `latch login`. Nil when `latch` cannot sign in with any enabled dialect.
    private var signInPath: String? {
        let settings = file.configuration.settings
        return settings.enabledDialects.lazy.compactMap { $0.signInPath(in: settings) }.first
    }

    private func url(_ address: BoundAddress) -> String {
        if case .tcp = address { "http://\(address)" } else { "\(address)" }
    }

    /// Returns the address with a name that the certificate covers. A client would refuse the address with an IP
    /// address.
    private func nameURL(_ address: BoundAddress) -> String? {
        guard case .tls(_, let port) = address,
            let name = certificate?.names.first(where: { !$0.hasPrefix("*") && IPAddress($0) == nil })
        else { return nil }
        return "https://\(name.printable)\(port == 443 ? "" : ":\(port)")"
    }

    /// Returns the address as other machines reach it. When the gateway listens on all addresses of the machine, the
    /// reader has to replace `NAME`.
    private func reachable(_ address: BoundAddress) -> (address: String, note: String) {
        if let url = nameURL(address) { return (url, "") }
        let note = "   (NAME: the name of this machine)"
        return switch address {
        case .tcp(let ip, let port) where Self.isEvery(ip): ("http://NAME:\(port)", note)
        case .tls(let ip, let port) where Self.isEvery(ip): ("https://NAME:\(port)", note)
        default: (url(address), "")
        }
    }

    private static func isEvery(_ ip: IPAddress) -> Bool {
        ["0.0.0.0", "::"].contains(ip.description)
    }

    private func isOpenToOthers(_ path: String) -> Bool {
        FilePermissions(path: path)?.allow(0o077) ?? false
    }

    private func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }
}
