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

    /// Whether the sign-in of a session is recent enough for an action. People without a password allow apps and devices
    /// without a recent sign-in: many identity providers cannot confirm somebody who is signed in there, and such a person
    /// could then use no app.
    package func isRecentEnough(for action: SensitiveAction, _ session: Session) async throws -> Bool {
        if (try? requireRecentSignIn(for: action, session)) != nil { return true }
        guard [.allowApp, .allowDevice].contains(action) else { return false }
        guard settings.passwordsEnabled else { return true }
        return try await !people.hasPassword(session.person.id)
    }
}
