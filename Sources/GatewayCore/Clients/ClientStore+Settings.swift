import Database
import FoundationEssentials

/// What administrators decide about stored clients.
extension ClientStore {
    /// Changes the settings of a stored client. They apply to its next sign-in and its next refresh.
    ///
    /// - Parameters:
    ///   - id: The `client_id`.
    ///   - change: Changes the settings. Its error leaves them as they are.
    /// - Returns: The client as it is now.
    /// - Throws: ``GatewayError/Code/unknownClient`` when no stored client has this id; the error of `change`;
    ///   `DatabaseError`.
    @discardableResult
    package func set(
        _ id: String, _ change: @Sendable @escaping (inout ClientSettings) throws -> Void
    ) async throws -> RegisteredClient {
        guard !isConfigured(id) else { throw notStored(id, to: "change 'oauth.clients.\(id)' there") }
        return try await database.write { connection in
            guard let client = try connection.first(ClientStatements.find, id) else {
                throw notStored(id, to: "")
            }
            var settings = client.settings
            try change(&settings)
            try connection.run(ClientStatements.setSettings, settings.text, id)
            return try connection.first(ClientStatements.find, id) ?? client
        }
    }

    /// Approves or refuses a client that registered itself. A client that is refused loses what people allowed it, and
    /// its sessions end. One that is approved counts as used from then on.
    ///
    /// - Parameters:
    ///   - id: The `client_id`.
    ///   - approval: ``ClientApproval/approved`` or ``ClientApproval/refused``.
    ///   - digest: The ``RegisteredClient/identityDigest`` of what the administrator saw. Nil to decide about the client
    ///     as it is now.
    /// - Returns: The client as it is now, and whether the decision is another one than before.
    /// - Throws: ``GatewayError/Code/unknownClient`` when no client that registered itself has this id;
    ///   ``GatewayError/Code/clientChanged`` when its digest is another one; `DatabaseError`.
    package func decide(
        _ id: String, _ approval: ClientApproval, ifStill digest: String? = nil
    ) async throws -> (client: RegisteredClient, isChanged: Bool) {
        let now = now()
        guard !isConfigured(id) else { throw notStored(id, to: "it needs no approval") }
        return try await database.write { connection in
            guard let client = try connection.first(ClientStatements.find, id), let before = client.registration else {
                throw GatewayError(
                    .unknownClient,
                    "No client that registered itself has the id '\(id)'; 'latchd clients list' shows them.")
            }
            guard digest == nil || digest == client.identityDigest else {
                throw GatewayError(
                    .clientChanged,
                    "The client '\(id)' has changed since it was shown, so nothing was decided; "
                        + "'latchd clients show \(id)' shows it as it is now.")
            }
            try connection.run(ClientStatements.decide, approval.rawValue, now, id)
            if approval == .refused { _ = try Self.endAccess(of: id, at: now, connection) }
            return (
                try connection.first(ClientStatements.find, id) ?? client, before.approval != approval
            )
        }
    }

    private func isConfigured(_ id: String) -> Bool { configured.contains { ExactText($0.id) == ExactText(id) } }
}

extension ClientStatements {
    static let setSettings = Statement("UPDATE clients SET settings = ? WHERE id = ?", String.self, String.self)

    /// Stores a decision. An approved client counts as used, so that it is not removed before its first sign-in.
    static let decide = Statement(
        """
        UPDATE clients
        SET approval = ?1,
            last_used_at = CASE WHEN ?1 = 'approved-by-administrator' THEN coalesce(last_used_at, ?2) ELSE last_used_at END
        WHERE id = ?3 AND registration_hash IS NOT NULL
        """, String.self, Date.self, String.self)
}
