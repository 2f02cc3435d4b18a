import Crypto
import Database
import FoundationEssentials
import JOSE
import Synchronization
import Wire

/// The keys that tokens are signed with, in the database, where every gateway on it finds the same ones.
///
/// Of a private half only a box is stored, sealed with the key that gateways share in a file. A key is made when there is
/// none; another takes its place when it is old, or on demand. It is shown for a while before it signs, and the one before
/// it for as long as a token that it signed is good: the database knows until when before such a token is made.
///
/// Source: RFC 7517 §5; RFC 8725 §3; NIST SP 800-57 part 1 §5.3.6 for replacing by age.
public final class SigningKeyStore: Sendable {
    private struct State {
        var keys: SigningKeys?
        var changes = 0
        var secret: Secret?
    }

    private let database: Database
    private let settings: SigningKeySettings
    private let readSecret: @Sendable () throws(GatewayError) -> Secret
    private let audit: AuditLog
    private let log: Log
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// How many tries when others make and remove keys at the same time.
    private static let tries = 8
    /// Until when a key is needed is written for this much further on, so that not every token costs a write.
    private static let margin = Duration.seconds(3_600)

    /// Makes a store; `secret` is asked for when a private half is first needed.
    init(
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

    /// A key to sign a token with that is good until `expiry`.
    ///
    /// - Throws: ``GatewayError/Code/file`` when the gateway's key cannot be read; ``GatewayError/Code/signingKey``;
    ///   errors of the database.
    func signer(until expiry: Date) async throws -> SigningKey {
        for _ in 0..<Self.tries {
            let keys = try await current()
            guard let key = keys.signer(at: now()), let signing = key.signing else {
                try await make(signingFrom: now(), after: keys, reason: "first")
                continue
            }
            if key.stored.neededUntil >= expiry { return signing }
            if try await need(key.stored.id, until: expiry + Self.margin) { return signing }
        }
        throw Self.unsteady
    }

    private static let unsteady = GatewayError(
        .signingKey, "The server cannot sign now: its keys are made and removed again and again; see who does that.")

    /// The public keys as a JSON Web Key Set. It is never empty: the first key is created if there is none.
    ///
    /// Servers that verify tokens cache the answer, and some libraries refuse an empty set.
    ///
    /// - Throws: As ``signer(until:)``.
    func published() async throws -> [UInt8] {
        for _ in 0..<Self.tries {
            let keys = try await current()
            guard keys.all.isEmpty else { return keys.published(at: now()).encoded() }
            try await make(signingFrom: now(), after: keys, reason: "first")
        }
        throw Self.unsteady
    }

    /// The key set from memory; nil when no keys are in memory.
    func publishedAtOnce() -> [UInt8]? {
        guard let keys = state.withLock({ $0.keys }), !keys.all.isEmpty else { return nil }
        return keys.published(at: now()).encoded()
    }

    /// Forgets what is in memory: another program changed the database.
    func forget() {
        state.withLock { state in
            state.keys = nil
            state.changes += 1
        }
    }
}

extension SigningKeyStore {
    /// Every key that is kept, from the first that signed to the last that will.
    public func list() async throws -> [SigningKeySummary] {
        let now = now()
        let rows = try await database.read { try $0.all(SigningKeyStatements.all) }
        let signing = rows.last { $0.signsFrom <= now }?.id
        return rows.map { SigningKeySummary($0, isSigning: $0.id == signing) }
    }

    /// Makes a key that takes the place of the one that signs now, once everybody has had the time to see it.
    ///
    /// - Parameter forgettingOthers: Whether the keys of before are in wrong hands: they are removed, nobody is to believe
    ///   them any more, and the new one signs at once. Tokens that they signed are still good here, where sessions decide.
    /// - Returns: The new key.
    /// - Throws: As ``signer(until:)``.
    @discardableResult
    public func rotate(forgettingOthers: Bool = false) async throws -> SigningKeySummary {
        for _ in 0..<Self.tries {
            let keys = try await current()
            let isFirst = keys.signer(at: now()) == nil
            let begin = isFirst || forgettingOthers ? now() : now() + SigningKeySettings.announcement
            guard
                let made = try await make(
                    signingFrom: begin, after: keys, reason: forgettingOthers ? "others-forgotten" : "on-demand",
                    forgettingOthers: forgettingOthers)
            else { continue }
            return SigningKeySummary(made, isSigning: made.signsFrom <= now())
        }
        throw GatewayError(.signingKey, "Could not make a signing key: another program makes them; try again.")
    }

    /// Makes a key when the last one is old, and deletes those that nobody needs any more. Where no token was ever signed
    /// there is nothing to do.
    func upkeep() async throws {
        let keys = try await current()
        guard !keys.all.isEmpty else { return }
        if let newest = keys.newest, newest.stored.created + settings.rotation <= now() {
            try await make(
                signingFrom: now() + SigningKeySettings.announcement, after: keys, reason: "age")
        }
        let now = now()
        let count = try await database.write { try $0.run(SigningKeyStatements.deleteUnneeded, now, now) }
        if count > 0 { forget() }
    }
}

extension SigningKeyStore {
    private func current() async throws -> SigningKeys {
        let (held, changes) = state.withLock { ($0.keys, $0.changes) }
        if let held { return held }
        let rows = try await database.read { try $0.all(SigningKeyStatements.all) }
        // Who signs nothing needs no file with a key.
        let keys = rows.isEmpty ? SigningKeys() : SigningKeys(rows, sealedWith: try secret())
        for key in keys.all where key.signing == nil {
            log.warning(
                "A signing key was sealed with another key than this gateway's; it is shown and not used.",
                ["key": .text(key.stored.id)])
        }
        state.withLock { state in
            if state.changes == changes { state.keys = keys }
        }
        return keys
    }

    private func secret() throws -> Secret {
        if let held = state.withLock({ $0.secret }) { return held }
        let secret = try readSecret()
        return state.withLock { state in
            // Two at once read the same file; a gateway without one takes whichever came first.
            let first = state.secret ?? secret
            state.secret = first
            return first
        }
    }

    /// Makes a key, unless somebody else made one since `keys` were read; nil then.
    @discardableResult
    private func make(
        signingFrom begin: Date, after keys: SigningKeys, reason: StaticString, forgettingOthers: Bool = false
    ) async throws -> StoredSigningKey? {
        let key = try SigningKey.generate(settings.algorithm)
        let id = key.publicKey.thumbprint
        let made = max(now(), keys.lastMade + .milliseconds(1))
        let row = StoredSigningKey(
            id: id, algorithm: settings.algorithm.rawValue, publicKey: key.publicJSON.encoded(),
            box: try SealedSigningKey.seal(key, named: id, try secret()), created: made, signsFrom: begin,
            neededUntil: begin)
        let last = keys.lastMade
        let count = try await database.write { connection in
            let count = try connection.run(
                SigningKeyStatements.insert, row.id, row.algorithm, String(decoding: row.publicKey, as: UTF8.self),
                row.box,
                row.created, row.signsFrom, row.neededUntil, last)
            if count == 1, forgettingOthers { try connection.run(SigningKeyStatements.deleteOthers, row.id) }
            return count
        }
        forget()
        guard count == 1 else { return nil }
        audit.record(AuditEvent(.signingKeyMade, reason: reason, key: id))
        return row
    }

    /// Writes until when a key is needed; false when it is there no longer.
    private func need(_ id: String, until date: Date) async throws -> Bool {
        let count = try await database.write { try $0.run(SigningKeyStatements.need, date, id) }
        forget()
        return count == 1
    }
}
