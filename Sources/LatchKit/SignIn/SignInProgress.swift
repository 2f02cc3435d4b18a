public import FoundationEssentials
import HTTPClient
import HTTPMessages

/// The steps between a successful sign-in at the server and the program's main screen, in order.
///
/// Source: IM-6.
public enum SignInProgress: Sendable, Equatable {
    /// The token was written to the secret store.
    case tokenStored
    /// The account was stored with the person's id and name, and is the active one.
    case accountStored
    /// The id of the device is known. It is generated once per device.
    case deviceKnown(UUID)
    /// The real-time connection was opened. If it is not connected, it is tried again in the background. Only for
    /// families with events.
    case realTimeOpened(isConnected: Bool)
    /// A program that downloads pictures gets access to their folder now. The first sync begins when it returns. Only
    /// for families with a picture library.
    case picturesNeeded
    /// The first requests to the server are finished. Only successful responses are included.
    case synced(FirstSync)
    /// The server requires a password change before anything else, so no requests were sent. See
    /// ``LatchClient/changePassword(_:of:)``.
    case passwordChangeRequired
    /// The main screen can be shown.
    case ready
}

/// The results of a session's first requests, for the main screen. A value is nil when its request failed.
///
/// Source: IM-6.
public struct FirstSync: Sendable, Hashable {
    /// The signed-in person. Nil in a stored result: the account has the person's id and name.
    public var person: Identity?
    /// The version of the server.
    public var version: String?
    /// The number of the person's albums.
    public var albums: Int?
    /// The number of the person's photographs.
    public var photographs: Int?
    /// The number of the person's videos.
    public var videos: Int?
    /// When the requests were finished, on the clock of this device. Nil when the server did not say who is signed in;
    /// then nothing else was requested.
    public var date: Date?
    /// The moment from which a later sync asks for changes. It is before all requests, on the server's clock if the
    /// server tells its time, to the second. Nil when ``date`` is nil.
    public var marker: Date?

    /// Makes a result without any values.
    package init() {}

    /// Whether every request succeeded.
    package var isComplete: Bool { version != nil && albums != nil && photographs != nil && videos != nil }
}

extension LatchClient {
    /// The timeout of the real-time connection and of all first requests together.
    static let firstSyncBound = Duration.seconds(15)
    /// The timeout of each first request.
    static let firstRequestBound = Duration.seconds(5)
    /// The timeout of all first requests together when they are sent again, and of each of them.
    private static let repeatedBounds = (all: Duration.seconds(3), each: Duration.seconds(2))
    /// The longest time that the first sync waits for the real-time connection.
    private static let realTimeBound = Duration.seconds(1)

    /// Performs the steps after an account was stored. They never make a successful sign-in fail. If the task is
    /// cancelled, the account stays.
    func finishSignIn(_ account: Account, _ onStep: @Sendable (SignInProgress) -> Void) async {
        // A failure to store the id is ignored here. The next program that needs the id reports it.
        if let device = try? await accounts.deviceID() { onStep(.deviceKnown(device)) }
        if account.mustChangePassword {
            onStep(.passwordChangeRequired)
        } else if let session = try? session(for: account) {
            let end = ContinuousClock.now + Self.firstSyncBound
            // Before the first sync, so that no change between the two is missed.
            if account.capabilities.contains(.realTime) {
                onStep(.realTimeOpened(isConnected: await session.openRealTime(within: Self.realTimeBound)))
            }
            if account.capabilities.contains(.pictureLibrary) { onStep(.picturesNeeded) }
            let sync = await session.firstSync(
                within: ContinuousClock.now.duration(to: end), each: Self.firstRequestBound)
            onStep(.synced(sync))
            if sync.person != nil { _ = try? await session.profilePicture() }
        }
        onStep(.ready)
    }

    /// Returns the stored results of the session's first requests. Nil when there are none: the family has no such
    /// requests (``Capabilities/firstSync``), the server did not respond, or the session has ended.
    public func firstSync(of account: Account) async throws -> FirstSync? {
        try await accounts.firstSync(of: account.id)
    }

    /// Sends the first requests again if not all of them have succeeded yet, which takes three seconds at most. Returns
    /// the stored results.
    package func completeFirstSync(of account: Account) async throws -> FirstSync? {
        let stored = try await firstSync(of: account)
        guard stored?.isComplete != true, account.capabilities.contains(.firstSync), !account.mustChangePassword else {
            return stored
        }
        let (all, each) = Self.repeatedBounds
        _ = try await session(for: account).firstSync(within: all, each: each)
        return try await firstSync(of: account)
    }
}

extension Session {
    /// Sends the first requests for the main screen, and stores the results. Signing out or reaching the timeout `bound`
    /// cancels them. A request that takes longer than `requestBound` counts as failed.
    func firstSync(within bound: Duration, each requestBound: Duration) async -> FirstSync {
        guard let dialect = dialect as? any FirstSyncDialect else { return FirstSync() }
        let task = Task { () -> FirstSync in
            await withTaskGroup(of: FirstSync?.self) { group in
                group.addTask { try? await self.performFirstSync(dialect, requestBound) }
                group.addTask {
                    try? await Task.sleep(for: bound)
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next().flatMap { $0 } ?? FirstSync()
            }
        }
        syncing = task
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func performFirstSync(_ dialect: any FirstSyncDialect, _ bound: Duration) async throws -> FirstSync {
        let start = now()
        let (person, response, token) = try await identified()
        var sync = try await dialect.firstSync(with: client, each: bound)
        sync.person = person
        sync.date = now()
        let serverTime = response.headers["Date"].flatMap { HTTPDate($0, now: Int(start.timeIntervalSince1970)) }
        sync.marker = serverTime.map { Date(timeIntervalSince1970: Double($0.seconds)) } ?? start
        // If this fails, a later use of the account syncs again.
        try? await accounts.store(sync, of: accountID, in: token.generation)
        return sync
    }
}
