import FoundationEssentials

extension LatchClient {
    /// Changes how an account's server is connected to: trusted certificates, client certificate, extra header fields
    /// and proxy.
    ///
    /// The session stays valid. The server is probed with the new options first, and options that do not reach it are
    /// not stored. Sessions in this program and in others use the new options from their next request on.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - isForced: Whether the options are stored even if the server cannot be reached with them.
    ///   - change: Changes the current options.
    /// - Returns: The new options and the result of the probe. With `isForced` the probe may have failed.
    /// - Throws: ``LatchError`` with the code of the failed probe, in which case nothing was changed, or a code of the
    ///   secret store or the storage.
    ///
    /// Source: docs/protocols/immich.md, Connections.
    public func changeConnection(
        of account: Account, isForced: Bool = false, _ change: (inout ConnectionOptions) async throws -> Void
    ) async throws -> ConnectionChange {
        guard let base = try await accounts.record(account.id)?.connection else { throw AccountStore.missing }
        var options = try await accounts.connection(of: account.id)
        try await change(&options)
        let report = try await ask(account, options)
        if let failure = report.failure, !isForced {
            throw LatchError(
                failure.code, "Nothing was changed, because the server cannot be reached that way. \(failure.message)",
                retryAfter: failure.retryAfter, status: failure.status, cause: failure)
        }
        try await accounts.changeConnection(account.id, from: base, to: options)
        // Responses that an access proxy allowed with the old header fields may not be allowed with the new ones.
        await accounts.purgeCaches(of: account.id)
        return ConnectionChange(options: options, trial: report)
    }
}

/// The result of changing how a server is connected to.
public struct ConnectionChange: Sendable {
    /// The options that are stored now.
    public let options: ConnectionOptions
    /// The result of probing the server with ``options``.
    public let trial: ProbeReport
}
