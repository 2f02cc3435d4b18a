import FoundationEssentials

extension LatchClient {
    /// Changes how an account's server is connected to: whom to trust, as whom to come, extra headers, proxy.
    ///
    /// The session stays. The new way is tried first, by asking the server what it is: one that does not reach it is not
    /// kept. Sessions in this and other programs connect the new way from their next request on.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - isForced: Keep it also when the server cannot be reached that way now.
    ///   - change: What to change.
    /// - Returns: How the server is connected to now, and what the trial found; with `isForced` it may have found nobody.
    /// - Throws: ``LatchError`` with the trial's code when nothing was changed, and the codes of secret store and storage.
    ///
    /// Source: contract of Immich, section d, 2, 3 and 7.
    public func changeConnection(
        of account: Account, isForced: Bool = false, _ change: (inout ConnectionOptions) async throws -> Void
    ) async throws -> ConnectionChange {
        guard let base = try await accounts.record(account.id)?.connection else { throw AccountStore.missing }
        var options = try await accounts.connection(of: account.id)
        try await change(&options)
        let report = try await ask(account, options)
        if let failure = report.failure, !isForced {
            throw LatchError(
                failure.code, "Nothing was changed, as the server cannot be reached that way. \(failure.message)",
                retryAfter: failure.retryAfter, cause: failure)
        }
        try await accounts.changeConnection(account.id, from: base, to: options)
        // What an access proxy let through for the old fields is not what it lets through for the new ones.
        await accounts.cache.purge(account.id)
        return ConnectionChange(options: options, trial: report)
    }
}

/// What came of changing how a server is connected to.
public struct ConnectionChange: Sendable {
    /// How it is connected to now.
    public let options: ConnectionOptions
    /// What the server said to it.
    public let trial: ProbeReport
}
