import Database

extension SessionAdministration {
    /// Keeps the version of the app that a session is used by.
    func note(appVersion: String, of session: SessionID) async throws {
        _ = try await database.write { try $0.run(SessionStatements.noteApp, appVersion, session.rawValue) }
    }
}

extension SessionStatements {
    static let noteApp = Statement("UPDATE sessions SET app_version = ? WHERE id = ?", String.self, String.self)
}
