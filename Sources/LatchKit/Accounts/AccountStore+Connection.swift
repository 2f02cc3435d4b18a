import Database
import FoundationEssentials

extension AccountStore {
    /// Writes a connection's secrets to their place, if it has any; they count once the row says so.
    func writeSecrets(_ id: UUID, _ parted: StoredConnection) async throws {
        guard !parted.secret.isEmpty else { return }
        let secret = Secret(bytes: JSON.encode(parted.secret))
        try await LatchError.telling {
            try await secrets.write(secret, for: Self.connectionKey(id, slot: parted.kept.slot))
        }
    }

    /// Removes the secrets of a connection that came to nothing.
    func forgetSecrets(of kept: KeptConnection, _ id: UUID) async {
        guard kept.hasSecrets else { return }
        try? await secrets.remove(Self.connectionKey(id, slot: kept.slot))
    }

    /// Removes the secrets of every connection but the one that counts. What is left when that fails goes with the next change
    /// or with the account.
    func forgetSecrets(but kept: KeptConnection, _ id: UUID) async {
        for slot in KeptConnection.slots where !kept.hasSecrets || slot != kept.slot {
            try? await secrets.remove(Self.connectionKey(id, slot: slot))
        }
    }

    /// Changes how an account's server is connected to, without a new sign-in.
    ///
    /// In order: the new secrets, beside the old ones; the row, which says from then on that the new ones count; the old
    /// secrets go. A crash before the row leaves the old connection, a crash after it the new one. Sessions of other programs
    /// see the row's new revision with their next request.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - base: The row's text that the options were made from.
    ///   - options: How to connect from now on.
    /// - Throws: ``LatchError/Code/storageLocked`` when the row is another by now; ``LatchError/Code/noAccount``.
    func changeConnection(_ id: UUID, from base: String, to options: ConnectionOptions) async throws {
        let lock = try await LatchError.telling { try await locks.lock(id) }
        defer { lock.release() }
        // From here on it runs to its end, also when the caller is cancelled.
        try await Task { try await changeUnderLock(id, from: base, to: options) }.value
    }

    private func changeUnderLock(_ id: UUID, from base: String, to options: ConnectionOptions) async throws {
        guard let record = try await record(id), [.in, .out, .wiping].contains(record.stage) else { throw Self.missing }
        guard record.connection == base else {
            throw LatchError(
                .storageLocked,
                "Another program has changed this account's connection meanwhile. Look at it and try again."
            )
        }
        let parted = StoredConnection(options, replacing: try record.kept)
        try await writeSecrets(id, parted)
        try hook.after(.newConnectionWritten)
        do {
            try await change { _ = try $0.run(Self.connect, parted.row, id) }
        } catch {
            await forgetSecrets(of: parted.kept, id)
            throw error
        }
        try hook.after(.connectionChanged)
        await forgetSecrets(but: parted.kept, id)
    }
}
