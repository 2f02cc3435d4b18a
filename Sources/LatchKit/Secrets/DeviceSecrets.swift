import Crypto
import FoundationEssentials
import SecretStorage
import Synchronization

/// The secret store of this device. It is chosen once, recorded with the accounts and opened on first use.
///
/// Programs that share the accounts must find their secrets in the same store. The file `secrets.store` names it.
/// Another store can be chosen only while there are no accounts and there is no lock, because their secrets would be left
/// behind in the old store.
///
/// Source: ARCHITECTURE.md, Folders.
public final class DeviceSecrets: SecretStoring {
    /// The reason why a passphrase is asked for.
    public enum PassphraseNeed: Sendable {
        /// A sealed file exists and is locked with a passphrase.
        case existing(path: String)
        /// A sealed file is about to be created. Without a passphrase it is locked with a key file.
        case new(path: String)
    }

    private let choice: SecretStorageChoice
    private let folders: Folders
    private let keyFile: String?
    private let passphrase: @Sendable (PassphraseNeed) async throws -> Secret?
    private let opened = Mutex<OpenedSecretStorage?>(nil)
    private let opening = Mutex<Task<OpenedSecretStorage, any Error>?>(nil)

    /// Makes a store. Nothing is read before the first use.
    ///
    /// - Parameters:
    ///   - choice: The store that the person asks for in this run.
    ///   - folders: The folders of the accounts and the sealed file.
    ///   - keyFile: The path of the sealed file's key file. Nil for the file next to it.
    ///   - passphrase: Returns the passphrase of the sealed file, or nil to use a key file.
    public init(
        _ choice: SecretStorageChoice = .automatic, folders: Folders, keyFile: String? = nil,
        passphrase: @escaping @Sendable (PassphraseNeed) async throws -> Secret? = { _ in nil }
    ) {
        self.choice = choice
        self.folders = folders
        self.keyFile = keyFile
        self.passphrase = passphrase
    }

    /// The kind of store that was used last. Nil before the first use.
    package var remembered: SecretStorageKind? {
        let bytes = FileManager.default.contents(atPath: memory)
        return bytes.flatMap { SecretStorageKind(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// A description of the store in use, for people. Before the store is opened, it describes the one that was
    /// used last.
    public var label: String {
        if let opened = opened.withLock({ $0 }) { return opened.store.label }
        switch remembered {
        case .service: return SystemSecretStore.name
        case .file: return "sealed file \(sealedFile)"
        case nil: return "not chosen yet"
        }
    }

    /// Opens the store. Further calls, also concurrent ones, return the same result.
    ///
    /// - Parameter mayChange: Whether a store other than the remembered one may be chosen. Pass true only when there
    ///   are no accounts and there is no lock.
    /// - Returns: The store, its kind and why it was chosen.
    /// - Throws: ``LatchError``; `CancellationError` from asking for the passphrase.
    @discardableResult
    package func open(mayChange: Bool = false) async throws -> OpenedSecretStorage {
        while true {
            if let opened = opened.withLock({ $0 }) { return opened }
            let (task, isOurs) = opening.withLock { opening in
                if let opening { return (opening, false) }
                let task = Task {
                    // Reset before the result is delivered, so that a waiting caller that retries does not find this
                    // task again.
                    defer { self.opening.withLock { $0 = nil } }
                    return try await self.openNow(mayChange)
                }
                opening = task
                return (task, true)
            }
            do {
                guard isOurs else { return try await task.value }
                return try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
            } catch is CancellationError where !isOurs {
                // Another caller's task was cancelled, not this one. Try again.
                try Task.checkCancellation()
            }
        }
    }

    private func openNow(_ mayChange: Bool) async throws -> OpenedSecretStorage {
        var remembered = remembered
        if mayChange, let before = remembered, choice != .automatic, choice.rawValue != before.rawValue {
            remembered = nil
        }
        try refuseAnother(than: remembered)
        let known = remembered
        let found = try await LatchError.converting {
            try await openSecretStorage(
                choice: choice, folder: folders.data, remembered: known, keyFile: keyFile,
                passphrase: { try await self.passphraseIfNeeded() })
        }
        opened.withLock { $0 = $0 ?? found }
        return found
    }

    /// Reads a secret.
    public func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        try await using { store throws(SecretStorageError) in try await store.read(key) }
    }

    /// Stores a secret and records the kind of store.
    public func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await using { store throws(SecretStorageError) in
            try remember()
            try await store.write(secret, for: key)
        }
    }

    /// Removes a secret.
    public func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try await using { store throws(SecretStorageError) in try await store.remove(key) }
    }

    /// Opens the store and checks that secrets can be read and stored there.
    public func check() async throws(SecretStorageError) {
        try await using { store throws(SecretStorageError) in try await store.check() }
    }

    /// Uses the store. A sealed file that another passphrase opens is opened again at the next use, so that the person is
    /// asked again.
    private func using<Value>(
        _ body: (any SecretStoring) async throws(SecretStorageError) -> Value
    ) async throws(SecretStorageError) -> Value {
        do {
            return try await body(store())
        } catch {
            if error.code == .wrongPassphrase { opened.withLock { $0 = nil } }
            throw error
        }
    }

    private func store() async throws(SecretStorageError) -> any SecretStoring {
        do {
            return try await open().store
        } catch let error as LatchError {
            if let cause = error.cause as? SecretStorageError { throw cause }
            throw SecretStorageError(.locked, error.message)
        } catch {
            throw SecretStorageError(.locked, "The secret store was not opened. Try again and enter the passphrase.")
        }
    }

    private func refuseAnother(than remembered: SecretStorageKind?) throws(LatchError) {
        guard let remembered, choice != .automatic, choice.rawValue != remembered.rawValue else { return }
        let names: (SecretStorageKind) -> String = {
            $0 == .service ? "the \(SystemSecretStore.name)" : "a sealed file"
        }
        throw LatchError(
            .secretStoreDiffers,
            "The secrets of this device are stored in \(names(remembered)), but another store was requested. "
                + "Use the existing store, or sign out of every account and remove the lock of the device first.")
    }

    private func passphraseIfNeeded() async throws -> Secret? {
        let files = FileManager.default
        guard keyFile == nil else { return nil }
        if files.fileExists(atPath: sealedFile) {
            // A damaged file is reported when it is read.
            guard SealedFileStore.isLockedByPassphrase(sealedFile) == true else { return nil }
            return try await passphrase(.existing(path: sealedFile))
        }
        guard !files.fileExists(atPath: folders.data + "/secrets.key") else { return nil }
        return try await passphrase(.new(path: sealedFile))
    }

    /// Records the kind of store. Called before the first secret is written, so that a crash in between can leave the
    /// name of a store without secrets, but never secrets without it.
    private func remember() throws(SecretStorageError) {
        guard let kind = opened.withLock({ $0?.kind }), kind != remembered else { return }
        do {
            try folders.make()
            try PrivateFile.replace(memory, with: Array(kind.rawValue.utf8))
        } catch {
            throw SecretStorageError(
                .io, "Could not write '\(memory)'. Check that you own the folder and that the disk is not full.")
        }
    }

    private var memory: String { folders.data + "/secrets.store" }
    private var sealedFile: String { folders.data + "/secrets.sealed" }
}

extension LatchError.Code {
    /// A secret store was asked for that is not the one with this device's secrets.
    public static let secretStoreDiffers = Self(rawValue: "secret_store_differs")
}
