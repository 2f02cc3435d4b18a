import Crypto
import Desktop
public import FoundationEssentials
import HTTPClient
import Synchronization

/// An account's session with its server. It stores the token, renews it in time, and ends when the server ends it.
///
/// A response ends a session only if it is recognised as the server's own. A proxy's page, a redirect to another host,
/// a fault of the server, a timeout or being offline never ends it. Several programs may use the session of an account
/// at the same time. They share the token, its renewals and the end of the session through the accounts database, and
/// use a lock that is released when its process ends.
///
/// Source: OX-11 to OX-14, TT-7; ARCHITECTURE.md, Invariants, 4 and 5.
public actor Session {
    /// The id of the account.
    public nonisolated let accountID: Account.ID
    /// The address of the account's server.
    public nonisolated let server: ServerAddress
    /// The dialect of the account's server.
    package nonisolated let dialect: any Dialect

    let accounts: AccountStore
    let device: Device
    let now: @Sendable () -> Date
    let broadcast = StateBroadcast()
    var machine = SessionStateMachine()
    var held: CachedToken?
    /// The record that was last read from the database, and when.
    var seen: (record: SessionRecord, at: ContinuousClock.Instant)?
    /// Whether the server requires a password change, as last read from the database.
    var mustChangePassword = false
    var sharedRenewal: SharedTask<Renewal>?
    var renewalTask: Task<Void, Never>?
    var isRenewingAfterRejection = false
    var leaving: Task<SignOutReport, any Error>?
    var syncing: Task<FirstSync, Never>?
    /// The real-time connection of the sign-in, until the first reader of ``events()`` takes it over.
    nonisolated let openedRealTime = Mutex<OpenedRealTime?>(nil)
    var transport: Transport?
    let selector: EndpointSelector
    let proofs: ProofSigner
    var selecting: (record: SessionRecord, race: Task<Transport?, any Error>)?
    var network: (state: NetworkState?, watch: Task<Void, Never>, first: SharedTask<Void>)?
    /// The other address that rejected the session. Nil when none did since the last selection of an address.
    var rejectingAddress: ServerAddress?

    init(account: Account, dialect: any Dialect, accounts: AccountStore, device: Device) {
        accountID = account.id
        server = account.serverURL
        self.dialect = dialect
        self.accounts = accounts
        self.device = device
        now = accounts.now
        proofs = ProofSigner(now: accounts.now)
        selector = EndpointSelector(headStart: accounts.headStart)
    }

    deinit { network?.watch.cancel() }

    /// The current state.
    public nonisolated var state: SessionState { broadcast.current }

    /// Whether the token is bound to a key of this device, so that it is of no use in another program. False until the
    /// token was read.
    package nonisolated var tokenIsBound: Bool { proofs.hasKey }

    /// The current state, followed by each change. Ends when the session is closed, not when the person signs out.
    public nonisolated var stateUpdates: AsyncStream<SessionState> { broadcast.stream() }

    /// The client with which all features send requests to the server.
    public nonisolated var client: AuthorizedClient { AuthorizedClient(session: self) }

    /// Restores the session of an earlier run of the program, and asks the server whether it still accepts the token.
    ///
    /// Never throws; the result is the state. If the server cannot be reached, the session stays signed in
    /// (``SessionState/TokenStatus/unverified(_:)``). If the secret store is locked or absent, it is
    /// ``SessionState/unavailable(_:)``. Neither case is a sign-out. When the task is cancelled, the state stays as it
    /// is at that moment.
    ///
    /// Source: IM-10, TT-8, OX-14.
    @discardableResult
    public func restore() async -> SessionState {
        do {
            _ = try await identity()
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            machine.unanswered(error.code, in: machine.epoch)
        } catch {
            // The state already contains the error.
        }
        publish()
        return state
    }

    /// Returns the token. Renews it first if it is due. A token that is bound to a key of this device is of use only
    /// for requests through ``client``, which proves the possession of the key.
    ///
    /// However many callers need a renewal at the same time, in this program and in others, only one request is sent.
    /// If the renewal fails and the old token has not expired, the old token is returned.
    ///
    /// - Throws: ``LatchError/Code/signedOut``, ``LatchError/Code/sessionEnded``, a code of the secret store, or
    ///   ``LatchError/Code/offline`` when the token has expired and the server cannot be reached. `CancellationError`
    ///   when the caller is cancelled; the renewal continues for other callers.
    ///
    /// Source: OX-11, OX-12.
    public func validToken() async throws -> Secret {
        try await current().token
    }

    /// Renews the token now, whether it is due or not.
    ///
    /// - Throws: The errors of ``validToken()``, and the error that prevented the renewal.
    public func refresh() async throws {
        let token = try await present().token
        if case .unchanged(_, let error) = try await renew(after: token, rejection: nil) { throw error }
    }

    /// Asks the server who is signed in.
    ///
    /// - Throws: The errors of ``AuthorizedClient/send(_:_:headers:body:)``. ``LatchError/Code/interceptedResponse`` also
    ///   when a successful response is not the server's own.
    ///
    /// Source: OX-8, IM-10.
    public func identity() async throws -> Identity {
        try await identified().identity
    }

    /// Asks the server who is signed in. Returns the person, the response, and the token with which it was received.
    func identified() async throws -> (identity: Identity, response: ClientResponse, token: CachedToken) {
        let (response, token) = try await perform(dialect.identity, beforeNewPassword: true)
        guard let identity = dialect.identity(from: response) else {
            let error = unrecognized(response)
            accounts.log.record(.request, at: dialect.identity.base ?? server, outcome: error.code.rawValue)
            throw error
        }
        machine.verified(in: token.epoch)
        publish()
        if mustChangePassword, identity.mustChangePassword == false {
            // The password was changed elsewhere, such as on the server's web pages.
            mustChangePassword = false
            // If this fails, the next request asks the server again.
            try? await accounts.recordPasswordChange(accountID)
        }
        if let expires = identity.tokenExpires {
            let due = dialect.refreshDate(now: now(), expires: expires)
            try? await accounts.recordExpiry(accountID, of: token.generation, refreshAfter: due, expires: expires)
        }
        // If this fails, the next request for the identity records it.
        try? await accounts.record(identity, of: accountID, in: token.generation)
        return (identity, response, token)
    }

    /// Stops running work and closes the connections. The session is kept for the next start.
    public func close() async {
        openedRealTime.withLock { $0 = nil }
        renewalTask?.cancel()
        syncing?.cancel()
        await renewalTask?.value
        _ = await syncing?.value
        await closeTransport()
        broadcast.finish()
    }

    /// Sends the current state to watchers.
    func publish() {
        broadcast.publish(machine.state)
    }
}

/// A token in the memory of this program.
struct CachedToken: Sendable {
    var token: Secret
    var generation: Int
    var attempts: Int
    var epoch: Int
}

/// The result of an attempt to renew a token.
enum Renewal: Sendable {
    /// There is a newer token, which this or another program obtained.
    case renewed(CachedToken)
    /// There is no newer token because of the error. The old one is still in use.
    case unchanged(CachedToken, LatchError)

    /// The outcome for the log.
    var word: String {
        switch self {
        case .renewed: "ok"
        case .unchanged(_, let error): error.code.rawValue
        }
    }
}
