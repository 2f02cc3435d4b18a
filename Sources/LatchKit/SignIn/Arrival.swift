public import FoundationEssentials

/// What happens between the server's word that somebody has signed in and the program's main screen, in this order.
///
/// A step of its own for real-time news comes between the device and the pictures once there are such connections.
///
/// Source: IM-6.
public enum SignInProgress: Sendable, Equatable {
    /// The token is in the secret store.
    case tokenKept
    /// The account is kept, and is the active one.
    case accountKept
    /// The device's id is known; it is made once.
    case deviceKnown(UUID)
    /// Whether pictures can be put on this device; no is told, and stops nothing.
    case picturesChecked(PicturesFolder)
    /// What the server was asked first, as far as it answered.
    case synced(FirstSync)
    /// The server wants another password before anything else, so it was asked nothing; see
    /// ``Latchstring/changePassword(_:of:)``.
    case passwordWanted
    /// The main screen may be shown.
    case ready
}

/// What a session asks its server first: what the main screen begins with. What was not answered is nil.
///
/// Source: IM-6, first sync.
public struct FirstSync: Sendable, Hashable {
    /// Who is signed in.
    public var person: Identity?
    /// The server's version.
    public var version: String?
    /// How many albums the person has.
    public var albums: Int?
    /// How many photographs.
    public var photographs: Int?
    /// How many films.
    public var films: Int?

    /// Makes one that knows nothing.
    public init() {}
}

/// A family that has something to ask right after a sign-in.
public protocol FirstSyncDialect: Dialect {
    /// Asks what the main screen begins with; each question for itself.
    ///
    /// - Throws: `CancellationError`, and ``LatchError`` when there is no session any more.
    func firstSync(with client: AuthorizedClient) async throws -> FirstSync
}

extension LatchClient {
    /// The longest that the first questions to a server may take together.
    static let firstSyncBound = Duration.seconds(15)

    /// Goes the steps after an account was kept. None of them can fail a sign-in that has succeeded; cancelled, the
    /// account stays.
    func finishSignIn(_ account: Account, _ onStep: @Sendable (SignInProgress) -> Void) async {
        // A disk that keeps the account and not the id is told by the next program that asks for it.
        if let device = try? await accounts.deviceID() { onStep(.deviceKnown(device)) }
        onStep(.picturesChecked(PicturesFolder.current(environment: ProcessInfo.processInfo.environment)))
        if account.mustChangePassword {
            onStep(.passwordWanted)
        } else if let session = try? session(for: account) {
            onStep(.synced(await session.firstSync(within: Self.firstSyncBound)))
        }
        onStep(.ready)
    }
}

extension Session {
    /// Asks the server what the main screen begins with. Signing out ends it, and so does the bound.
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
