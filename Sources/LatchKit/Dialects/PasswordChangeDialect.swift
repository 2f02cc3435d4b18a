/// A family whose servers let people change their password.
package protocol PasswordChangeDialect: Dialect {
    /// Changes the password.
    ///
    /// - Parameters:
    ///   - change: The old and the new password.
    ///   - client: The session that sends the request.
    /// - Throws: ``LatchError``, with the server's error message if there is one. The session stays valid.
    func changePassword(_ change: PasswordChange, with client: AuthorizedClient) async throws
}
