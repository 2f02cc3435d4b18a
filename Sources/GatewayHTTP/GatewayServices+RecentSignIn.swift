package import GatewayCore

extension GatewayServices {
    /// Throws unless the sign-in of a session is recent, here or at an identity provider that sends `auth_time`. A
    /// session that was created from another session has the time of that session.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a message for the person.
    package func requireRecentSignIn(for action: SensitiveAction, _ session: Session) throws(GatewayError) {
        try action.requireRecent(session.authenticated, at: now())
    }
}
