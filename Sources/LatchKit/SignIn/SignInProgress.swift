public import FoundationEssentials

/// The steps between a successful sign-in at the server and the program's main screen, in order.
///
/// A program that downloads pictures checks its access to their folder after ``deviceKnown(_:)``, before the first sync.
///
/// Source: IM-6.
public enum SignInProgress: Sendable, Equatable {
    /// The token was written to the secret store.
    case tokenStored
    /// The account was stored and is the active one.
    case accountStored
    /// The id of the device is known. It is generated once per device.
    case deviceKnown(UUID)
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
    /// The signed-in person.
    public var person: Identity?
    /// The version of the server.
    public var version: String?
    /// The number of the person's albums.
    public var albums: Int?
    /// The number of the person's photographs.
    public var photographs: Int?
    /// The number of the person's videos.
    public var videos: Int?

    /// Makes a result without any values.
    package init() {}
}

extension LatchClient {
    /// The timeout of all first requests together.
    static let firstSyncBound = Duration.seconds(15)

    /// Performs the steps after an account was stored. They never make a successful sign-in fail. If the task is
    /// cancelled, the account stays.
    func finishSignIn(_ account: Account, _ onStep: @Sendable (SignInProgress) -> Void) async {
        // A failure to store the id is ignored here. The next program that needs the id reports it.
        if let device = try? await accounts.deviceID() { onStep(.deviceKnown(device)) }
        if account.mustChangePassword {
            onStep(.passwordChangeRequired)
        } else if let session = try? session(for: account) {
            onStep(.synced(await session.firstSync(within: Self.firstSyncBound)))
        }
        onStep(.ready)
    }
}

extension Session {
    /// Sends the first requests for the main screen. Signing out or reaching the timeout `bound` cancels them.
    func firstSync(within bound: Duration) async -> FirstSync {
        guard let dialect = dialect as? any FirstSyncDialect else { return FirstSync() }
        let client = client
        let task = Task { () -> FirstSync in
            await withTaskGroup(of: FirstSync?.self) { group in
                group.addTask { try? await dialect.firstSync(with: client) }
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
}
