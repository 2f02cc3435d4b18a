public import Crypto
import FoundationEssentials

/// A store that was chosen, and why.
public struct OpenedSecretStorage: Sendable {
    /// The store.
    public let store: any SecretStoring
    /// Which it is; hand it back as `remembered` next time.
    public let kind: SecretStorageKind
    /// One sentence for the person: which store is used and why.
    public let explanation: String
}

/// Chooses and opens a store; never one weaker than asked for or used before.
///
/// Automatic takes what was used before; on the first run, an existing sealed file, else the Secret Service where one
/// answers, else a new sealed file. A locked Secret Service is an error, not a reason to take the file.
///
/// - Parameters:
///   - choice: What the person asked for.
///   - folder: Where the sealed file `secrets.sealed` and its key file `secrets.key` are.
///   - remembered: What was used last time, if the caller knows.
///   - keyFile: The sealed file's key file; nil means `secrets.key` in `folder`.
///   - service: The Secret Service to ask.
///   - passphrase: Gives the sealed file's passphrase; nil means a key file with mode 0600.
/// - Returns: The store, its kind and an explanation.
/// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/locked``, or
///   ``SecretStorageError/Code/absent`` when the Secret Service was asked for or used before and is gone; whatever
///   `passphrase` throws.
///
/// Source: OWASP MASVS-STORAGE-1.
public func openSecretStorage(
    choice: SecretStorageChoice, folder: String, remembered: SecretStorageKind? = nil, keyFile: String? = nil,
    service: SecretServiceStore = SecretServiceStore(),
    passphrase: @Sendable () async throws -> Secret? = { nil }
) async throws -> OpenedSecretStorage {
    let path = folder + "/secrets.sealed"
    func file(_ why: String) async throws -> OpenedSecretStorage {
        let secret = try await passphrase()
        let unlock = secret.map(SealedFileStore.Unlock.passphrase) ?? .keyFile(path: keyFile ?? folder + "/secrets.key")
        let store = SealedFileStore(path: path, unlock: unlock)
        let key = secret == nil ? "a key file that only you may read" : "your passphrase"
        return OpenedSecretStorage(
            store: store, kind: .file, explanation: "Secrets are kept in the \(store.label), locked by \(key), \(why).")
    }
    func desktop(_ why: String) async throws -> OpenedSecretStorage {
        try await service.check()
        return OpenedSecretStorage(
            store: service, kind: .service, explanation: "Secrets are kept in the Secret Service, \(why).")
    }

    switch (choice, remembered) {
    case (.service, _): return try await desktop("as asked for")
    case (.file, _): return try await file("as asked for")
    case (.automatic, .file): return try await file("as before")
    case (.automatic, .service): return try await desktop("as before")
    case (.automatic, nil):
        if FileManager.default.fileExists(atPath: path) { return try await file("which is there already") }
        do {
            return try await desktop("which this desktop offers")
        } catch let error as SecretStorageError where error.code == .absent {
            return try await file("because no Secret Service answers here")
        }
    }
}
