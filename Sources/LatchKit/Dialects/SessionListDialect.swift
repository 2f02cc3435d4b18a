/// A family whose servers let people list and end their sessions.
package protocol SessionListDialect: Dialect {
    /// Returns the person's sessions on the server.
    func sessions(with client: AuthorizedClient) async throws -> [RemoteSession]
    /// Ends the session with an id.
    func endSession(_ id: String, with client: AuthorizedClient) async throws
}
