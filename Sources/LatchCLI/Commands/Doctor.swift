import Arguments
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch doctor`: shows each step of finding and trusting a server.
struct Doctor: ExecutableCommand {
    private static let address = OptionalArgument<String>(
        "ADDRESS", help: "The server. Default: the active account's server.")

    static let command = Command<Request>(
        "doctor", "Show step by step how a server is found and trusted.",
        discussion: """
            Nothing is stored, and you are not signed in. The exit code is that of 'latch login': 0 if the server was \
            found, otherwise the code of the failure.
            """,
        arguments: [address, AccountOption.option] + ConnectionArguments.all
    ) { given throws(ArgumentError) in
        if given[address] != nil, given[AccountOption.option] != nil {
            throw given.usageError("give either ADDRESS or --account")
        }
        return Request(
            given,
            Doctor(
                address: given[address], selector: given[AccountOption.option],
                connection: try ConnectionArguments(given)))
    }

    private let address: String?
    private let selector: String?
    private let connection: ConnectionArguments

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (address, options) = try await target(context)
        try context.console.printLines([
            context.console.output.strong(address.url), "  checked by latch \(LatchClient.version)",
        ])
        let report = try await ServerProbe(connection: options).run(address) { step in
            try? context.console.printLines(Self.lines(step, context.console.output))
        }
        let presented = report.presentedCertificate.map(CertificateText.init)
        try context.console.result(
            Self.ending(of: report, certificate: presented, style: context.console.output),
            json: Self.json(report, of: address, certificate: presented))
        guard let failure = report.failure else { return .done }
        return ExitCode(for: failure.code)
    }

    /// Returns the address to check, and how to connect to it. Without an address, the account's server is checked. An
    /// account's connection is used unless connection options are given.
    private func target(_ context: CommandContext) async throws -> (ServerAddress, ConnectionOptions) {
        let account: Account?
        let address: ServerAddress
        if let text = self.address {
            address = try ServerAddress(addressOrName: text)
            account = connection.isEmpty ? try await context.knownAccount(at: address) : nil
        } else {
            let chosen = try await context.account(selector)
            (address, account) = (chosen.serverURL, connection.isEmpty ? chosen : nil)
        }
        guard let account else { return (address, try await connection.options(for: address, context.prompter)) }
        let options = try await context.client().accounts.connection(of: account.id)
        if options.description != ConnectionOptions().description {
            context.console.printMessage(
                "Using the connection settings of the account \(account.userEmail): \(options).")
        }
        return (address, options)
    }
}

extension Doctor {
    private static func lines(_ step: ProbeStep, _ style: Style) -> [String] {
        let mark =
            switch step.outcome {
            case .passed: style.good("ok")
            case .warned: style.warning("!!")
            case .failed: style.bad("no")
            case .skipped: style.faint("--")
            }
        let name = step.kind.rawValue
        let indent = String(repeating: " ", count: 18)
        let gap = String(repeating: " ", count: 12 - name.count)
        var lines = ["  \(mark)  \(name)\(gap)\(step.message.printable)"]
        if let remedy = step.remedy { lines.append(indent + style.strong(remedy.printable)) }
        return lines
    }

    private static func ending(
        of report: ProbeReport, certificate presented: CertificateText?, style: Style
    ) -> [String] {
        if let server = report.server {
            return ["", "Sign in with: latch login \(server.address.url.forShell)"]
        }
        guard let presented else { return [] }
        return ["", "The server presents this certificate:"] + presented.lines
            + ["", "If the server's operator confirms the fingerprint, add: --pin \(presented.fingerprint)"]
    }

    private static func json(
        _ report: ProbeReport, of address: ServerAddress, certificate presented: CertificateText?
    ) -> JSONValue {
        let steps = report.steps.map { step in
            JSONValue.object(
                [
                    .init("step", .string(step.kind.rawValue)), .init("outcome", .string(step.outcome.rawValue)),
                    .init("message", .string(step.message)),
                ] + (step.remedy.map { [.init("remedy", .string($0))] } ?? []))
        }
        var members: [JSONValue.Member] = [
            .init("version", .string(LatchClient.version)), .init("address", .string(address.url)),
            .init("found", .bool(report.server != nil)),
            .init("dialect", report.server.map { .string($0.dialect.id.rawValue) } ?? .null),
            .init("steps", .array(steps)),
        ]
        if let features = report.server?.features {
            let providers = features.providers.map { provider in
                JSONValue.object([.init("id", .string(provider.id)), .init("title", .string(provider.title))])
            }
            members += [
                .init("signsInWithPassword", .bool(features.signsInWithPassword)),
                .init("signsInWithBrowser", .bool(features.signsInWithBrowser)),
                .init("signsInWithKey", .bool(features.signsInWithKey)), .init("providers", .array(providers)),
            ]
        }
        if let presented { members.append(.init("certificate", presented.json)) }
        if let failure = report.failure { members.append(.init("error", Console.json(failure))) }
        return .object(members)
    }
}
