import Crypto
import Database
import FoundationEssentials

extension ClientSessionStore {
    /// Returns the session and the grant of an access token. Nil when the token is not valid, or when it is bound to a
    /// key and the current request does not prove its possession. A bearer token is not accepted with a proof for it.
    ///
    /// The first use of an access token from a refresh makes its refresh token the current one.
    ///
    /// - Throws: `DatabaseError`.
    package func authenticate(_ token: String) async throws -> ClientAccess? {
        try await authenticate(token) { digest, person, thumbprint in
            guard let thumbprint else { return RequestProof.current?.tokenHash != digest }
            return try await RequestProof.admits(digest, of: person, boundTo: thumbprint)
        }
    }

    /// Returns the session and the grant of an access token that was presented to another server, which checks the proof
    /// of possession itself; otherwise as ``authenticate(_:)``.
    ///
    /// - Throws: `DatabaseError`.
    package func introspect(_ token: String) async throws -> ClientAccess? {
        try await authenticate(token) { _, _, _ in true }
    }

    private func authenticate(
        _ token: String, isAdmitted: (SHA256Digest, UUID, String?) async throws -> Bool
    ) async throws -> ClientAccess? {
        guard AccessToken.isPossible(token) else { return nil }
        let digest = SHA256.digest(token)
        let hash = digest.bytes
        let now = now()
        guard let found = try await database.read({ try $0.first(ClientSessionStatements.findAccess, hash) }),
            now < found.expires,
            case .valid(let session) = found.session.authentication(
                at: now, livingUntil: found.session.expires),
            try await isAdmitted(digest, session.person.id, found.keyThumbprint)
        else { return nil }
        if found.generation > found.current {
            // The session may have ended in the meantime, or another request may have done the same.
            let count = try await database.write { connection in
                try connection.run(ClientSessionStatements.promote, session.id.rawValue, found.generation)
            }
            if count == 0 { return try await authenticateAgain(hash, now) }
        }
        return ClientAccess(
            session: session, mustChangePassword: enforcesPasswordChange && session.person.mustChangePassword,
            grant: found.grant, expires: found.expires, keyThumbprint: found.keyThumbprint)
    }

    /// Reads a token whose refresh token another request made the current one, or whose session has just ended.
    private func authenticateAgain(_ hash: [UInt8], _ now: Date) async throws -> ClientAccess? {
        guard let found = try await database.read({ try $0.first(ClientSessionStatements.findAccess, hash) }),
            found.generation <= found.current,
            case .valid(let session) = found.session.authentication(at: now, livingUntil: found.session.expires)
        else { return nil }
        return ClientAccess(
            session: session, mustChangePassword: enforcesPasswordChange && session.person.mustChangePassword,
            grant: found.grant, expires: found.expires, keyThumbprint: found.keyThumbprint)
    }

    /// Returns the person of a session, with the person's groups. Nil when the session has just been deleted.
    ///
    /// - Throws: `DatabaseError`.
    package func owner(of session: SessionID) async throws -> (person: Person, groups: [String])? {
        let stored = try await database.read { try $0.first(ClientSessionStatements.findSession, session.rawValue) }
        return stored.flatMap { stored in stored.person.map { ($0, stored.groups) } }
    }

    /// Returns the session of an access token of the gateway's own apps, when the token expires, and whether it is bound
    /// to a key. Nil for every other text.
    ///
    /// - Throws: `DatabaseError`.
    func ownAccess(_ digest: SHA256Digest) async throws -> (session: SessionID, expires: Date, isBound: Bool)? {
        let hash = digest.bytes
        return try await database.read {
            try $0.first(ClientSessionStatements.ownAccess, hash, ClientGrant.own.client)
        }
    }
}
