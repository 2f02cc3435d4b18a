import HTTPMessages
import LatchSandbox
import Primitives

/// `latchd sandbox`: runs an identity provider and gateways with example people.
struct RunSandbox: ExecutableCommand {
    let configuration: Sandbox.Configuration
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let sandbox = try await Sandbox.open(configuration)
        do {
            // When the start was cancelled, addresses that will not respond are not printed.
            try Task.checkCancellation()
            if isJSON { try Output.json(sandbox.json) } else { try Output.lines(lines(sandbox)) }
            while true { try await Task.sleep(for: .seconds(86_400)) }
        } catch {
            await sandbox.close()
            if !(error is CancellationError) { throw error }
        }
        return .done
    }

    private func lines(_ sandbox: Sandbox) -> [String] {
        let dialects = Sandbox.dialects.compactMap { name in sandbox.url(of: name).map { (name, $0) } }
        var lines = ["latchd \(Release.version), sandbox with example data"]
        for (name, url) in dialects + [("issuer", sandbox.provider.issuer)] {
            lines.append("  \(Self.padded(name, 14))\(url)")
        }
        lines += ["  \(Self.padded("folder", 14))\(sandbox.folder)", ""]
        for person in sandbox.people {
            lines.append(
                "  \(Self.padded(person.email, 20))\(Self.padded(person.password, 32))\(Self.note(person))"
                    .trimmedEnd)
        }
        lines.append("")
        if let url = dialects.first?.1 { lines.append("Sign in:       latch login \(url)") }
        lines.append("Protected app: curl -i \(sandbox.protected)/photos")
        if let name = dialects.first?.0, let account = sandbox.account(on: name) {
            lines.append("In a browser:  \(account)")
        }
        return lines + ["Stop:          Ctrl-C", ""]
    }

    private static func note(_ person: SandboxPerson) -> String {
        switch person.place {
        case .everywhere: person.isAdministrator ? "administrator" : ""
        case .provider: "at the issuer only, until the first sign-in"
        case .disabled: "disabled in the gateways"
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension String {
    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
