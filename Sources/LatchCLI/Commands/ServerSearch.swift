import HTTPClient
import LatchKit
import Primitives
import Terminal

/// Finds the server to sign in to. Asks the person once about a certificate that cannot be verified.
struct ServerSearch {
    let context: CommandContext
    let prompter: Prompter
    /// The only dialect to look for. Nil for all.
    var dialect: DialectID?

    /// Returns the server at an address.
    ///
    /// - Throws: The reason why no server was found. The context then has a hint about what to do.
    func find(_ address: ServerAddress, _ options: ConnectionOptions) async throws -> Server {
        let kit = try await context.client()
        let report = try await kit.probe(address, connection: options, only: dialect) { _ in }
        if let presented = report.presentedCertificate, let failure = report.failure {
            return try await decide(on: presented, after: failure, at: address, options: options)
        }
        return try accept(report, address)
    }

    private func decide(
        on presented: PresentedCertificate, after failure: LatchError, at address: ServerAddress,
        options: ConnectionOptions
    ) async throws -> Server {
        let text = CertificateText(presented)
        if !context.console.isJSON {
            context.console.printMessage(failure.message)
            context.console.printMessage(
                (["The server presents this certificate:"] + text.lines).joined(separator: "\n"))
        }
        guard try await prompter.confirm("Trust this certificate?") else {
            context.setHint("If the server's operator confirms it, trust it with: --pin \(text.fingerprint)")
            throw LatchError(
                failure.code, "The certificate of \(address) was not trusted. You were not signed in.", cause: failure)
        }
        var options = options
        options.pinnedCertificate = presented.fingerprint
        return try accept(
            try await context.client().probe(address, connection: options, only: dialect) { _ in }, address)
    }

    private func accept(_ report: ProbeReport, _ address: ServerAddress) throws -> Server {
        guard let server = report.server else {
            context.setHint("To see where it fails: latch doctor \(address.url.forShell)")
            if let failure = report.failure, failure.code != .unsupportedServer { throw failure }
            if dialect == .oauth {
                throw LatchError(
                    .unsupportedServer,
                    "\(address) responds, but it is not a server of OAuth, and only those take --client-id.",
                    cause: report.failure)
            }
            // The details of each family matter only for diagnosis, and `latch doctor` shows them.
            throw LatchError(
                .unsupportedServer,
                "\(address) responds, but it is not a supported server. Check the address, and its path if the server "
                    + "is not at the root of its host.", cause: report.failure)
        }
        for step in report.steps where step.outcome == .warned { context.console.warn(step.description.printable) }
        try HeaderLines.check(server.connection.extraHeaders, for: server.dialect)
        if let reason = server.features.unavailableReason { throw LatchError(.serverError, reason) }
        let features = server.features
        guard features.signsInWithPassword || features.signsInWithBrowser || features.signsInWithKey else {
            throw LatchError(
                .passwordLoginDisabled,
                "latch supports none of the sign-in methods of \(address).")
        }
        guard !context.console.isJSON else { return server }
        if let gateway = server.features.gateway {
            context.console.printMessage(
                "\(address.authority)\(address.prefix) is protected by \(gateway.authority). You sign in there.")
        } else {
            let version = server.features.version.map { " \($0.printable)" } ?? ""
            context.console.printMessage(
                "Found a server that speaks \(server.dialect.title)\(version) at \(server.address).")
        }
        return server
    }
}
