extension LatchClient {
    /// Changes the person's password on the server. The session stays valid, and a password change that the server
    /// required counts as done.
    ///
    /// - Throws: ``LatchError/Code/notOffered`` when the server's family has no such request,
    ///   ``LatchError/Code/wrongCredentials``, ``LatchError/Code/weakPassword`` and the errors of
    ///   ``AuthorizedClient/send(_:_:headers:body:)``.
    ///
    /// Source: IM-12.
    public func changePassword(_ change: PasswordChange, of account: Account) async throws {
        let dialect = try passwordDialect(of: account)
        var client = try session(for: account).client
        client.changesPassword = true
        try await dialect.changePassword(change, with: client)
        try await accounts.recordPasswordChange(account.id)
    }

    /// Checks that the family of the account's server has a request that changes a password. Programs call it before
    /// they ask the person for a password.
    ///
    /// - Throws: ``LatchError/Code/notOffered`` when it has none.
    package func requirePasswordChange(of account: Account) throws {
        _ = try passwordDialect(of: account)
    }

    private func passwordDialect(of account: Account) throws -> any PasswordChangeDialect {
        let dialect = try session(for: account).dialect
        guard let dialect = dialect as? any PasswordChangeDialect else {
            throw Self.notOffered("change a password", for: account, by: dialect)
        }
        return dialect
    }

    /// Returns the person's sessions on the server.
    ///
    /// - Throws: ``LatchError/Code/notOffered`` when the server's family has no such request, and the errors of
    ///   ``AuthorizedClient/send(_:_:headers:body:)``.
    public func remoteSessions(of account: Account) async throws -> [RemoteSession] {
        let (dialect, client) = try sessionList(of: account)
        return try await dialect.sessions(with: client)
    }

    /// Ends one of the person's sessions on the server.
    ///
    /// - Parameters:
    ///   - id: The id of the session in ``remoteSessions(of:)``.
    ///   - account: The account whose server to ask.
    /// - Throws: The errors of ``remoteSessions(of:)``.
    public func endRemoteSession(_ id: String, of account: Account) async throws {
        let (dialect, client) = try sessionList(of: account)
        try await dialect.endSession(id, with: client)
    }

    /// Returns the state of the person's PIN and of its lock.
    ///
    /// - Throws: ``LatchError/Code/notOffered`` when the server's family has no PINs, and the errors of
    ///   ``AuthorizedClient/send(_:_:headers:body:)``.
    ///
    /// Source: IM-15.
    public func pinState(of account: Account) async throws -> PINState {
        let (dialect, client) = try pinDialect(of: account)
        return try await dialect.pinState(with: client)
    }

    /// Sets, changes, removes or enters the person's PIN, or locks the protected content again.
    ///
    /// - Throws: ``LatchError/Code/notOffered``, ``LatchError/Code/wrongPIN``, ``LatchError/Code/wrongCredentials`` for
    ///   a wrong password, ``LatchError/Code/rateLimited`` when the server accepts no more attempts for now. The session
    ///   stays valid.
    ///
    /// Source: IM-15.
    public func perform(_ action: PINAction, of account: Account) async throws {
        let (dialect, client) = try pinDialect(of: account)
        try await dialect.perform(action, with: client)
    }

    /// Checks that the family of the account's server has PINs; see ``requirePasswordChange(of:)``.
    package func requirePIN(of account: Account) throws {
        _ = try pinDialect(of: account)
    }

    func pinDialect(of account: Account) throws -> (any PINDialect, AuthorizedClient) {
        let session = try session(for: account)
        guard let dialect = session.dialect as? any PINDialect else {
            throw LatchError(
                .notOffered, "\(account.serverURL) speaks \(session.dialect.title), which has no PINs.")
        }
        return (dialect, session.client)
    }

    /// Probes the account's server again, with the connection options of the account.
    ///
    /// - Returns: The server and its current features.
    /// - Throws: ``LatchError`` with the reason why no server was found.
    public func server(of account: Account) async throws -> Server {
        let options = try await accounts.connection(of: account.id)
        return try await ask(account, options).requireServer()
    }

    /// Probes the account's server for the account's family, with the given connection options.
    func ask(_ account: Account, _ options: ConnectionOptions) async throws -> ProbeReport {
        let dialect = try session(for: account).dialect
        return try await ServerProbe(connection: options, dialects: [dialect], device: device).run(account.serverURL)
    }

    private func sessionList(of account: Account) throws -> (any SessionListDialect, AuthorizedClient) {
        let session = try session(for: account)
        guard let dialect = session.dialect as? any SessionListDialect else {
            throw Self.notOffered("list or end sessions", for: account, by: session.dialect)
        }
        return (dialect, session.client)
    }

    private static func notOffered(_ act: String, for account: Account, by dialect: any Dialect) -> LatchError {
        LatchError(
            .notOffered,
            "\(account.serverURL) speaks \(dialect.title), which does not let a program \(act). "
                + "Use the server's web pages.")
    }
}

extension LatchError.Code {
    /// The server's family has no request for the operation.
    public static let notOffered = Self(rawValue: "not_offered")
}
