package import Crypto
import FoundationEssentials

/// A selected store and the reason for the selection.
package struct OpenedSecretStorage: Sendable {
    /// The store.
    package let store: any SecretStoring
    /// The kind of the store, to be passed as `remembered` next time.
    package let kind: SecretStorageKind
    /// A sentence for people that names the store and the reason for its use.
    package let explanation: String
}

/// Selects and opens a store. It never selects a weaker store than the one requested or used before.
///
/// ``SecretStorageChoice/automatic`` selects the kind of store that was used before. On the first run it selects an
/// existing sealed file, otherwise the Secret Service if it responds, otherwise a new sealed file. A locked Secret
/// Service is an error and does not cause a fallback to the file.
///
/// - Parameters:
///   - choice: The requested store.
///   - folder: The folder of the sealed file `secrets.sealed` and its key file `secrets.key`.
///   - remembered: The kind of store that was used last time, if known.
///   - keyFile: The path of the key file. Nil for `secrets.key` in `folder`.
///   - service: The store that the choice ``SecretStorageChoice/service`` means.
///   - passphrase: Returns the passphrase of the sealed file. Nil for a key file with mode 0600.
/// - Returns: The store, its kind and an explanation.
/// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/locked``, or ``SecretStorageError/Code/absent``
///   when the Secret Service was requested or used before and is not available; errors of `passphrase`.
///
/// Source: OWASP MASVS-STORAGE-1.
package func openSecretStorage(
    choice: SecretStorageChoice, folder: String, remembered: SecretStorageKind? = nil, keyFile: String? = nil,
    service: any SecretStoring = SystemSecretStore(),
    passphrase: @Sendable () async throws -> Secret? = { nil }
) async throws -> OpenedSecretStorage {
    let path = folder + "/secrets.sealed"
    func file(_ why: String) async throws -> OpenedSecretStorage {
        let secret = try await passphrase()
        let unlock = secret.map(SealedFileStore.Unlock.passphrase) ?? .keyFile(path: keyFile ?? folder + "/secrets.key")
        let store = SealedFileStore(path: path, unlock: unlock)
        let key = secret == nil ? "a key file that only you can read" : "your passphrase"
        return OpenedSecretStorage(
            store: store, kind: .file,
            explanation: "Secrets are stored in the \(store.label), protected by \(key), \(why).")
    }
    func desktop(_ why: String) async throws -> OpenedSecretStorage {
        try await service.check()
        return OpenedSecretStorage(
            store: service, kind: .service, explanation: "Secrets are stored in the \(service.label), \(why).")
    }

    switch (choice, remembered) {
    case (.service, _): return try await desktop("as requested")
    case (.file, _): return try await file("as requested")
    case (.automatic, .file): return try await file("as before")
    case (.automatic, .service): return try await desktop("as before")
    case (.automatic, nil):
        if FileManager.default.fileExists(atPath: path) { return try await file("which already exists") }
        do {
            return try await desktop("which this desktop provides")
        } catch let error as SecretStorageError where error.code == .absent {
            return try await file("because no \(service.label) is available")
        }
    }
}
