import GatewayConfiguration
package import GatewayCore

extension GatewayServices {
    /// Throws unless the sign-in of a session is recent, here or at an identity provider that sends `auth_time`. A
    /// session that was created from another session has the time of that session.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a message for the person.
    package func requireRecentSignIn(for action: SensitiveAction, _ session: Session) throws(GatewayError) {
        try action.requireRecent(session.authenticated, at: now())
    }

    /// Whether a session may do what everybody does daily: its sign-in is recent, or its person has no password to confirm
    /// with. Identity providers often cannot confirm a person who is signed in there, so such a person would be refused.
    package func isRecentIfPossible(_ action: SensitiveAction, _ session: Session) async throws -> Bool {
        if (try? requireRecentSignIn(for: action, session)) != nil { return true }
        guard settings.passwordsEnabled else { return true }
        return try await !people.hasPassword(session.person.id)
    }
}
