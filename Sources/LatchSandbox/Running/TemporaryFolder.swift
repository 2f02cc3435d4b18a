import Crypto
import FoundationEssentials

/// A folder below the system's own for temporary files, for this person only, removed with all that is in it.
struct TemporaryFolder: Sendable {
    /// The absolute path.
    let path: String

    /// Makes the folder, with mode 0700.
    ///
    /// - Throws: ``SandboxError/Code/folder`` when it cannot be made, or is there already.
    init(named name: String) throws(SandboxError) {
        let suffix = Base64URL.encode(SecureRandom.bytes(9))
        let root = FileManager.default.temporaryDirectory.path
        path = (root.hasSuffix("/") ? root : root + "/") + "\(name)-\(suffix)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SandboxError(.folder, "Could not make the folder '\(path)'; see TMPDIR: \(error)")
        }
    }

    /// The path of `name` inside; nothing is made.
    func file(_ name: String) -> String { path + "/" + name }

    /// Removes the folder. What cannot be removed stays: there is nobody left to tell.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
