/// A family with requests to send right after a sign-in.
package protocol FirstSyncDialect: Dialect {
    /// Sends the first requests for the main screen, after the server has said who is signed in. If one fails, the
    /// others continue.
    ///
    /// - Parameters:
    ///   - client: The session.
    ///   - bound: The timeout of each request.
    /// - Returns: The values of the requests that succeeded.
    /// - Throws: `CancellationError`; ``LatchError`` when the session has ended.
    func firstSync(with client: AuthorizedClient, each bound: Duration) async throws -> FirstSync
}
