package import Crypto
import Synchronization

/// A secret store in one file, sealed with XChaCha20-Poly1305.
///
/// Several processes may use the file at the same time. It is replaced atomically under a lock, so no write is lost,
/// and a crash leaves either the old or the new file. The file has mode 0600, and folders that the store creates have
/// mode 0700. A damaged file is an error and never counts as empty. Only a missing file counts as empty.
///
/// Source: draft-irtf-cfrg-xchacha-03 §2; RFC 9106; `flock(2)`, `rename(2)`.
package final class SealedFileStore: SecretStoring {
    /// The source of the key.
    package enum Unlock: Sendable {
        /// A passphrase, stretched with Argon2id. An empty passphrase is rejected.
        case passphrase(Secret)
        /// A file with a key of 32 bytes and mode 0600. It is created when neither it nor a sealed file exists.
        case keyFile(path: String)
    }

    /// The path of the sealed file.
    package let path: String
    private let unlock: Unlock
    private let parameters: Argon2idParameters
    private let queue = BlockingQueue("org.latchstring.sealed-file")
    // Key derivation is expensive, and the key stays valid as long as the header does not change.
    private let derived = Mutex<(header: SealedFileFormat.Header, key: Secret)?>(nil)

    /// Creates a store. No file is read or written before the first call.
    ///
    /// - Parameters:
    ///   - path: The path of the sealed file, which need not exist.
    ///   - unlock: The source of the key.
    ///   - parameters: The Argon2id parameters for a new file. An existing file keeps its own.
    package init(path: String, unlock: Unlock, parameters: Argon2idParameters = .default) {
        self.path = path
        self.unlock = unlock
        self.parameters = parameters
    }

    /// `sealed file`, followed by the path.
    package var label: String { "sealed file \(path)" }

    /// Reads a secret. Returns nil when the file does not exist or has no secret for `key`.
    package func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        try await queue.run { [self] () throws(SecretStorageError) in try load()?.secrets[key.flat] }
    }

    /// Stores a secret. It is on disk when the function returns.
    package func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await queue.run { [self] () throws(SecretStorageError) in try change { $0[key.flat] = secret } }
    }

    /// Removes a secret. The change is on disk when the function returns.
    package func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try await queue.run { [self] () throws(SecretStorageError) in
            guard try load()?.secrets[key.flat] != nil else { return }
            try change { $0[key.flat] = nil }
        }
    }

    /// Checks that the sealed file, if it exists, can be opened. Otherwise checks that the key file, if it exists,
    /// contains a key.
    package func check() async throws(SecretStorageError) {
        try await queue.run { [self] () throws(SecretStorageError) in
            if try load() != nil { return }
            if case .keyFile(let path) = unlock { _ = try KeyFile.read(path) }
        }
    }

    /// Returns whether the file at `path` is locked by a passphrase rather than a key file. Nil when the file is
    /// missing or damaged.
    package static func isLockedByPassphrase(_ path: String) -> Bool? {
        guard let bytes = try? PrivateFile.read(path), let file = SealedFileFormat(bytes) else { return nil }
        return file.header.kind == .passphrase
    }

    private struct Contents {
        var header: SealedFileFormat.Header
        var key: Secret
        var secrets: [SecretKey: Secret]
    }

    private func change(_ edit: (inout [SecretKey: Secret]) -> Void) throws(SecretStorageError) {
        try PrivateFile.withLock(path) { () throws(SecretStorageError) in
            var contents: Contents
            if let loaded = try load() { contents = loaded } else { contents = try empty() }
            edit(&contents.secrets)
            try PrivateFile.replace(path, with: try sealed(contents))
        }
    }

    private func sealed(_ contents: Contents) throws(SecretStorageError) -> [UInt8] {
        do throws(CryptoError) {
            return try SealedFileFormat.make(contents.secrets, header: contents.header, key: contents.key)
        } catch {
            throw SecretStorageError(.io, "Could not seal '\(path)': \(error.message)")
        }
    }

    private func load() throws(SecretStorageError) -> Contents? {
        guard let bytes = try PrivateFile.read(path) else { return nil }
        guard let file = SealedFileFormat(bytes) else { throw damaged }
        let key = try key(for: file.header, isNew: false)
        guard file.accepts(key) else { throw wrongKey }
        guard let secrets = file.secrets(key) else { throw damaged }
        return Contents(header: file.header, key: key, secrets: secrets)
    }

    private func empty() throws(SecretStorageError) -> Contents {
        let kind: SealedFileFormat.Kind = if case .passphrase = unlock { .passphrase } else { .keyFile }
        let header = SealedFileFormat.Header(
            kind: kind, parameters: parameters, salt: SecureRandom.bytes(Argon2id.saltCount))
        return Contents(header: header, key: try key(for: header, isNew: true), secrets: [:])
    }

    private func key(for header: SealedFileFormat.Header, isNew: Bool) throws(SecretStorageError) -> Secret {
        switch (unlock, header.kind) {
        case (.passphrase(let passphrase), .passphrase):
            return try key(passphrase, header)
        case (.keyFile(let path), .keyFile):
            if let key = try KeyFile.read(path) { return key }
            if isNew { return try KeyFile.make(path) }
            throw SecretStorageError(
                .absent,
                "Could not open '\(self.path)': its key file '\(path)' is missing; restore it, or remove "
                    + "both to start over."
            )
        case (.passphrase, .keyFile):
            throw SecretStorageError(
                .wrongPassphrase, "Could not open '\(path)': it was sealed with a key file, not a passphrase.")
        case (.keyFile, .passphrase):
            throw SecretStorageError(
                .wrongPassphrase, "Could not open '\(path)': it was sealed with a passphrase; enter it.")
        }
    }

    private func key(_ passphrase: Secret, _ header: SealedFileFormat.Header) throws(SecretStorageError) -> Secret {
        if let known = derived.withLock({ $0 }), known.header == header { return known.key }
        guard passphrase.count > 0 else {
            throw SecretStorageError(.wrongPassphrase, "Could not use '\(path)': the passphrase is empty; enter one.")
        }
        do throws(CryptoError) {
            let key = try Argon2id.key(passphrase: passphrase, salt: header.salt, parameters: header.parameters)
            derived.withLock { $0 = (header, key) }
            return key
        } catch {
            throw SecretStorageError(.io, "Could not derive the key of '\(path)': \(error.message)")
        }
    }

    private var damaged: SecretStorageError {
        SecretStorageError(
            .damaged,
            "Could not open '\(path)': it was modified or truncated; restore it, or remove it and sign in again."
        )
    }

    private var wrongKey: SecretStorageError {
        let what = if case .passphrase = unlock { "the passphrase" } else { "the key file" }
        return SecretStorageError(
            .wrongPassphrase, "Could not open '\(path)': \(what) is not the one with which it was sealed.")
    }
}
