import Desktop
public import FoundationEssentials
import SecretStorage

/// Where this library keeps its files.
///
/// Source: XDG Base Directory Specification 0.8: a variable that is unset, empty or relative is ignored.
public struct Folders: Sendable, Equatable {
    /// The accounts database, the sealed file and the locks: `$XDG_DATA_HOME/latchstring`.
    public var data: String
    /// The log: `$XDG_STATE_HOME/latchstring`.
    public var state: String
    /// Kept answers of servers: `$XDG_CACHE_HOME/latchstring`.
    public var cache: String
    /// Where programs wait for a browser that comes back by a custom scheme: the first of them that can be used.
    public var callbacks: [String]

    /// Makes folders of exactly that place.
    public init(data: String) {
        self.data = data
        (state, cache) = (data + "/state", data + "/cache")
        callbacks = [data + "/callbacks"]
    }

    /// Finds the folders that an environment asks for.
    ///
    /// - Parameter environment: The environment's variables.
    /// - Throws: ``LatchError/Code/storageFailed`` when neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(LatchError) {
        self.init(data: try Self.base("XDG_DATA_HOME", below: ".local/share", environment) + "/latchstring")
        state = try Self.base("XDG_STATE_HOME", below: ".local/state", environment) + "/latchstring"
        cache = try Self.base("XDG_CACHE_HOME", below: ".cache", environment) + "/latchstring"
        // The handler that a browser starts may know less of the environment, so it looks in all of them.
        let runtime = [Self.absolute(environment["XDG_RUNTIME_DIR"]), LinkFolder.systemRuntime].compactMap { $0 }
        callbacks = runtime.map { $0 + "/latchstring" } + callbacks
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
    var log: String { state + "/client.log" }
    var responses: String { cache + "/responses.db" }
    /// The profiles of browsers that are started for one sign-in.
    var browsers: String { data + "/browsers" }

    /// The folder that a variable of XDG names, else the one that it stands for in the person's home.
    static func base(
        _ variable: String, below home: String, _ environment: [String: String]
    ) throws(LatchError) -> String {
        if let path = absolute(environment[variable]) { return path }
        if let person = absolute(environment["HOME"]) { return person + "/" + home }
        throw LatchError(
            .storageFailed,
            "There is no folder for the accounts: neither HOME nor \(variable) is an absolute path. Set HOME.")
    }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
