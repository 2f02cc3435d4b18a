package import Crypto
package import Database
package import FoundationEssentials
import HTTPMessages
package import JOSE
import Synchronization

/// Stores the keys that sign tokens in the database, so that all gateways on it share them.
///
/// Private keys are stored only in encrypted form, sealed with a key that the gateways share in a file. The first key
/// is created when it is needed. A key is replaced when it is old, or on demand. A new key is published for some time
/// before it signs. The previous key stays published as long as a token that it signed is valid; this time is written
/// to the database before such a token is created.
///
/// Source: RFC 7517 §5; RFC 8725 §3; NIST SP 800-57 part 1 §5.3.6 for replacing by age.
package final class SigningKeyStore: Sendable {
    private struct State {
        package var keys: SigningKeys?
        package var changes = 0
        package var secret: Secret?
    }

    private let database: Database
    private let settings: SigningKeySettings
    private let readSecret: @Sendable () throws(GatewayError) -> Secret
    private let audit: AuditLog
    private let log: Log
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// The number of tries when other processes create and remove keys at the same time.
    private static let tries = 8
    /// How much longer than required a key is marked as needed, so that not every token costs a write.
    private static let margin = Duration.seconds(3_600)

    /// Creates a store. `secret` is called when a private key is first needed.
    package init(
        _ database: Database, _ settings: SigningKeySettings, audit: AuditLog, log: Log,
        now: @escaping @Sendable () -> Date, secret: @escaping @Sendable () throws(GatewayError) -> Secret
    ) {
        self.database = database
        self.settings = settings
        self.audit = audit
        self.log = log
        self.now = now
        readSecret = secret
    }

    /// Returns a key to sign a token that is valid until `expiry`.
    ///
    /// - Throws: ``GatewayError/Code/file`` when the gateway's key cannot be read; ``GatewayError/Code/signingKey``;
    ///   errors of the database.
    package func signer(until expiry: Date) async throws -> SigningKey {
        for _ in 0..<Self.tries {
            let keys = try await current()
            guard let key = keys.signer(at: now()), let signing = key.signing else {
                try await create(signingFrom: now(), after: keys, reason: "first")
                continue
            }
            if key.stored.neededUntil >= expiry { return signing }
            if try await need(key.stored.id, until: expiry + Self.margin) { return signing }
        }
        throw Self.unstable
    }

    private static let unstable = GatewayError(
        .signingKey, "The server cannot sign now: another program repeatedly removes its keys; find out which one.")

    /// Returns the public keys as a JSON Web Key Set. It is never empty: the first key is created if there is none.
    ///
    /// Servers that verify tokens cache the response, and some libraries refuse an empty set.
    ///
    /// - Throws: The same errors as ``signer(until:)``.
    package func published() async throws -> [UInt8] {
        for _ in 0..<Self.tries {
            let keys = try await current()
            guard keys.all.isEmpty else { return keys.published(at: now()).encoded() }
            try await create(signingFrom: now(), after: keys, reason: "first")
        }
        throw Self.unstable
    }

    /// Returns the key set from memory; nil when no keys are in memory.
    package func publishedIfCached() -> [UInt8]? {
        guard let keys = state.withLock({ $0.keys }), !keys.all.isEmpty else { return nil }
        return keys.published(at: now()).encoded()
    }

    /// Removes the keys from memory, because the database was changed.
    package func invalidateCache() {
        state.withLock { state in
            state.keys = nil
            state.changes += 1
        }
    }
}

extension SigningKeyStore {
    /// Returns all stored keys, in the order in which they start to sign.
    package func list() async throws -> [SigningKeySummary] {
        let now = now()
        let rows = try await database.read { try $0.all(SigningKeyStatements.all) }
        let signing = (rows.last { $0.signsFrom <= now } ?? rows.first)?.id
        return rows.map { SigningKeySummary($0, isSigning: $0.id == signing) }
    }

    /// Creates a key that replaces the one that signs now, after other servers have had time to fetch it. If another
    /// gateway does the same at the same moment, there is one new key, and both return it.
    ///
    /// - Parameter removingOthers: Whether the previous keys are compromised. They are then removed, so that no
    ///   server trusts them any more, and the new key signs immediately. Tokens that they signed stay valid here,
    ///   because this server checks sessions.
    /// - Returns: The new key.
    /// - Throws: The same errors as ``signer(until:)``.
    @discardableResult
    package func rotate(removingOthers: Bool = false) async throws -> SigningKeySummary {
        for _ in 0..<Self.tries {
            let keys = try await current()
            let isFirst = keys.signer(at: now()) == nil
            let begin = isFirst || removingOthers ? now() : now() + SigningKeySettings.announcement
            guard
                let created = try await create(
                    signingFrom: begin, after: keys, reason: removingOthers ? "others-forgotten" : "on-demand",
                    removingOthers: removingOthers)
            else {
                if !removingOthers, let other = try await current().newest, other.stored.created > keys.lastCreated {
                    return SigningKeySummary(other.stored, isSigning: other.stored.signsFrom <= now())
                }
                continue
            }
            return SigningKeySummary(created, isSigning: created.signsFrom <= now())
        }
        throw GatewayError(.signingKey, "Could not create a signing key: another program is creating one; try again.")
    }

    /// Creates a key when the newest one is old, and deletes keys that are no longer needed. Does nothing if no token
    /// was ever signed.
    package func upkeep() async throws {
        let keys = try await current()
        guard !keys.all.isEmpty else { return }
        if let newest = keys.newest, newest.stored.created + settings.rotation <= now() {
            try await create(
                signingFrom: now() + SigningKeySettings.announcement, after: keys, reason: "age")
        }
        let now = now()
        let count = try await database.write { try $0.run(SigningKeyStatements.deleteUnneeded, now, now) }
        if count > 0 { invalidateCache() }
    }
}

extension SigningKeyStore {
    private func current() async throws -> SigningKeys {
        let (held, changes) = state.withLock { ($0.keys, $0.changes) }
        if let held { return held }
        let rows = try await database.read { try $0.all(SigningKeyStatements.all) }
        // A gateway that signs nothing needs no key file.
        let keys = rows.isEmpty ? SigningKeys() : SigningKeys(rows, sealedWith: try secret())
        for key in keys.all where key.signing == nil {
            log.warning(
                "A signing key was encrypted with another key than this gateway's; it is published but not used.",
                ["key": .text(key.stored.id)])
        }
        // If the keys were invalidated during the read, these may be outdated.
        state.withLock { state in
            if state.changes == changes { state.keys = keys }
        }
        return keys
    }

    private func secret() throws -> Secret {
        if let held = state.withLock({ $0.secret }) { return held }
        let secret = try readSecret()
        return state.withLock { state in
            // Two concurrent calls read the same file. A gateway without a file uses the secret of the first call.
            let first = state.secret ?? secret
            state.secret = first
            return first
        }
    }

    /// Creates a key. Returns nil if another process created one since `keys` were read.
    @discardableResult
    private func create(
        signingFrom begin: Date, after keys: SigningKeys, reason: StaticString, removingOthers: Bool = false
    ) async throws -> StoredSigningKey? {
        let key = try SigningKey.generate(settings.algorithm)
        let id = key.publicKey.thumbprint
        // Later than every known key, even if the clock was set back, because the insertion compares these times.
        let created = max(now(), keys.lastCreated + .milliseconds(1))
        let row = StoredSigningKey(
            id: id, algorithm: settings.algorithm.rawValue, publicKey: key.publicJSON.encoded(),
            box: try SealedSigningKey.seal(key, named: id, try secret()), created: created, signsFrom: begin,
            neededUntil: begin)
        let last = keys.lastCreated
        let count = try await database.write { connection in
            let count = try connection.run(
                SigningKeyStatements.insert, row.id, row.algorithm, String(decoding: row.publicKey, as: UTF8.self),
                row.box,
                row.created, row.signsFrom, row.neededUntil, last)
            if count == 1, removingOthers { try connection.run(SigningKeyStatements.deleteOthers, row.id) }
            return count
        }
        // Also when nothing was inserted, because then the keys in memory are outdated.
        invalidateCache()
        guard count == 1 else { return nil }
        audit.record(AuditEvent(.signingKeyMade, reason: reason, key: id))
        return row
    }

    /// Stores until when a key is needed. Returns false if the key no longer exists.
    private func need(_ id: String, until date: Date) async throws -> Bool {
        let count = try await database.write { try $0.run(SigningKeyStatements.need, date, id) }
        invalidateCache()
        return count == 1
    }
}
