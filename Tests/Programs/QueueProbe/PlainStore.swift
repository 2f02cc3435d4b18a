import CLibrary
import Crypto
import FoundationEssentials
import SecretStorage

/// A store of secrets in plain files, for a program that is killed at any moment and starts in no time.
struct PlainStore: SecretStoring {
    let folder: String

    var label: String { "plain files" }

    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        (try? String(contentsOfFile: path(key), encoding: .utf8)).map { Secret($0) }
    }

    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? secret.reveal().write(toFile: path(key), atomically: false, encoding: .utf8)
        // It outlives a loss of power, as a store of secrets does.
        for path in [path(key), folder, folder + "/.."] {
            let file = unsafe open(path, O_RDONLY)
            fsync(file)
            close(file)
        }
    }

    func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try? FileManager.default.removeItem(atPath: path(key))
    }

    private func path(_ key: SecretKey) -> String {
        folder + "/" + SHA256.digest("\(key.service)\n\(key.account)").hexadecimal
    }
}
