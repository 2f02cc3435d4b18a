import Crypto
import FoundationEssentials

/// A private folder in the system's folder for temporary files, removed together with its contents.
struct TemporaryFolder: Sendable {
    /// The absolute path.
    let path: String

    /// Creates the folder with mode 0700.
    ///
    /// - Throws: ``SandboxError/Code/folder`` when the folder cannot be created or already exists.
    init(named name: String) throws(SandboxError) {
        let suffix = Base64URL.encode(SecureRandom.bytes(9))
        let root = FileManager.default.temporaryDirectory.path
        path = (root.hasSuffix("/") ? root : root + "/") + "\(name)-\(suffix)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SandboxError(.folder, "Could not create the folder '\(path)'; check TMPDIR: \(error)")
        }
    }

    /// Returns the path of `name` in the folder, without creating it.
    func file(_ name: String) -> String { path + "/" + name }

    /// Removes the folder. Errors are ignored, because they cannot be handled here.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
