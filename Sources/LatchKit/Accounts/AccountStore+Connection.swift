import Crypto
import Database
import FoundationEssentials
import HTTPMessages

extension AccountStore {
    /// Writes the secrets of a connection, if it has any, to their slot. They are not used before the row refers to
    /// them.
    func writeSecrets(_ id: UUID, _ split: StoredConnection) async throws {
        guard !split.secret.isEmpty else { return }
        let secret = Secret(bytes: JSON.encode(split.secret))
        try await LatchError.converting {
            try await secrets.write(secret, for: Self.connectionKey(id, slot: split.record.slot))
        }
    }

    /// Removes the secrets of a connection that is not used because a later step failed.
    func removeConnectionSecrets(of connection: ConnectionRecord, _ id: UUID) async {
        guard connection.hasSecrets else { return }
        try? await secrets.remove(Self.connectionKey(id, slot: connection.slot))
    }

    /// Removes the secrets of all connections except the one in use. Secrets that cannot be removed are removed with
    /// the next change or with the account.
    func removeConnectionSecrets(except connection: ConnectionRecord, _ id: UUID) async {
        for slot in ConnectionRecord.slots where !connection.hasSecrets || slot != connection.slot {
            try? await secrets.remove(Self.connectionKey(id, slot: slot))
        }
    }

    /// Changes how an account's server is connected to, without a new sign-in.
    ///
    /// First the new secrets are written next to the old ones. Then the row is updated, and from that moment the new
    /// secrets are used. Finally the old secrets are removed. After a crash before the update of the row the old
    /// connection is used, after it the new one. Sessions of other programs detect the new revision of the row at their
    /// next request.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - base: The text of the row that the options were derived from.
    ///   - options: The new connection options.
    /// - Throws: ``LatchError/Code/storageLocked`` when the row has changed since; ``LatchError/Code/noAccount``.
    func changeConnection(_ id: UUID, from base: String, to options: ConnectionOptions) async throws {
        let lock = try await LatchError.converting { try await locks.lock(id) }
        defer { lock.release() }
        // The rest is completed even when the caller is cancelled.
        try await Task { try await changeUnderLock(id, from: base, to: options) }.value
    }

    private func changeUnderLock(_ id: UUID, from base: String, to options: ConnectionOptions) async throws {
        guard let record = try await record(id), [.in, .out, .wiping].contains(record.stage) else { throw Self.missing }
        guard record.connection == base else {
            throw LatchError(
                .storageLocked,
                "Another program has changed this account's connection in the meantime. Check it and try again."
            )
        }
        let split = StoredConnection(options, replacing: try record.connectionRecord)
        try await writeSecrets(id, split)
        try hook.after(.newConnectionWritten)
        do {
            try await change { _ = try $0.run(Self.connect, split.row, id) }
        } catch {
            await removeConnectionSecrets(of: split.record, id)
            throw error
        }
        try hook.after(.connectionChanged)
        await removeConnectionSecrets(except: split.record, id)
    }
}
