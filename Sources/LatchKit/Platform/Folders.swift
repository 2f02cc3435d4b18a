import Desktop
public import FoundationEssentials
import SecretStorage

/// The folders in which this library stores its files.
public struct Folders: Sendable, Equatable {
    /// The folder of the accounts database, the sealed file and the locks. Default: `$XDG_DATA_HOME/latchstring`.
    public var data: String
    /// The folder of the log. Default: `$XDG_STATE_HOME/latchstring`.
    public var state: String
    /// The folder of the caches of responses and thumbnails. Default: `$XDG_CACHE_HOME/latchstring`.
    public var cache: String
    /// The folders in which a program can wait for a browser that returns by a custom scheme. The first usable one is
    /// taken.
    public var callbacks: [String]

    /// Makes folders that are all inside `data`.
    public init(data: String) {
        self.data = data
        (state, cache) = (data + "/state", data + "/cache")
        callbacks = [data + "/callbacks"]
    }

    /// Makes the folders for an environment.
    ///
    /// - Parameter environment: The environment variables.
    /// - Throws: ``LatchError/Code/storageFailed`` when neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(LatchError) {
        self.init(data: try Self.base(.data, environment) + "/latchstring")
        state = try Self.base(.state, environment) + "/latchstring"
        cache = try Self.base(.cache, environment) + "/latchstring"
        // A handler that is started by the browser may not have all environment variables, so it looks in all of these
        // folders.
        callbacks = UserFolder.runtime(environment).map { $0 + "/latchstring" } + callbacks
    }

    /// Creates missing folders with mode 0700, and sets that mode on existing ones so that other users have no access.
    ///
    /// - Throws: ``LatchError/Code/storageFailed``, with the folder in the message, also when an existing folder belongs
    ///   to another user or others can write to it. They may have put other files there.
    func make() throws(LatchError) {
        for folder in [data, locks] {
            do {
                try PrivateFile.makeFolder(folder)
            } catch {
                throw LatchError(
                    .storageFailed, "Could not create the folder '\(folder)'. Check that you own its parent folder.",
                    cause: error)
            }
            do {
                try PrivateFile.protectFolder(folder)
            } catch {
                throw LatchError(.storageFailed, error.message, cause: error)
            }
        }
    }

    /// Returns the absolute form of a path, which can be stored.
    package static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    var database: String { data + "/latchstring.db" }
    var locks: String { data + "/locks" }
    var lock: String { data + "/lock.json" }
    var log: String { state + "/client.log" }
    var responses: String { cache + "/responses.db" }
    var thumbnails: String { cache + "/thumbnails.db" }
    /// The folder of the browser profiles that are created for one sign-in each.
    var browsers: String { data + "/browsers" }

    /// Returns a folder of the person.
    static func base(_ folder: UserFolder, _ environment: [String: String]) throws(LatchError) -> String {
        if let path = folder.path(environment) { return path }
        throw LatchError(
            .storageFailed,
            "There is no folder for the accounts: neither HOME nor \(folder.variable) is an absolute path. Set HOME.")
    }
}
