import Database

/// How a client takes part in sign-outs.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0 §3.1; OpenID Connect Back-Channel Logout 1.0 §2.2.
package struct ClientSignOutSettings: Sendable, Equatable {
    /// The addresses to which a browser may return after a sign-out that the client asked for.
    package var redirects: [String]
    /// The address that is told when a session of the client, or the session of the browser that it began in, ends. Nil
    /// when the client is not told. A client that registered itself has none, because this server would send requests
    /// to an address that nobody has checked.
    package var address: String?

    /// Creates settings. By default, the client takes no part.
    package init(redirects: [String] = [], address: String? = nil) {
        self.redirects = redirects
        self.address = address
    }

    /// Creates settings from the columns `sign_out_redirects` and `sign_out_address`, of which the first is at `index`.
    init(_ row: SQLRow, at index: Int) throws(DatabaseError) {
        redirects = (try row.get(index) as String).split(separator: "\n").map(String.init)
        address = try row.get(index + 1)
    }
}
