public import FoundationEssentials
import SecretStorage

/// Where this library keeps its files.
///
/// Source: XDG Base Directory Specification 0.8: a variable that is unset, empty or relative is ignored.
public struct Folders: Sendable, Equatable {
    /// The accounts database, the sealed file and the locks: `$XDG_DATA_HOME/latchstring`.
    public var data: String

    /// Makes folders of exactly that place.
    public init(data: String) {
        self.data = data
    }

    /// Finds the folders that an environment asks for.
    ///
    /// - Parameter environment: The environment's variables.
    /// - Throws: ``LatchError/Code/storageFailed`` when neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(LatchError) {
        if let data = Self.absolute(environment["XDG_DATA_HOME"]) {
            self.data = data + "/latchstring"
        } else if let home = Self.absolute(environment["HOME"]) {
            data = home + "/.local/share/latchstring"
        } else {
            throw LatchError(
                .storageFailed,
                "There is no folder for the accounts: neither HOME nor XDG_DATA_HOME is an absolute path. Set HOME.")
        }
    }

    /// Makes the folders that are missing, with mode 0700, and takes others' rights from those that are there.
    ///
    /// - Throws: ``LatchError/Code/storageFailed`` that names the folder.
    func make() throws(LatchError) {
        for folder in [data, locks] {
            do {
                try PrivateFile.makeFolder(folder)
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
            } catch {
                throw LatchError(
                    .storageFailed, "Could not make the folder '\(folder)'. Check that the folder above it is yours.",
                    cause: error)
            }
        }
    }

    var database: String { data + "/latchstring.db" }
    var locks: String { data + "/locks" }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
