import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import LatchGateway
import OpenIDConnect
import Primitives
import Terminal

/// `latchd providers list`: prints the configured identity providers.
struct ListProviders: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool
    let isIDsOnly: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let settings = try ConfigurationFile(path: configurationPath, environment: environment).configuration.settings
        let providers = settings.providers
        if isIDsOnly {
            try Output.lines(providers.map(\.id))
        } else if isJSON {
            try Output.json(.array(providers.map { json($0, settings) }))
        } else if providers.isEmpty {
            try Output.lines(["No identity provider is configured; see docs/identity-providers.md."])
        } else {
            var table = Table(["ID", "KIND", "TITLE", "ISSUER", "REGISTRATION", "LINKS", "CALLBACK"])
            for provider in providers {
                table.add([
                    provider.id, provider.kind.rawValue, provider.title.printable, provider.settings.issuer.printable,
                    registration(provider), provider.linksByEmail ? "by e-mail" : "no",
                    ([settings.callback(of: provider)] + settings.additionalCallbacks(of: provider)).joined(
                        separator: " "),
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }

    /// Returns the message for an unknown provider id.
    static func unknown(_ id: String) -> String {
        "No identity provider has the id '\(id.printable)'; see 'latchd providers list'."
    }

    private func registration(_ provider: ProviderConfiguration) -> String {
        if provider.invitedOnly { return "invited" }
        return provider.allowsRegistration ? "open" : "none"
    }

    private func json(_ provider: ProviderConfiguration, _ settings: GatewaySettings) -> JSONValue {
        [
            "id": .string(provider.id), "kind": .string(provider.kind.rawValue), "title": .string(provider.title),
            "issuer": .string(provider.settings.issuer), "clientId": .string(provider.settings.clientID),
            "registration": .string(registration(provider)), "linksByEmail": .bool(provider.linksByEmail),
            "domains": .array(provider.domains.map(JSONValue.string)),
            "callback": .string(settings.callback(of: provider)),
            "furtherCallbacks": .array(settings.additionalCallbacks(of: provider).map(JSONValue.string)),
        ]
    }
}

/// `latchd providers check`: requests the metadata and keys of each provider, and reports problems.
struct CheckProviders: ExecutableCommand {
    let configurationPath: String?
    let id: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let settings = try ConfigurationFile(path: configurationPath, environment: environment).configuration.settings
        let selected = settings.providers.filter { id == nil || $0.id == id }
        if let id, selected.isEmpty {
            throw Failure(.notFound, ListProviders.unknown(id))
        }
        guard !selected.isEmpty else { throw Failure(.notFound, "No identity provider is configured.") }
        var bad = 0
        for provider in selected {
            do {
                let report = try await ProviderCheck(provider, of: settings).run()
                try Output.lines(
                    ["\(provider.id): ok"] + report.lines
                        + ([settings.callback(of: provider)] + settings.additionalCallbacks(of: provider)).map {
                            "  redirect address to register: \($0)\($0.hasPrefix("/") ? " (set public_url to see the full address)" : "")"
                        })
            } catch let error where !(error is CancellationError) {
                bad += 1
                try Output.lines(["\(provider.id): \("\(error)".printable)"])
            }
        }
        return bad == 0 ? .done : .unavailable
    }
}

extension ProviderCheck.Report {
    fileprivate var lines: [String] {
        [
            "  issuer  \(metadata.issuer.printable)", "  keys    \(keyCount)",
        ] + (knowsClient ? ["  client  known"] : []) + warnings.map { "  Warning: \($0.printable)" }
    }
}
