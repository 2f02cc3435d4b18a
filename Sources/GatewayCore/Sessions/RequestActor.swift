package import Database
package import FoundationEssentials
import Primitives
import Synchronization

/// Who makes a request, so that every write of the request checks in its transaction that this person may still act.
///
/// A request may be authenticated from memory, up to 250 ms after another process has ended its session, and it may wait
/// afterwards. Without the check, a session that an administrator has just ended could still change something that lasts.
///
/// The routes of a dialect run inside ``checkingWrites(now:_:)`` and call ``identify(_:asAdministrator:)`` where they
/// authenticate a request. Before that, writes are not checked, such as those of a sign-in.
package final class RequestActor: WriteCondition {
    /// What a request was authenticated with.
    package enum Credential: Sendable {
        case session(SessionID)
        /// The id of an API key.
        case key(UUID)
        /// The token of an identity provider, for a person with this session epoch.
        case person(UUID, epoch: Int)
    }

    private struct Identity {
        let credential: Credential
        let isAdministrator: Bool
    }

    /// How long a request may take after its session expired. The uses of the session in the last seconds, which extend
    /// it, may not be written yet.
    private static let tolerance = Duration.seconds(60)

    /// How often the credential is checked while a response is sent.
    private static let sendingInterval = Duration.seconds(5)

    private let identity = Mutex<Identity?>(nil)
    private let now: @Sendable () -> Date

    private init(_ now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// Runs the handler of a request. Its writes are checked as soon as ``identify(_:asAdministrator:)`` is called.
    package static func checkingWrites<Value>(
        now: @escaping @Sendable () -> Date, _ handler: () async throws -> Value
    ) async throws -> Value {
        try await Database.$writeCondition.withValue(RequestActor(now)) { try await handler() }
    }

    /// Checks the credential in every later write of the current request.
    ///
    /// - Parameters:
    ///   - credential: What the request was authenticated with.
    ///   - isAdministrator: Whether only an administrator may make the request.
    package static func identify(_ credential: Credential, asAdministrator isAdministrator: Bool = false) {
        current?.identity.withLock { $0 = Identity(credential: credential, isAdministrator: isAdministrator) }
    }

    /// Checks nothing in later writes of the current request, because it ends or has ended its own session.
    package static func forget() {
        current?.identity.withLock { $0 = nil }
    }

    /// Returns a check of the credential for as long as the response to the current request is sent, which can take hours.
    ///
    /// - Parameter database: The database with the sessions and keys.
    /// - Returns: The check, which reads the database at most once in five seconds and throws as ``check(_:)``. It does not
    ///   throw when the database does not respond.
    ///   Nil when the request is not authenticated.
    package static func checkWhileSending(_ database: Database) -> (@Sendable () async throws -> Void)? {
        guard let current, current.identity.withLock({ $0 != nil }) else { return nil }
        let last = Mutex(current.now())
        return {
            let now = current.now()
            let isDue = last.withLock { last in
                guard abs(now.timeIntervalSince(last)) >= sendingInterval.seconds else { return false }
                last = now
                return true
            }
            guard isDue else { return }
            do {
                try await database.read { connection in try current.check(connection) }
            } catch is DatabaseError {
                // A database that fails over has not ended the session. The next check decides.
            }
        }
    }

    private static var current: RequestActor? { Database.writeCondition as? RequestActor }

    /// Checks that the credential is valid and that the role was not removed.
    ///
    /// - Throws: ``GatewayError/Code/sessionEnded``, ``GatewayError/Code/administratorsOnly``.
    package func check(_ connection: Connection) throws {
        guard let identity = identity.withLock({ $0 }) else { return }
        let isAdministrator =
            switch identity.credential {
            case .session(let session):
                try connection.first(
                    SessionStatements.isAdministrator, session.rawValue, now() - Self.tolerance)
            case .key(let key): try connection.first(APIKeyStatements.isAdministrator, now(), key)
            case .person(let person, let epoch):
                try connection.first(PeopleStatements.isAdministrator, person, epoch)
            }
        guard let isAdministrator else {
            throw GatewayError(.sessionEnded, "The sign-in has just ended, so nothing was changed. Sign in again.")
        }
        guard isAdministrator || !identity.isAdministrator else {
            throw GatewayError(.administratorsOnly, "Only an administrator can do this. Nothing was changed.")
        }
    }
}
