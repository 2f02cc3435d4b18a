public import FoundationEssentials

/// One account's session with its server: keeps the token, renews it in time and ends it when the server says so.
///
/// Only an answer recognised as this server's own ends a session; a proxy's page, a redirect to another host, a fault, a
/// time-out or being offline never does. Several programs may hold a session of the same account at once: they share
/// token, renewals and end through the accounts database and a lock that dies with its holder.
///
/// Source: OX-11 to OX-14, TT-7; invariants 4 and 5.
public actor Session {
    /// The account.
    public nonisolated let accountID: Account.ID
    /// Where its server is.
    public nonisolated let server: ServerAddress
    /// How its server speaks.
    public nonisolated let dialect: any Dialect

    let accounts: AccountStore
    let device: Device
    let now: @Sendable () -> Date
    let broadcast = StateBroadcast()
    var machine = SessionStateMachine()
    var held: HeldToken?
    /// What the database said of the account last, and when.
    var seen: (record: SessionRecord, at: ContinuousClock.Instant)?
    /// Whether the server requires a password change, as last read from the database.
    var mustChangePassword = false
    var flight: SharedTask<Renewal>?
    var flying: Task<Void, Never>?
    var isFlyingForRejection = false
    var leaving: Task<SignOutReport, any Error>?
    var syncing: Task<FirstSync, Never>?
    var transport: (client: HTTPClient, connection: String)?

    init(account: Account, dialect: any Dialect, accounts: AccountStore, device: Device) {
        accountID = account.id
        server = account.serverURL
        self.dialect = dialect
        self.accounts = accounts
        self.device = device
        now = accounts.now
    }

    /// Where the session stands.
    public nonisolated var state: SessionState { broadcast.current }

    /// Where the session stands: now, then after each change.
    public nonisolated var states: AsyncStream<SessionState> { broadcast.stream() }

    /// How every feature calls the server.
    public nonisolated var client: AuthorizedClient { AuthorizedClient(session: self) }

    /// Takes up the session that was left when the program ended, and asks the server whether it still takes the token.
    ///
    /// Never throws: what came of it is the state. A server that cannot be reached leaves the session standing
    /// (``SessionState/Standing/unverified(_:)``), a secret store that is locked or absent leaves it
    /// ``SessionState/unavailable(_:)``; neither is signed out. Cancelled, it leaves the state as far as it came.
    ///
    /// Source: IM-10, TT-8, OX-14.
    @discardableResult
    public func restore() async -> SessionState {
        do {
            _ = try await identity()
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            machine.unanswered(error.code, in: machine.epoch)
        } catch {
            // The state says it already.
        }
        publish()
        return state
    }

    /// The token, renewed first when that is due.
    ///
    /// However many ask at once, in this program and in others, one request goes to the server. When the renewal does
    /// not succeed and the token has not run out, the old one is given.
    ///
    /// - Throws: ``LatchError/Code/signedOut``, ``LatchError/Code/sessionEnded``, a code of the secret store, or
    ///   ``LatchError/Code/offline`` when the token has run out and the server cannot be reached. `CancellationError`
    ///   when the caller is cancelled; the renewal goes on for the others.
    ///
    /// Source: OX-11, OX-12.
    public func validToken() async throws -> Secret {
        try await current().token
    }

    /// Renews the token now, due or not; for a program that comes back to the foreground.
    ///
    /// - Throws: As ``validToken()``, and whatever kept the server from answering.
    public func refresh() async throws {
        let token = try await present().token
        if case .kept(_, let error) = try await renew(after: token, rejection: nil) { throw error }
    }

    /// Asks the server who is signed in.
    ///
    /// - Throws: As ``AuthorizedClient/send(_:_:headers:body:)``; ``LatchError/Code/foreignAnswer`` also when a success
    ///   came that is not this server's own.
    ///
    /// Source: OX-8, IM-10.
    public func identity() async throws -> Identity {
        let (answer, token) = try await perform(dialect.identity, beforeNewPassword: true)
        guard let identity = dialect.identity(from: answer) else {
            let error = misread(answer)
            accounts.log.note(.request, dialect.identity.base ?? server, error.code.rawValue)
            throw error
        }
        machine.verified(in: token.epoch)
        publish()
        if mustChangePassword, identity.mustChangePassword == false {
            // It was changed elsewhere, as on the server's own pages.
            mustChangePassword = false
            try? await accounts.notePasswordChanged(accountID)
        }
        if let expires = identity.tokenExpires {
            let due = dialect.refreshDate(now: now(), expires: expires)
            try? await accounts.noteExpiry(accountID, of: token.generation, refreshAfter: due, expires: expires)
        }
        return identity
    }

    /// Stops what runs and lets go of the connections; the session stays, for the next start.
    public func close() async {
        flying?.cancel()
        syncing?.cancel()
        await flying?.value
        _ = await syncing?.value
        await transport?.client.close()
        transport = nil
        broadcast.finish()
    }

    /// Tells watchers of the machine's state.
    func publish() {
        broadcast.publish(machine.state)
    }
}

/// A token as this program holds it.
struct HeldToken: Sendable {
    var token: Secret
    var generation: Int
    var attempts: Int
    var epoch: Int
}

/// What came of a try to renew a token.
enum Renewal: Sendable {
    /// There is a newer one, of this or another program's making.
    case renewed(HeldToken)
    /// There is none; the old one stands.
    case kept(HeldToken, LatchError)

    /// What a log says of it.
    var word: String {
        switch self {
        case .renewed: "ok"
        case .kept(_, let error): error.code.rawValue
        }
    }
}
